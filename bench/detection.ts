/**
 * How good the look-alike scores are, over real names and mails beside the project: what part of listed phishing names
 * the rules would have found with nothing listed, what innocent names they suspect, and how long they take.
 *
 * `bun run bench:detection`. Names are halved by a seed: rules are tuned on one half, both are reported. A rule's
 * precision is the part of its hits that lies in the phishing list.
 */

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Assessment, createLookalikeChecker } from '../src/checks/looks/lookalike.ts'
import { loadNameKnowledge } from '../src/checks/looks/lookalikes.ts'
import { loadGuards } from '../src/ingest/guards.ts'
import { parseDomainName, whyNotPublic } from '../src/model/domain.ts'
import { benchMail } from './detection-mail.ts'

const data = resolve(import.meta.dir, '../../shared/data')

const phishingFile = 'domains/phishing_domains_union.txt.gz'
const innocentFiles = ['benign/cloudflare_top100k.txt.gz', 'benign/bank_websites.txt']

/** The score from which a name is suspicious, as by default. */
const suspiciousAt = 50

const seed = 0x77656972
const halves = ['tuned on', 'held out'] as const

const { platforms, isProtected } = loadGuards()
const knowledge = loadNameKnowledge()
const lookalikes = createLookalikeChecker({
  knowledge,
  platforms,
  isPopular: isProtected,
  countRelated: () => ({ siblings: 0, family: 0 }),
  threshold: suspiciousAt,
})

const halfOf = (name: string): 0 | 1 => (Bun.hash.xxHash32(name, seed) % 2 === 0 ? 0 : 1)

/** Reads the names of a list that weir would take. */
function namesIn(file: string): string[] {
  const bytes = readFileSync(join(data, file))
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text.split(/\r?\n/).flatMap((line) => {
    const name = parseDomainName(line)
    return name.ok && whyNotPublic(name.value) === null ? [name.value] : []
  })
}

const isSuspicious = ({ score }: Assessment): boolean => score >= suspiciousAt

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`

/** What the rules find in one half of the phishing names. */
class Recall {
  own = 0
  ownFound = 0
  hosted = 0
  hostedFound = 0
  branded = 0

  note(name: string, look: Assessment): void {
    const isHosted = platforms.findPlatform(name) !== null
    const found = isSuspicious(look) ? 1 : 0
    if (isHosted) {
      this.hosted++
      this.hostedFound += found
    } else {
      this.own++
      this.ownFound += found
    }
    if (look.brand !== null) this.branded++
  }

  toString(): string {
    const own = `${percent(this.ownFound, this.own)} of ${this.own} names`
    const hosted = `${percent(this.hostedFound, this.hosted)} of ${this.hosted} on shared hosting`
    return `${own}; ${hosted}; a brand named for ${this.branded}`
  }
}

/** How often each rule speaks of names that are suspicious. */
class RuleHits {
  readonly #hits = new Map<string, { phishing: number; innocent: number; alone: number }>()

  note(look: Assessment, kind: 'phishing' | 'innocent'): void {
    if (!isSuspicious(look)) return
    for (const [index, { code }] of look.reasons.entries()) {
      const hits = this.#hits.get(code) ?? { phishing: 0, innocent: 0, alone: 0 }
      hits[kind]++
      if (index === 0 && kind === 'phishing') hits.alone++
      this.#hits.set(code, hits)
    }
  }

  print(): void {
    console.log('\nrule                        hits   first  innocent  precision')
    const byHits = [...this.#hits].toSorted((a, b) => b[1].phishing - a[1].phishing)
    for (const [code, { phishing, innocent, alone }] of byHits) {
      const figures = [phishing, alone, innocent].map((count) => String(count).padStart(7))
      console.log(
        `${code.padEnd(24)} ${figures.join(' ')}    ${percent(phishing, phishing + innocent)}`,
      )
    }
  }
}

/** Measures each check by itself, in µs; the clock's own time is part of it. */
function timesOf(names: readonly string[]): { mean: number; p99: number } {
  const times = new Float64Array(names.length)
  for (const [index, name] of names.entries()) {
    const startedAt = Bun.nanoseconds()
    lookalikes.assess(name)
    times[index] = (Bun.nanoseconds() - startedAt) / 1_000
  }
  times.sort()
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  return { mean, p99: times[Math.floor(times.length * 0.99)] ?? 0 }
}

function benchNames(): void {
  const phishing = namesIn(phishingFile)
  const innocent = innocentFiles.flatMap(namesIn)
  const recalls = [new Recall(), new Recall()] as const
  const rules = new RuleHits()
  for (const name of phishing) {
    const look = lookalikes.assess(name)
    recalls[halfOf(name)].note(name, look)
    rules.note(look, 'phishing')
  }
  console.log('phishing names that look suspicious, with nothing listed')
  for (const [half, recall] of recalls.entries()) console.log(`  ${halves[half]}: ${recall}`)

  const suspected: string[][] = [[], []]
  const counts = [0, 0]
  for (const name of innocent) {
    const look = lookalikes.assess(name)
    const half = halfOf(name)
    counts[half] = (counts[half] ?? 0) + 1
    rules.note(look, 'innocent')
    if (!isSuspicious(look)) continue
    suspected[half]?.push(`  ${name} ${look.score}: ${look.reasons[0]?.message ?? ''}`)
  }
  console.log('\npopular names and banks that do')
  for (const [half, name] of halves.entries()) {
    const found = suspected[half]?.length ?? 0
    const of = counts[half] ?? 0
    console.log(`  ${name}: ${found} of ${of}, ${((10_000 * found) / of).toFixed(1)} in 10,000`)
  }
  console.log(suspected.flat().toSorted().join('\n'))
  rules.print()

  console.log('\ntime of one check, µs')
  for (const [what, names] of [
    ['phishing names', phishing],
    ['popular names', innocent],
  ] as const) {
    const { mean, p99 } = timesOf(names)
    console.log(`  ${what}: mean ${mean.toFixed(1)}, 99th percentile ${p99.toFixed(1)}`)
  }
}

if (existsSync(data)) {
  benchNames()
  const requests = join(data, 'emails/check_email_requests.jsonl.gz')
  await benchMail({ requests, knowledge, lookalikes, platforms, halfOf })
} else {
  console.log(`skipped: there is no real data at ${data}`)
}
