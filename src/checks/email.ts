/**
 * Answers "is this mail phishing?" (specification §4, POST /api/check-email) from signs that can be
 * told to the person who asks:
 *
 *     sender ──▶ listed? imitates another? free, thrown away? ──▶ mail servers? (DNS) ──┐
 *     company ─▶ whose is the sender's domain? ────────────────────────────────────────┤
 *     text ────▶ words, links ──▶ urgency, payment, personal data; misleading links ───┼─▶ sum ─▶ level
 *     urls ────▶ each as check-url answers ────────────────────────────────────────────┘
 *
 * Points are those of the reasons; their sum, at most 100, is the score. Words alone never reach
 * `high`. Nothing that is checked is kept or contacted.
 */

import type { Brand } from '../model/brand.ts'
import { type MailReason, type RiskLevel, riskLevelOf, riskScoreMax } from '../model/mail-risk.ts'
import { parseMailbox } from '../model/mailbox.ts'
import { adviceFor, nothingAdvice } from './mail/advice.ts'
import {
  checkUrls,
  type EmailUrl,
  elsewhereReason,
  misleadingReason,
  urlReasons,
} from './mail/checked-urls.ts'
import { type CompanyAnswer, createCompanyJudge } from './mail/claimed-company.ts'
import { createCompanyNames } from './mail/company-names.ts'
import { type MisleadingLink, misleadingLinks } from './mail/links.ts'
import type { LookalikeLetters } from './mail/plain.ts'
import { bodyPoints } from './mail/points.ts'
import { findRedFlags, type RedFlag } from './mail/red-flags.ts'
import {
  type MailServers,
  type SenderAnswer,
  SenderCheck,
  type SenderFinding,
  type SenderParts,
} from './mail/sender.ts'
import { readMailText } from './mail/text.ts'
import { mailUrlsMax } from './mail/urls.ts'

/** What is known of a mail; null and empty for what is not. */
export interface EmailRequest {
  readonly from: string | null
  /** Whom an answer would go to, when the mail says so. */
  readonly replyTo: string | null
  readonly claimedCompany: string | null
  readonly urls: readonly string[]
  readonly body: string | null
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
  /** For each look-alike letter the Latin one it is taken for. */
  readonly letters: LookalikeLetters
}

/** What the text alone may reach: the last score of `medium`, and with one kind of sign of `low`. */
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
      const known = sender?.ok === true ? sender.value : null
      const asked = known === null ? null : senders.mailServers(known)
      const text = readText(given, parts)
      const company = companies.judge(given.claimedCompany, known, text.pressing)
      const [mx, mxReason] = (await asked) ?? [null, null]
      const unreadable = sender?.ok === false ? [unreadableSender(sender.reason)] : []
      const signs = [
        ...unreadable,
        ...(known?.reasons ?? []),
        ...(mxReason === null ? [] : [mxReason]),
        ...(known === null ? [] : replySigns(known, given.replyTo, parts)),
        ...company.reasons,
        ...linkSigns(text, company.doubted, known, parts),
      ]
      const score = scoreOf(signs, text)
      const level = riskLevelOf(score)
      const reasons = [...signs, ...text.reasons]
      return {
        riskLevel: level,
        riskScore: score,
        sender: senderAnswer(sender, mx),
        company: company.answer,
        urls: text.urls,
        flags: text.flags,
        reasons: reasons.some(({ points }) => points > 0) ? reasons : [...reasons, nothingFound],
        advice: adviceFor({
          level,
          brand: company.brand,
          hasLinks: text.urls.length > 0,
          categories: new Set(
            text.flags.filter(({ isWeak }) => !isWeak).map(({ category }) => category),
          ),
        }),
      }
    },
  }
}

const textOrNull = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : text

function trimmed({ from, replyTo, claimedCompany, urls, body }: EmailRequest): EmailRequest {
  return {
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
  message: 'Nothing that was checked speaks against the mail.',
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

/** Answers that go to free mail, while the mail itself does not come from there. */
function replySigns(
  { mailbox, isFree }: SenderFinding,
  replyTo: string | null,
  parts: EmailParts,
): MailReason[] {
  const reply = replyTo === null ? null : parseMailbox(replyTo)
  if (reply?.ok !== true || isFree || !parts.mailDomains.isFree(reply.value.domain)) return []
  const { domain } = reply.value
  const message = `An answer would not go to ${mailbox.domain}, but to an address at ${domain}.`
  return [{ code: 'reply_to_free_mail', points: replyToFreePoints, message }]
}

/** What the mail's words and addresses say. */
interface TextFinding {
  /** The text as phrases are searched in it, when it holds some. */
  readonly pressing: string | null
  readonly urls: readonly EmailUrl[]
  readonly misleading: readonly MisleadingLink[]
  readonly flags: readonly RedFlag[]
  readonly hasMoreUrls: boolean
  readonly reasons: readonly MailReason[]
}

function readText({ urls, body }: EmailRequest, parts: EmailParts): TextFinding {
  if (body === null) {
    const checked = checkUrls(parts.urls, urls)
    const noText = { misleading: [], flags: [], hasMoreUrls: false, reasons: [] }
    return { ...noText, pressing: null, urls: checked }
  }
  const mail = readMailText(body, parts.letters)
  const flags = findRedFlags(mail.text)
  return {
    pressing: new Set(flags.map(({ category }) => category)).size < 2 ? null : mail.text,
    urls: checkUrls(parts.urls, [...urls, ...mail.urls]),
    misleading: misleadingLinks(mail.links),
    flags,
    hasMoreUrls: mail.hasMoreUrls,
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
  const misleading = misleadingReason(text.misleading, sender, parts.brands)
  if (misleading !== null) signs.push(misleading)
  const elsewhere = doubted === null ? null : elsewhereReason(text.urls, doubted, parts.brands)
  return elsewhere === null ? signs : [...signs, elsewhere]
}

/** Adds the points up; words alone prove little, and one kind of them nothing. */
function scoreOf(signs: readonly MailReason[], { reasons, flags }: TextFinding): number {
  const sum = (of: readonly MailReason[]): number =>
    of.reduce((total, { points }) => total + points, 0)
  const own = sum(signs)
  const kinds = new Set(flags.map(({ category }) => category)).size
  const textMax = own > 0 ? riskScoreMax : kinds > 1 ? textScoreMax : oneKindScoreMax
  return Math.min(riskScoreMax, own + Math.min(sum(reasons), textMax))
}

function senderAnswer(
  sender: ReturnType<SenderCheck['judge']> | null,
  mx: MailServers | null,
): SenderAnswer | null {
  if (sender === null) return null
  if (!sender.ok) return { status: 'invalid', error: sender.reason }
  const { mailbox, status }: SenderFinding = sender.value
  return {
    address: mailbox.address,
    domain: mailbox.domain,
    status,
    mx: mx ?? { status: 'not_checked', records: [] },
  }
}
