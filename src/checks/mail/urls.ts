/**
 * Finds web addresses in running text, as people and mail programs write them.
 *
 * An address begins with `http://`, `hxxps[:]//` or `www.`, or is a name with a known suffix, which mail
 * programs turn into a link; it ends at a space or at a bracket that cannot be part of it. `parsePublicUrl`
 * decides whether it is valid. Linear in the length.
 */

import { hasKnownSuffix, parseDomainName } from '../../model/domain.ts'
import { urlBytesMax } from '../../model/url.ts'

/** The most addresses that are taken from one mail. */
export const mailUrlsMax = 200
/** Longer addresses are cut, so that the host is still checked; in UTF-8 any of this length fits. */
const urlLengthMax = Math.floor(urlBytesMax / 3)

const urlStart = /h(?:tt|xx)ps?(?::\/\/|\[:\]\/\/|\[:\/\/\])|www(?:\.|\[\.\])/gi
/** Ends an address in text: spaces, angle brackets, quotes, and what no address holds. */
const urlEnd = /[\s<>"“”«»`|\\^{}]/g

const openings: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
])
/** Punctuation of the sentence around an address. */
const trailing = new Set(".,;:!?'’‘*_~…")

function count(text: string, character: string): number {
  return text.split(character).length - 1
}

/** Cuts off punctuation at the end, and closing brackets that were opened before the address. */
function cutTrailing(url: string): string {
  const surplus = new Map(
    [...openings].map(([closing, opening]) => [closing, count(url, closing) - count(url, opening)]),
  )
  let end = url.length
  for (; end > 0; end--) {
    const last = url.charAt(end - 1)
    const open = surplus.get(last)
    if (open === undefined ? !trailing.has(last) : open <= 0) break
    if (open !== undefined) surplus.set(last, open - 1)
  }
  return url.slice(0, end)
}

/** Reports whether a name may start at `at`: not in the middle of a word or of an e-mail address. */
function startsName(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}@.\-_]/u.test(text.charAt(at - 1))
}

interface Found {
  readonly url: string
  /** Its place in the text, punctuation after it included. */
  readonly start: number
  readonly end: number
}

function findUrls(text: string, limit: number): Found[] {
  const urls: Found[] = []
  urlStart.lastIndex = 0
  for (let found = urlStart.exec(text); found !== null; found = urlStart.exec(text)) {
    const start = found.index
    if (/^w/i.test(found[0]) && !startsName(text, start)) continue
    urlEnd.lastIndex = urlStart.lastIndex
    const end = urlEnd.exec(text)?.index ?? text.length
    const url = cutTrailing(text.slice(start, Math.min(end, start + urlLengthMax)))
    if (url.length > found[0].length) urls.push({ url, start, end })
    if (urls.length === limit) break
    urlStart.lastIndex = end
  }
  return urls
}

/** What a name may be made of, and a path before or after it. */
const nameLike = /[\p{L}\p{M}\p{N}._-]+/gu
const nameLengthMax = 253

/** Returns the name that a word is, without the dots and hyphens around it, or null. */
function nameIn(word: string): string | null {
  if (word.length > nameLengthMax || !word.includes('.')) return null
  let start = 0
  let end = word.length
  while (start < end && /[.\-_]/.test(word.charAt(start))) start++
  while (end > start && /[.\-_]/.test(word.charAt(end - 1))) end--
  const name = word.slice(start, end)
  if (name.includes('..')) return null
  if (!/\.[\p{L}\p{M}\d-]{2,63}$/u.test(name) || !/\p{L}/u.test(name.slice(-2))) return null
  const read = parseDomainName(name)
  return read.ok && hasKnownSuffix(read.value) ? name : null
}

/** Returns the names outside the addresses found, with their paths, at most `limit`. */
function findNames(text: string, taken: readonly Found[], limit: number): string[] {
  const names: string[] = []
  let next = 0
  nameLike.lastIndex = 0
  for (let found = nameLike.exec(text); found !== null; found = nameLike.exec(text)) {
    const start = found.index
    while ((taken[next]?.end ?? text.length) <= start) next++
    const url = taken[next]
    if (url !== undefined && url.start <= start) {
      nameLike.lastIndex = Math.max(url.end, nameLike.lastIndex)
      continue
    }
    const end = nameLike.lastIndex
    const before = text.charAt(start - 1)
    if (/[@/\\]/.test(before) || text.charAt(end) === '@') continue
    const name = nameIn(found[0])
    if (name === null) continue
    if (!/[/?#:]/.test(text.charAt(end)) || !found[0].endsWith(name)) {
      names.push(name)
    } else {
      urlEnd.lastIndex = end
      const last = urlEnd.exec(text)?.index ?? text.length
      names.push(cutTrailing(text.slice(end - name.length, Math.min(last, end + urlLengthMax))))
      nameLike.lastIndex = last
    }
    if (names.length === limit) break
  }
  return names
}

export interface WebAddresses {
  /** Those with a scheme or `www.`. */
  readonly urls: readonly string[]
  /** Names without either, with their paths; not the domains of e-mail addresses. */
  readonly names: readonly string[]
}

/**
 * Returns the web addresses in the text in their order, repeated ones as often as they occur, at most
 * `limit` of each kind.
 */
export function addressesIn(text: string, limit: number): WebAddresses {
  const found = findUrls(text, limit)
  return { urls: found.map(({ url }) => url), names: findNames(text, found, limit) }
}

/** Returns the web address that a link leads to, or null for mail, telephone and the like. */
export function webTarget(target: string): string | null {
  const address = /^[/\\]{2}/.test(target) ? `https:${target}` : target
  if (!/^(?:h(?:tt|xx)ps?[:[]|ftp:|www\.)/i.test(address)) return null
  return address.slice(0, urlLengthMax)
}
