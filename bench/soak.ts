/**
 * Soaks weir: mixed load over loopback, rough clients and imports beside it for a set time, then a
 * report of what was answered, how fast, and how memory and open files moved.
 *
 * `bun run trials soak` takes ten minutes, `bun run trials soak 1` tries it. Ends with 1 when anything went
 * wrong, or when memory grew by over 1 MB a minute after the first third, which is warm-up.
 */

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BenchDirectory } from './fixture.ts'
import { type MemorySample, slopeOf, Tally } from './soak-figures.ts'
import { soakKinds } from './soak-kinds.ts'
import { knownKinds, putLoad } from './soak-load.ts'
import type { Roughness } from './soak-rough.ts'
import { importBase, importMoving, SoakedServer } from './soak-server.ts'

const sampleEveryMs = 1_000
const importEveryMs = 10_000
const heapEveryMs = 10_000
const progressEveryMs = 30_000

/** The part of the time in which memory finds its level. */
const warmUpPart = 1 / 3
const slopeMbMax = 1

/** In less time the slope says nothing: it is told, not judged. */
const judgedMinutesMin = 5

/** How long the views may take to be level after the last import. */
const levelMs = 10_000

/** When the time is over, rough clients get as long to come to an end. */
const roughEndMs = 25_000

/** Why the load stops before its time. */
const interruption = 'interrupted'

const megabyte = 1e6

/** Runs `work` again and again, `everyMs` apart by the clock, until `signal` says to stop. */
async function repeat(
  everyMs: number,
  signal: AbortSignal,
  work: (round: number) => Promise<void> | void,
): Promise<void> {
  const startedAt = performance.now()
  for (let round = 1; !signal.aborted; round++) {
    await pause(startedAt + round * everyMs - performance.now(), signal)
    if (!signal.aborted) await work(round)
  }
}

/** Resolves after a time, or when `signal` says to stop. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.max(0, milliseconds))
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop, { once: true })
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  })
}

/** Has rough clients come for so long; null when they were stopped before. */
async function beRough(
  url: string,
  minutes: number,
  signal: AbortSignal,
): Promise<Roughness | null> {
  const command = [join(import.meta.dir, 'soak-rough.ts'), url, String(minutes * 60)]
  const child = Bun.spawn([process.execPath, ...command], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    detached: true,
  })
  signal.addEventListener('abort', () => {
    setTimeout(() => child.kill('SIGKILL'), signal.reason === interruption ? 0 : roughEndMs)
  })
  const said = await child.stdout.text()
  if (said === '') return null
  const roughness: Roughness = JSON.parse(said)
  return roughness
}

/** What was seen while the load lasted. */
interface Soaked {
  readonly tally: Tally
  readonly samples: readonly MemorySample[]
  /** Of the JavaScript heap, which is a part of resident memory. */
  readonly heap: readonly MemorySample[]
  readonly roughness: Roughness | null
  readonly imports: number
  readonly missing: readonly string[]
}

async function soak(
  server: SoakedServer,
  dataDir: string,
  minutes: number,
  stop: AbortController,
): Promise<Soaked> {
  const { signal } = stop
  const { known, missing } = await knownKinds(server.url, soakKinds())
  const tally = new Tally(known)
  const samples: MemorySample[] = []
  const heap: MemorySample[] = []
  let imports = 0
  const startedAt = performance.now()
  const timer = setTimeout(() => stop.abort(), minutes * 60_000)
  void server.ended().then(() => stop.abort())
  const note = (to: MemorySample[], bytes: number | null): void => {
    const minutesSince = (performance.now() - startedAt) / 60_000
    if (bytes !== null) to.push({ minutes: minutesSince, megabytes: bytes / megabyte })
  }
  const sample = async (): Promise<void> => note(samples, await server.residentBytes())
  try {
    await sample()
    const [roughness] = await Promise.all([
      beRough(server.url, minutes, signal),
      putLoad(server.url, known, tally, signal),
      repeat(sampleEveryMs, signal, sample),
      repeat(heapEveryMs, signal, async () => note(heap, await server.heapBytes())),
      repeat(progressEveryMs, signal, () => tellProgress(tally, samples)),
      repeat(importEveryMs, signal, async (round) => {
        await importMoving(dataDir, round).catch((error) => tally.errors.add(String(error)))
        imports++
      }),
    ])
    return { tally, samples, heap, roughness, imports, missing }
  } finally {
    clearTimeout(timer)
    stop.abort()
  }
}

function tellProgress({ all, unexpected, errors }: Tally, samples: readonly MemorySample[]): void {
  const { minutes = 0, megabytes = 0 } = samples.at(-1) ?? {}
  const wrong = unexpected.count + errors.count
  console.log(
    `${minutes.toFixed(1).padStart(5)} min  ${String(all.count).padStart(7)} answers  p99 ${all.quantileMs(0.99).toFixed(1)} ms  ${megabytes.toFixed(0)} MB  ${wrong} wrong`,
  )
}

/** Reports whether the views have come level with the store. */
async function isLevel(url: string): Promise<boolean> {
  for (const endsAt = performance.now() + levelMs; performance.now() < endsAt; ) {
    const text = await fetch(`${url}/ready`).then(
      (response) => response.text(),
      () => '',
    )
    if (text.includes('"status":"ready"') && text.includes('"rows":0')) return true
    await Bun.sleep(100)
  }
  return false
}

function tellComplaints(what: string, count: number, examples: readonly string[]): void {
  console.log(`${what.padEnd(24)}${count}`)
  for (const example of examples) console.log(`  ${example}`)
}

function tellLatencies({ latencies, all }: Tally): void {
  console.log(`\n${'calls'.padEnd(26)}${'count'.padStart(8)}    p50 ms    p99 ms    max ms`)
  for (const [name, ofKind] of [...latencies, ['all', all] as const]) {
    const figures = [ofKind.quantileMs(0.5), ofKind.quantileMs(0.99), ofKind.maxMs]
    const cells = figures.map((milliseconds) => milliseconds.toFixed(1).padStart(10))
    console.log(`${name.padEnd(26)}${String(ofKind.count).padStart(8)}${cells.join('')}`)
  }
}

/** Tells how busy the serving thread was, and how long it was kept waiting by what else runs here. */
function tellProcessor(server: SoakedServer, minutes: number): void {
  const times = server.processorTimes()
  if (times === null) return
  const part = (milliseconds: number): string => `${(milliseconds / minutes / 600).toFixed(0)} %`
  console.log(
    `serving thread          ran ${part(times.ranMs)} of the time, waited for a processor ${part(times.waitedMs)}`,
  )
}

/** Tells how memory moved, and returns its slope in MB a minute after warm-up. */
function tellMemory(what: string, samples: readonly MemorySample[], minutes: number): number {
  const level = samples.filter((sample) => sample.minutes >= minutes * warmUpPart)
  const slope = slopeOf(level)
  const at = (sample: MemorySample | undefined): string =>
    `${sample?.megabytes.toFixed(0) ?? '?'} MB`
  const highest = samples.toSorted((one, other) => other.megabytes - one.megabytes)[0]
  console.log(
    `${what.padEnd(24)}${at(samples[0])} at the start, ${at(level[0])} after warm-up, ${at(samples.at(-1))} at the end, ${at(highest)} at most`,
  )
  console.log(`  after warm-up         ${slope.toFixed(2)} MB a minute`)
  return slope
}

/** Prints the report and reports whether all went well while the load lasted. */
function tell(soaked: Soaked, minutes: number): boolean {
  const { tally, samples, heap, roughness, imports, missing } = soaked
  tellLatencies(tally)
  const statuses = [...tally.statuses].toSorted(([one], [other]) => one - other)
  console.log(`\nby status               ${statuses.map((pair) => pair.join(': ')).join(', ')}`)
  console.log(`longest pause here      ${tally.longestTurnMs.toFixed(0)} ms`)
  console.log(`received                ${(tally.bytes / megabyte).toFixed(0)} MB`)
  console.log(`imports beside it       ${imports}`)
  console.log(`rough clients           ${roughness?.clients ?? 'stopped'}`)
  if (missing.length > 0) console.log(`left out, as not there  ${missing.join(', ')}`)
  const { surprised = 0, examples = [] } = roughness ?? {}
  tellComplaints('unexpected answers', tally.unexpected.count, tally.unexpected.examples)
  tellComplaints('calls unanswered', tally.errors.count, tally.errors.examples)
  tellComplaints('rough clients surprised', surprised, examples)
  if (heap.length > 0) tellMemory('JavaScript heap', heap, minutes)
  const slope = tellMemory('resident memory', samples, minutes)
  const isJudged = minutes >= judgedMinutesMin
  if (!isJudged) console.log('                        (too short a time to judge memory by)')
  const isMemoryLevel = !isJudged || slope <= slopeMbMax
  const wrong = tally.unexpected.count + tally.errors.count + surprised
  return wrong === 0 && isMemoryLevel
}

async function main(minutes: number): Promise<boolean> {
  // The runtime's fetch would ask a proxy of the environment even for loopback.
  process.env['NO_PROXY'] = '*'
  using directory = new BenchDirectory()
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort(interruption))
  process.once('SIGTERM', () => stop.abort(interruption))
  console.log(`soaking weir for ${minutes} minutes`)
  await importBase(directory.path)
  const server = await SoakedServer.start(directory.path)
  let isFine = false
  try {
    const before = server.openFiles()
    isFine = tell(await soak(server, directory.path, minutes, stop), minutes)
    tellProcessor(server, minutes)
    const level = await isLevel(server.url)
    console.log(`views level at the end  ${level ? 'yes' : 'NO'}`)
    console.log(`open at the start       ${before}`)
    console.log(`open at the end         ${server.openFiles()}, those of this load among them`)
    isFine &&= level
  } finally {
    const { code, said } = await server.stop()
    console.log(
      `weir ended with         ${code}${said === '' ? '' : `, having said:\n${said.slice(0, 4_000)}`}`,
    )
    isFine &&= code === 0
  }
  return isFine && stop.signal.reason !== interruption
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0 && minutes <= 24 * 60)) {
  console.error(`soak: --minutes ${values.minutes}: give a number of minutes up to a day`)
  process.exit(2)
}
process.exit((await main(minutes)) ? 0 : 1)
