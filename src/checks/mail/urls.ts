/**
 * Addresses of the web in running text, as people and mail programs write them.
 *
 * Found by their start (`http://`, `hxxps[:]//`, `www.`) and ended by a blank or a bracket that
 * cannot be part of them; whether they can be read is for `parsePublicUrl`. Linear in the length.
 */

import { urlBytesMax } from '../../model/url.ts'

/** The most addresses that are taken from one mail. */
export const mailUrlsMax = 200
/** What is longer is cut, so that its host is still judged; in UTF-8 it fits whatever its letters. */
const urlLengthMax = Math.floor(urlBytesMax / 3)

const urlStart = /h(?:tt|xx)ps?(?::\/\/|\[:\]\/\/|\[:\/\/\])|www(?:\.|\[\.\])/gi
/** Ends an address in text: blanks, angle brackets, quotes, and what no address holds. */
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

/** Returns the addresses in the text in their order, repeated ones as often as they occur, at most `limit`. */
export function urlsIn(text: string, limit: number): string[] {
  const urls: string[] = []
  urlStart.lastIndex = 0
  for (let found = urlStart.exec(text); found !== null; found = urlStart.exec(text)) {
    const start = found.index
    if (/^w/i.test(found[0]) && !startsName(text, start)) continue
    urlEnd.lastIndex = urlStart.lastIndex
    const end = urlEnd.exec(text)?.index ?? text.length
    const url = cutTrailing(text.slice(start, Math.min(end, start + urlLengthMax)))
    if (url.length > found[0].length) urls.push(url)
    if (urls.length === limit) break
    urlStart.lastIndex = end
  }
  return urls
}

/** Returns the address that a link's target stands for on the web, or null for mail, telephone and the like. */
export function webTarget(target: string): string | null {
  const address = target.startsWith('//') ? `https:${target}` : target
  if (!/^(?:h(?:tt|xx)ps?[:[]|www\.)/i.test(address)) return null
  return address.slice(0, urlLengthMax)
}
