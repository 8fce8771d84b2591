/**
 * Checks the addresses in a mail as check-url does, and weighs them together. None is ever contacted.
 */

import type { Brand } from '../../model/brand.ts'
import { registrableDomain } from '../../model/domain.ts'
import type { MailReason } from '../../model/mail-risk.ts'
import type { Platforms } from '../../model/platform.ts'
import { parsePublicUrl, urlRefusalMessages } from '../../model/url.ts'
import type { Brands } from '../looks/brands.ts'
import type { UrlAnswer, UrlChecker } from '../url.ts'
import type { KnownSender } from './claimed-company.ts'
import type { MisleadingLink } from './links.ts'

/** One address of a mail with its answer, or why it cannot be read. */
export type EmailUrl =
  | { readonly value: string; readonly answer: UrlAnswer }
  | { readonly value: string; readonly error: string }

const points = {
  listed: 100,
  suspicious: 40,
  shortened: 10,
  /** Only where the claimed company is not known to be the sender. */
  elsewhere: 25,
  misleading: 35,
  /** Mailing services lead every link through their own domain, to count clicks. */
  counted: 10,
} as const

/** Returns one answer for each distinct value, in their order. */
export function checkUrls(urls: UrlChecker, values: Iterable<string>): EmailUrl[] {
  return [...new Set(values)].map((value) => {
    const answer = urls.check(value)
    return answer.ok
      ? { value, answer: answer.value }
      : { value, error: urlRefusalMessages[answer.reason] }
  })
}

/** Returns the reasons that the addresses give; each kind of sign counts once, however often it occurs. */
export function urlReasons(
  items: readonly EmailUrl[],
  platforms: Pick<Platforms, 'findPlatform'>,
): MailReason[] {
  const answers = items.flatMap((item) => ('answer' in item ? [item.answer] : []))
  const reasons: MailReason[] = []
  const found = answers.find(({ verdict }) => verdict.status === 'found')
  if (found !== undefined) {
    const message = `A link leads to ${found.domain}, which is known to be bad.`
    reasons.push({ code: 'url_listed', points: points.listed, message })
  }
  const suspicious = answers.find(({ verdict }) => verdict.status === 'suspicious')
  if (suspicious !== undefined) {
    const why = suspicious.verdict.reasons[0]?.message ?? ''
    const message = `A link leads to ${suspicious.domain}, which is suspicious. ${why}`.trimEnd()
    reasons.push({ code: 'url_suspicious', points: points.suspicious, message })
  }
  const short = answers.find(({ domain }) => platforms.findPlatform(domain)?.mode === 'redirect')
  if (short !== undefined) {
    const message = `A link goes through ${short.domain}, which hides where it leads.`
    reasons.push({ code: 'url_shortened', points: points.shortened, message })
  }
  return reasons
}

/** Returns the reason that none of the links leads to the brand that the mail claims to be from. */
export function elsewhereReason(
  items: readonly EmailUrl[],
  brand: Brand,
  brands: Brands,
): MailReason | null {
  const hosts = items.flatMap((item) => ('answer' in item ? [item.answer.domain] : []))
  if (hosts.length === 0 || hosts.some((host) => brands.findOwner(host) === brand)) return null
  const message = `It claims to be from ${brand.name}, but none of its links leads to ${brand.name}.`
  return { code: 'url_elsewhere', points: points.elsewhere, message }
}

/** Returns the registered name of a shown address, or null. */
function shownOwner({ shown }: MisleadingLink): string | null {
  const read = parsePublicUrl(shown)
  return read.ok ? registrableDomain(read.value.host) : null
}

/**
 * Returns the reason for links that show a different address than they lead to: the worst of them.
 *
 * One that leads through the sender's own domain, or to a host that links with other shown addresses lead
 * to as well, weighs little: mailing services count clicks that way. One that shows a brand's address
 * weighs in full.
 */
export function misleadingReason(
  links: readonly MisleadingLink[],
  sender: KnownSender | null,
  brands: Brands,
): MailReason | null {
  const home = sender === null ? null : registrableDomain(sender.mailbox.domain)
  const isCounted = (link: MisleadingLink): boolean => {
    const shown = shownOwner(link)
    if (shown !== null && brands.findOwner(shown) !== null) return false
    const isHome = home !== null && registrableDomain(link.target) === home
    return isHome || links.some((one) => one.target === link.target && shownOwner(one) !== shown)
  }
  const link = links.find((one) => !isCounted(one)) ?? links[0]
  if (link === undefined) return null
  const message = `A link shows ${link.shown} but leads to ${link.target}.`
  if (isCounted(link)) return { code: 'link_counted', points: points.counted, message }
  return { code: 'misleading_link', points: points.misleading, message }
}
