/**
 * Finds links that show one address and lead to another: `<a href="https://evil.example">bank.example</a>`.
 *
 * Only links that show an address are compared.
 */

import { withoutSteering } from '../../model/characters.ts'
import { registrableDomain } from '../../model/domain.ts'
import { parsePublicUrl } from '../../model/url.ts'
import type { MailLink } from './html.ts'

export interface MisleadingLink {
  /** The address that the link shows. */
  readonly shown: string
  /** The host that it leads to. */
  readonly target: string
}

/** The most links that are reported of one mail. */
export const misleadingLinksMax = 10
const shownMax = 300

const webAddress = /^(?:https?:\/\/|www\.)[^\s]/i
/**
 * A name without a scheme counts as an address when it ends in one of a few common suffixes (`Node.js` has
 * the form of a name as well) and is in lower case: `Walmart.com` is the name of a company.
 */
const bareAddress =
  /^[a-z0-9][a-z0-9.-]*\.(?:com|net|org|gov|edu|mil|info|biz)(?:\.[a-z]{2})?(?:[/?:#]|$)/

/** Returns the registered name of the address's host, or the host if it is an IP address. */
function findOwner(address: string): string | null {
  const url = parsePublicUrl(address)
  if (!url.ok) return null
  return url.value.isAddress ? url.value.host : registrableDomain(url.value.host)
}

/** Returns the address that a link shows, or null when it shows other words. */
function shownAddress(text: string): string | null {
  const shown = withoutSteering(text)
    .replace(/^[\s<>"'([]/, '')
    .replace(/[\s<>"')\].,;:!?]$/, '')
    .trim()
  if (/\s/.test(shown) || shown.length > shownMax) return null
  return webAddress.test(shown) || bareAddress.test(shown) ? shown : null
}

/** Returns the links whose shown address has a different registered name than their target. */
export function misleadingLinks(links: readonly MailLink[]): readonly MisleadingLink[] {
  const misleading = new Map<string, MisleadingLink>()
  for (const { href, text } of links) {
    const shown = shownAddress(text)
    if (shown === null || !/^(?:https?:|\/\/)/i.test(href)) continue
    const target = parsePublicUrl(href)
    if (!target.ok) continue
    const promised = findOwner(shown)
    const led = findOwner(href)
    if (promised === null || led === null || promised === led) continue
    misleading.set(`${promised} ${target.value.host}`, { shown, target: target.value.host })
    if (misleading.size === misleadingLinksMax) break
  }
  return [...misleading.values()]
}
