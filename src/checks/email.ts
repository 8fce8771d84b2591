/**
 * Answers "is this mail phishing?" (specification §4, POST /api/check-email) from signs that can be
 * explained to the caller:
 *
 *     sender ──▶ listed? imitates another? free, disposable? ──▶ mail servers? (DNS) ──┐
 *     company ─▶ whose is the sender's domain? ────────────────────────────────────────┤
 *     text ────▶ words, links ──▶ urgency, payment, personal data; misleading links ───┼─▶ sum ─▶ level
 *     urls ────▶ each as check-url answers ────────────────────────────────────────────┘
 *
 * Each reason has points; their sum, at most 100, is the score. Words alone never reach `high`. Nothing
 * that is checked is stored or contacted.
 */

import type { Brand } from '../model/brand.ts'
import { type MailReason, type RiskLevel, riskScoreMax, toRiskLevel } from '../model/mail-risk.ts'
import { parseMailboxes } from '../model/mailbox.ts'
import { adviceFor, nothingAdvice } from './mail/advice.ts'
import {
  checkUrls,
  type EmailUrl,
  elsewhereReason,
  misleadingReason,
  urlReasons,
} from './mail/checked-urls.ts'
import {
  type CompanyAnswer,
  type CompanyFinding,
  createCompanyJudge,
} from './mail/claimed-company.ts'
import { createCompanyNames } from './mail/company-names.ts'
import { type MisleadingLink, misleadingLinks } from './mail/links.ts'
import type { LookalikeLetters } from './mail/plain.ts'
import { bodyPoints } from './mail/points.ts'
import type { RedFlag } from './mail/red-flags.ts'
import {
  type MailServers,
  type SenderAnswer,
  SenderCheck,
  type SenderFinding,
  type SenderParts,
} from './mail/sender.ts'
import { mailUrlsMax } from './mail/urls.ts'

/** What is known of a mail; null and empty for what is not. */
export interface EmailRequest {
  /** As a header has it; of several addresses the worst is reported. */
  readonly from: string | null
  /** Where a reply would go, when the mail says so. */
  readonly replyTo: string | null
  readonly claimedCompany: string | null
  readonly urls: readonly string[]
  readonly body: string | null
  /** More texts of the mail: its other forms, forwarded mails, attached files. */
  readonly otherBodies?: readonly string[]
  /** The mail holds more than was read of it. */
  readonly isCut?: boolean
}

export interface EmailAnswer {
  readonly riskLevel: RiskLevel
  readonly riskScore: number
  readonly sender: SenderAnswer | null
  readonly company: CompanyAnswer | null
  /** The addresses that were sent, in their order, then those of the body; each once. */
  readonly urls: readonly EmailUrl[]
  readonly flags: readonly RedFlag[]
  readonly reasons: readonly MailReason[]
  readonly advice: readonly string[]
}

/** Judges mails. */
export interface EmailChecker {
  check(request: EmailRequest): Promise<EmailAnswer>
}

export interface EmailParts extends SenderParts {
  /** The Latin letter for each look-alike letter. */
  readonly letters: LookalikeLetters
}

/** The most that the text alone can score: the top of `medium`, and with one kind of sign the top of `low`. */
const textScoreMax = 69
const oneKindScoreMax = 39
const replyToFreePoints = 20

/** Builds the checker. */
export function createEmailChecker(parts: EmailParts): EmailChecker {
  const senders = new SenderCheck(parts)
  const companies = createCompanyJudge(
    parts.brands,
    createCompanyNames(parts.brands, parts.letters),
  )
  return {
    async check(request) {
      const given = trimmed(request)
      if (isNothing(given)) return nothingToCheck
      const sender = given.from === null ? null : senders.judge(given.from)
      const text = await readText(given, parts)
      const { known, company } = findWorst(sender?.ok === true ? sender.value : [null], (one) =>
        companies.judge(given.claimedCompany, one, text.pressing),
      )
      const asked = known === null ? null : await senders.mailServers(known)
      const [mx, mxReason] = asked ?? [null, null]
      const signs = [
        ...(sender?.ok === false ? [unreadableSender(sender.reason)] : []),
        ...(known?.reasons ?? []),
        ...(mxReason === null ? [] : [mxReason]),
        ...(known === null ? [] : replySigns(known, given.replyTo, parts)),
        ...company.reasons,
        ...linkSigns(text, company.doubted, known, parts),
      ]
      const score = toScore(signs, text)
      const level = toRiskLevel(score)
      const reasons = [...signs, ...text.reasons]
      const wasRead = isRead(given, known, text)
      const advised = adviceFor({
        level,
        brand: company.brand,
        hasLinks: text.urls.length > 0,
        categories: new Set(
          text.flags.filter(({ isWeak }) => !isWeak).map(({ category }) => category),
        ),
      })
      return {
        riskLevel: level,
        riskScore: score,
        sender: senderAnswer(known, sender, mx),
        company: company.answer,
        urls: text.urls,
        flags: text.flags,
        reasons: concluded(reasons, wasRead),
        advice: wasRead ? advised : nothingAdvice,
      }
    },
  }
}

/** A sender with the finding on the company that the mail claims to be from. */
interface JudgedSender {
  readonly known: SenderFinding | null
  readonly company: CompanyFinding
}

/** Returns the worst of the addresses that the sender may have, the first of equals. */
function findWorst(
  senders: readonly (SenderFinding | null)[],
  judge: (sender: SenderFinding | null) => CompanyFinding,
): JudgedSender {
  const judged = senders.map((known) => {
    const company = judge(known)
    return { known, company, weight: sumPoints([...(known?.reasons ?? []), ...company.reasons]) }
  })
  const [first = { known: null, company: judge(null), weight: 0 }, ...others] = judged
  return others.reduce((worst, one) => (one.weight > worst.weight ? one : worst), first)
}

/** Reports whether anything in the request could be checked. */
function isRead(
  { from, claimedCompany, body }: EmailRequest,
  known: SenderFinding | null,
  { urls }: TextFinding,
): boolean {
  const hasCompany = claimedCompany !== null && from === null && urls.length === 0
  return known !== null || body !== null || hasCompany || urls.some((url) => 'answer' in url)
}

/** Adds to the reasons that nothing counts against the mail, or that nothing could be read. */
function concluded(reasons: readonly MailReason[], wasRead: boolean): readonly MailReason[] {
  if (reasons.some(({ points }) => points > 0)) return reasons
  if (wasRead) return [...reasons, nothingFound]
  return reasons.length > 0 ? reasons : [nothingReadable]
}

const textOrNull = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : text

function trimmed(request: EmailRequest): EmailRequest {
  const { from, replyTo, claimedCompany, urls, body } = request
  return {
    ...request,
    from: textOrNull(from),
    replyTo: textOrNull(replyTo),
    claimedCompany: textOrNull(claimedCompany)?.trim() ?? null,
    urls,
    body: textOrNull(body),
  }
}

const isNothing = ({ from, claimedCompany, urls, body }: EmailRequest): boolean =>
  from === null && claimedCompany === null && urls.length === 0 && body === null

const nothingToCheck: EmailAnswer = {
  riskLevel: 'low',
  riskScore: 0,
  sender: null,
  company: null,
  urls: [],
  flags: [],
  reasons: [
    {
      code: 'nothing_to_check',
      points: 0,
      message: 'The request held nothing to check, so nothing was checked.',
    },
  ],
  advice: nothingAdvice,
}

const nothingFound: MailReason = {
  code: 'nothing_found',
  points: 0,
  message: 'Nothing that was checked counts against the mail.',
}

const nothingReadable: MailReason = {
  code: 'nothing_to_check',
  points: 0,
  message: 'Nothing in the request can be read, so nothing was checked.',
}

const restLeftOut: MailReason = {
  code: 'urls_left_out',
  points: 0,
  message: 'The mail is longer than weir reads; links in the rest of it were not checked.',
}

const urlsLeftOut: MailReason = {
  code: 'urls_left_out',
  points: 0,
  message: `The mail holds more than ${mailUrlsMax} links; only the first ${mailUrlsMax} were checked.`,
}

const unreadableSender = (error: string): MailReason => ({
  code: 'sender_unreadable',
  points: 0,
  message: `The sender cannot be read. ${error}`,
})

/** Returns the reason for replies that go to free mail, when the mail itself does not come from there. */
function replySigns(
  { mailbox, isFree }: SenderFinding,
  replyTo: string | null,
  parts: EmailParts,
): MailReason[] {
  const replies = replyTo === null ? null : parseMailboxes(replyTo)
  if (replies?.ok !== true || isFree) return []
  const free = replies.value.find((reply) => parts.mailDomains.isFree(reply.domain))
  if (free === undefined) return []
  const { domain } = free
  const message = `A reply would not go to ${mailbox.domain}, but to an address at ${domain}.`
  return [{ code: 'reply_to_free_mail', points: replyToFreePoints, message }]
}

/** What was found in the mail's words and addresses. */
interface TextFinding {
  /** The text in its searched spelling, when it holds red flags. */
  readonly pressing: string | null
  readonly urls: readonly EmailUrl[]
  readonly misleading: readonly MisleadingLink[]
  readonly flags: readonly RedFlag[]
  readonly hasMoreUrls: boolean
  readonly isCut: boolean
  readonly reasons: readonly MailReason[]
}

/** Loads the readers of text with the first mail that has one: a start does not need them. */
const loadTextReaders = async () => {
  const [{ readMailText }, { findRedFlags }] = await Promise.all([
    import('./mail/text.ts'),
    import('./mail/red-flags.ts'),
  ])
  return { readMailText, findRedFlags }
}

async function readText(request: EmailRequest, parts: EmailParts): Promise<TextFinding> {
  const { urls, body, otherBodies = [], isCut = false } = request
  if (body === null) {
    const checked = checkUrls(parts.urls, urls)
    const noText = { misleading: [], flags: [], hasMoreUrls: false, reasons: [] }
    return { ...noText, pressing: null, urls: checked, isCut }
  }
  const { readMailText, findRedFlags } = await loadTextReaders()
  const texts = [body, ...otherBodies].map((text) => readMailText(text, parts.letters))
  // Each phrase counts once, so that the text of a mail adds nothing to its HTML.
  const words = texts.map(({ text }) => text).join('\n.\n')
  const flags = findRedFlags(words)
  const found = new Set(texts.flatMap((text) => text.urls))
  return {
    pressing: new Set(flags.map(({ category }) => category)).size < 2 ? null : words,
    urls: checkUrls(parts.urls, [...urls, ...[...found].slice(0, mailUrlsMax)]),
    misleading: misleadingLinks(texts.flatMap(({ links }) => links)),
    flags,
    hasMoreUrls: found.size > mailUrlsMax || texts.some((text) => text.hasMoreUrls),
    isCut,
    reasons: bodyPoints(flags),
  }
}

function linkSigns(
  text: TextFinding,
  doubted: Brand | null,
  sender: SenderFinding | null,
  parts: EmailParts,
): MailReason[] {
  const signs = urlReasons(text.urls, parts.platforms)
  if (text.hasMoreUrls) signs.push(urlsLeftOut)
  if (text.isCut) signs.push(restLeftOut)
  const misleading = misleadingReason(text.misleading, sender, parts.brands)
  if (misleading !== null) signs.push(misleading)
  const elsewhere = doubted === null ? null : elsewhereReason(text.urls, doubted, parts.brands)
  return elsewhere === null ? signs : [...signs, elsewhere]
}

const sumPoints = (reasons: readonly Pick<MailReason, 'points'>[]): number =>
  reasons.reduce((total, { points }) => total + points, 0)

/** Returns the sum of the points; words alone prove little, and one kind of them nothing. */
function toScore(signs: readonly MailReason[], { reasons, flags }: TextFinding): number {
  const own = sumPoints(signs)
  const kinds = new Set(flags.map(({ category }) => category)).size
  const textMax = own > 0 ? riskScoreMax : kinds > 1 ? textScoreMax : oneKindScoreMax
  return Math.min(riskScoreMax, own + Math.min(sumPoints(reasons), textMax))
}

function senderAnswer(
  known: SenderFinding | null,
  sender: ReturnType<SenderCheck['judge']> | null,
  mx: MailServers | null,
): SenderAnswer | null {
  if (sender?.ok === false) return { status: 'invalid', error: sender.reason }
  if (known === null) return null
  const { mailbox, status } = known
  return {
    address: mailbox.address,
    domain: mailbox.domain,
    status,
    mx: mx ?? { status: 'not_checked', records: [] },
  }
}
