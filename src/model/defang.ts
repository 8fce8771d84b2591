/**
 * Defangs addresses so that no program makes links of them: `hxxps://evil[.]example/a[.]php`. `refang` undoes
 * it.
 */

import type { IndicatorType } from './indicator.ts'

/** Returns an address with all its dots and schemes defanged, those of a nested address included. */
export function defang(address: string): string {
  return address
    .replace(/http(?=s?:\/\/)/gi, 'hxxp')
    .replace(/ftp(?=s?:\/\/)/gi, 'fxp')
    .replace(/[.。．｡]/g, '[.]')
}

/** Returns the value of an indicator for display: defanged, unless it is a digest or a phone number. */
export function shownValue(type: IndicatorType, value: string): string {
  switch (type) {
    case 'domain':
    case 'url':
      return defang(value)
    case 'ip':
      return defang(value).replaceAll(':', '[:]')
    case 'email':
      return defang(value).replaceAll('@', '[@]')
    case 'phone':
    case 'sha256':
    case 'sha1':
    case 'md5':
      return value
  }
}

/** What makes programs link a word: a scheme, a name with a top-level domain, four numbers. */
const addressLike = /:\/\/|[^.。．｡][.。．｡]\p{L}{2}|\d\.\d{1,3}\.\d{1,3}\.\d/u

/** Returns where the address in a word ends: before the punctuation of the sentence. */
function findAddressEnd(word: string): number {
  let end = word.length
  while (end > 0 && '.,;:!?)]'.includes(word.charAt(end - 1))) end--
  return end
}

/** Returns a text with every address in it defanged. */
export function defangText(text: string): string {
  return text.replace(/[^\s<>"']+/g, (word) => {
    if (!addressLike.test(word)) return word
    const end = findAddressEnd(word)
    return defang(word.slice(0, end)) + word.slice(end)
  })
}

/** Words that every feed reader links; a bare name may be that of a company. */
const linkLike = /:\/\/|^www\./i

/** Returns the host in a word, in lower case. */
const findHost = (word: string): string =>
  word
    .replace(/^[a-z]{1,10}:\/\//i, '')
    .replace(/[/?#:].*$/s, '')
    .toLowerCase()

/**
 * Returns a publisher's text with its links defanged, except those to `.gov`, where advice often sends its
 * readers, and to the publisher's own site, which is the host of `link`.
 */
export function defangNews(text: string, link: string): string {
  const own = findHost(link)
  return text.replace(/[^\s<>"']+/g, (word) => {
    const end = findAddressEnd(word)
    const address = word.slice(0, end)
    // The author has already defanged it.
    if (!linkLike.test(address) || address.includes('[.]')) return word
    const host = findHost(address)
    return host === own || host.endsWith('.gov') ? word : defang(address) + word.slice(end)
  })
}
