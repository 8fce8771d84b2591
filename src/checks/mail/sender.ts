/**
 * Checks the sender of a mail: whether the address or its domain is listed, whether the domain imitates
 * another, what kind of domain it is, and whether a reply could reach it.
 *
 * The domain is checked as check-url does. No mail is sent; the only query that leaves the machine asks for
 * the domain's mail servers. DNS failures add no points.
 */

import type { Indicator } from '../../model/indicator.ts'
import type { MailReason } from '../../model/mail-risk.ts'
import { type Mailbox, mailboxRefusalMessages, parseMailboxes } from '../../model/mailbox.ts'
import type { Platforms } from '../../model/platform.ts'
import type { Result } from '../../model/result.ts'
import type { Verdict, VerdictStatus } from '../../model/verdict.ts'
import type { MailRoutes } from '../../net/mail-routes.ts'
import type { MailRoute, MailServer, MailStatus } from '../../net/resolver.ts'
import type { Brands } from '../looks/brands.ts'
import type { UrlChecker } from '../url.ts'
import type { KnownSender } from './claimed-company.ts'
import type { MailDomains } from './domains.ts'

/** The part of the index that answers for e-mail addresses. */
export interface EmailListings {
  /** Returns the active listing of an address in lower case, or null. */
  email(value: string): Indicator | null
}

export interface MailServers {
  readonly status: MailStatus | 'not_checked'
  readonly records: readonly MailServer[]
}

/** The sender in the answer; without an address when it cannot be read. */
export type SenderAnswer =
  | {
      readonly address: string
      readonly domain: string
      readonly status: VerdictStatus
      readonly mx: MailServers
    }
  | { readonly status: 'invalid'; readonly error: string }

export interface SenderParts {
  readonly urls: UrlChecker
  readonly listings: EmailListings
  readonly platforms: Pick<Platforms, 'findPlatform'>
  readonly mailDomains: MailDomains
  readonly mailRoutes: MailRoutes
  readonly brands: Brands
  readonly foundAt: number
}

/** What local data say about a sender, before the mail servers are looked up. */
export interface SenderFinding extends KnownSender {
  readonly status: VerdictStatus
  readonly reasons: readonly MailReason[]
  /** The domain is one of weir's own, for testing a client. */
  readonly isSelfTest: boolean
}

const points = {
  listed: 100,
  belowListed: 90,
  weaklyListed: 40,
  otherPages: 20,
  disposable: 25,
  tenant: 15,
  noMail: 30,
} as const

const noServers: MailServers = { status: 'not_checked', records: [] }
const unknownServers: MailRoute = { status: 'unknown', records: [] }

/** Checks senders. */
export class SenderCheck {
  readonly #parts: SenderParts

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /**
   * Returns the findings of local data for each address that the sender may have, the likeliest first; or
   * a sentence that says why none can be read.
   */
  judge(text: string): Result<readonly SenderFinding[], string> {
    const mailboxes = parseMailboxes(text)
    if (!mailboxes.ok) return { ok: false, reason: mailboxRefusalMessages[mailboxes.reason] }
    const found = mailboxes.value.flatMap((mailbox) => this.#judgeOne(mailbox) ?? [])
    if (found.length > 0) return { ok: true, value: found }
    return { ok: false, reason: mailboxRefusalMessages.invalid_domain }
  }

  #judgeOne(mailbox: Mailbox): SenderFinding | null {
    const { domain, address } = mailbox
    const checked = this.#parts.urls.check(domain)
    if (!checked.ok) return null
    const { verdict } = checked.value
    const listing = this.#parts.listings.email(address)
    const known = {
      mailbox,
      isFree: this.#parts.mailDomains.isFree(domain),
      isDisposable: this.#parts.mailDomains.isDisposable(domain),
      isTenant: this.#isTenant(domain),
    }
    const reasons = [
      ...this.#listedReasons(listing),
      ...domainReasons(verdict, domain),
      ...kindReasons(known),
    ]
    const isFound = listing !== null && listing.confidence >= this.#parts.foundAt
    const status = isFound
      ? 'found'
      : listing === null
        ? verdict.status
        : atLeastSuspicious(verdict)
    const isSelfTest = verdict.reasons.some(({ code }) => code === 'self_test')
    return { ...known, status, reasons, isSelfTest }
  }

  /** Looks up how the domain receives mail; returns the answer, and a reason if it counts against the mail. */
  async mailServers(sender: SenderFinding): Promise<readonly [MailServers, MailReason | null]> {
    if (sender.isSelfTest) return [noServers, null]
    const { domain } = sender.mailbox
    const route = await this.#parts.mailRoutes.mail(domain)
    // A resolver that denies names that surely exist is broken, or falsifies answers.
    const isDenied = route.status === 'no_domain' || route.status === 'none'
    const answer = isDenied && this.#surelyExists(sender) ? unknownServers : route
    return [answer, mailReason(answer.status, domain)]
  }

  #surelyExists({ mailbox, isFree }: SenderFinding): boolean {
    const { domain } = mailbox
    return isFree || this.#parts.brands.findOwner(domain)?.domains.includes(domain) === true
  }

  #isTenant(domain: string): boolean {
    const platform = this.#parts.platforms.findPlatform(domain)
    return platform?.mode === 'tenant' && platform.apex !== domain
  }

  #listedReasons(listing: Indicator | null): MailReason[] {
    if (listing === null) return []
    const isFound = listing.confidence >= this.#parts.foundAt
    const by = listing.isPublished ? listing.sources.join(', ') : 'a source that is not published'
    return [
      {
        code: 'sender_listed',
        points: isFound ? points.listed : points.weaklyListed,
        message: `The sender's address is listed as ${listing.threatType} by ${by}.`,
      },
    ]
  }
}

/** Returns the reasons for the kind of domain: free mail, disposable addresses, or a tenant's. */
function kindReasons({ mailbox, isFree, isDisposable, isTenant }: KnownSender): MailReason[] {
  const { domain } = mailbox
  const reasons: MailReason[] = []
  if (isFree) {
    const message = `${domain} gives addresses to anyone; that alone means nothing.`
    reasons.push({ code: 'free_mail', points: 0, message })
  }
  if (isDisposable) {
    const message = `${domain} gives out addresses that are discarded after use.`
    reasons.push({ code: 'disposable_mail', points: points.disposable, message })
  } else if (isTenant) {
    const message = `${domain} is one customer's part of a hosting platform, not a company's own.`
    reasons.push({ code: 'sender_on_platform', points: points.tenant, message })
  }
  return reasons
}

const atLeastSuspicious = ({ status }: Verdict): VerdictStatus =>
  status === 'found' ? 'found' : 'suspicious'

/** Returns the reason for the verdict on the sender's domain: the strongest of its grounds. */
function domainReasons(verdict: Verdict, domain: string): MailReason[] {
  const has = (code: Verdict['reasons'][number]['code']): boolean =>
    verdict.reasons.some((reason) => reason.code === code)
  const grounds = verdict.reasons.map(({ message }) => message).join(' ')
  if (verdict.status === 'found') {
    const isBelow = has('listed_parent')
    const code = isBelow ? 'sender_below_listed' : 'sender_domain_listed'
    const message = `The sender's domain ${domain} is known to be bad. ${grounds}`
    return [{ code, points: isBelow ? points.belowListed : points.listed, message }]
  }
  if (verdict.status !== 'suspicious') return []
  if (verdict.score > 0) {
    const message = `The sender's domain ${domain} looks like an imitation. ${grounds}`
    return [{ code: 'sender_lookalike', points: verdict.score, message }]
  }
  const weight = has('other_pages_listed') ? points.otherPages : points.weaklyListed
  const message = `The sender's domain ${domain} is suspicious. ${grounds}`
  return [{ code: 'sender_domain_suspicious', points: weight, message }]
}

function mailReason(status: MailStatus, domain: string): MailReason | null {
  switch (status) {
    case 'ok':
      return null
    case 'implicit':
      return {
        code: 'mx_implicit',
        points: 0,
        message: `${domain} names no mail server; mail for it goes to its web address.`,
      }
    case 'null':
      return {
        code: 'mx_null',
        points: points.noMail,
        message: `${domain} declares that it receives no mail, so no one can reply to this one.`,
      }
    case 'none':
      return {
        code: 'mx_none',
        points: points.noMail,
        message: `${domain} has neither a mail server nor an address, so no one can reply to this mail.`,
      }
    case 'no_domain':
      return {
        code: 'mx_no_domain',
        points: points.noMail,
        message: `The domain ${domain} does not exist, so the sender's address is made up.`,
      }
    case 'unknown':
      return {
        code: 'mx_unknown',
        points: 0,
        message: `The name servers did not answer about ${domain}; that does not count against the mail.`,
      }
  }
}
