/**
 * Writes addresses so that no program makes a link of them, as the field does: `hxxps://evil[.]example/a[.]php`.
 * `refang` undoes it.
 */

import type { IndicatorType } from './indicator.ts'

/** Returns an address with its dots and schemes out of order; one it carries inside as well. */
export function defang(address: string): string {
  return address
    .replace(/http(?=s?:\/\/)/gi, 'hxxp')
    .replace(/ftp(?=s?:\/\/)/gi, 'fxp')
    .replace(/[.。．｡]/g, '[.]')
}

/** Returns the value of an indicator as it may be shown: digests and numbers lead nowhere. */
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

/** What makes a word an address for programs that link them: a scheme, a name with an ending, four numbers. */
const addressLike = /:\/\/|[^.。．｡][.。．｡]\p{L}{2}|\d\.\d{1,3}\.\d{1,3}\.\d/u

/** Returns where an address ends in a word: before what ends the sentence. */
function findAddressEnd(word: string): number {
  let end = word.length
  while (end > 0 && '.,;:!?)]'.includes(word.charAt(end - 1))) end--
  return end
}

/** Returns running text with every address in it defanged. */
export function defangText(text: string): string {
  return text.replace(/[^\s<>"']+/g, (word) => {
    if (!addressLike.test(word)) return word
    const end = findAddressEnd(word)
    return defang(word.slice(0, end)) + word.slice(end)
  })
}

/** What a reader's program makes a link of in any case; a bare name may be that of a company. */
const linkLike = /:\/\/|^www\./i

/** Returns the host that a word names, in lower case. */
const findHost = (word: string): string =>
  word
    .replace(/^[a-z]{1,10}:\/\//i, '')
    .replace(/[/?#:].*$/s, '')
    .toLowerCase()

/**
 * Returns what a publisher wrote with every link defanged that leads neither to a government of the United
 * States, where advice often sends its readers, nor to the publisher's own site, which `link` lies on.
 */
export function defangNews(text: string, link: string): string {
  const own = findHost(link)
  return text.replace(/[^\s<>"']+/g, (word) => {
    const end = findAddressEnd(word)
    const address = word.slice(0, end)
    // What its author has defanged is not to be defanged again.
    if (!linkLike.test(address) || address.includes('[.]')) return word
    const host = findHost(address)
    return host === own || host.endsWith('.gov') ? word : defang(address) + word.slice(end)
  })
}
