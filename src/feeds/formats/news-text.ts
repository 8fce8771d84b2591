/**
 * What a person reads of the HTML in a news feed, as plain text.
 *
 * Its invariant: what comes out holds no tag, no control character and nothing that turns the direction
 * of writing; it is text all the same, and whoever shows it escapes it. Linear in the length.
 */

import { decodeHTMLStrict } from 'entities'

/** Elements whose content nobody is shown. */
const hidden: ReadonlySet<string> = new Set([
  'script',
  'style',
  'iframe',
  'noscript',
  'template',
  'svg',
  'math',
  'textarea',
  'select',
  'object',
])

/** Elements within a line; any other parts the words around it. */
const inline: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)

const tagName = /<\/?([a-z][a-z0-9:-]{0,40})/iy

/** Returns where the tag that begins at `open` ends, or -1 when nothing ends it before the next. */
function endOfTag(html: string, open: number): number {
  const next = html.indexOf('<', open + 1)
  const limit = next === -1 ? html.length : next
  let quote = ''
  for (let at = open + 1; at < limit; at++) {
    const character = html.charAt(at)
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '"' || character === "'") {
      quote = character
    } else if (character === '>') {
      return at + 1
    }
  }
  // A quote that nothing ends is no quote.
  const closing = quote === '' ? -1 : html.slice(open, limit).indexOf('>')
  return closing === -1 ? -1 : open + closing + 1
}

/** Returns the text without its tags, comments, and what scripts and the like hold. */
function withoutTags(html: string): string {
  let open = html.indexOf('<')
  if (open === -1) return html
  const lower = html.toLowerCase()
  // Some letters are two when they are small; places must be the same in both.
  const isAligned = lower.length === html.length
  // What nothing ends hides nothing, and is not looked for again.
  const unended = new Set<string>()
  const pieces: string[] = []
  let at = 0
  for (; open !== -1; open = html.indexOf('<', at)) {
    pieces.push(html.slice(at, open))
    at = open + 1
    if (html.startsWith('<!--', open)) {
      const closing = html.indexOf('-->', open + 4)
      at = closing === -1 ? html.length : closing + 3
      continue
    }
    tagName.lastIndex = open
    const name = tagName.exec(html)?.[1]?.toLowerCase()
    const isMarkup = name !== undefined || /^<[!?/]/.test(html.slice(open, open + 2))
    const end = isMarkup ? endOfTag(html, open) : -1
    if (end === -1) {
      pieces.push(isMarkup ? ' ' : '<')
      continue
    }
    at = end
    pieces.push(name !== undefined && inline.has(name) ? '' : ' ')
    if (name === undefined || !isAligned || !hidden.has(name) || html[open + 1] === '/') continue
    const closing = unended.has(name) ? -1 : lower.indexOf(`</${name}`, end)
    if (closing === -1) unended.add(name)
    else at = closing
  }
  pieces.push(html.slice(at))
  return pieces.join('')
}

/** Blanks of any kind, and the controls that stand for one. */
const blanks = /[\s\p{Zs}\p{Zl}\p{Zp}]+/gu
/** Controls, what turns the direction of writing, what cannot be seen, and what is no character. */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu
/** What a tag could begin with; `<` stays where it stands for "less than". A run of them is tried once. */
const tagStart = /(?<!<)<+(?=[a-z!?/])/gi

/** Marks that are piled up on a letter, beyond what any script writes. */
const markRun = /(\p{M}{4})\p{M}+/gu

/** Returns the one line of text that HTML, or text in which it occurs, shows. */
export function plainText(html: string): string {
  const decoded = decodeHTMLStrict(withoutTags(html))
  // HTML that was escaped twice is only now to be seen.
  return withoutTags(decoded)
    .toWellFormed()
    .replace(blanks, ' ')
    .replace(unseen, '')
    .replace(markRun, '$1')
    .replace(tagStart, ' ')
    .replace(/ +/g, ' ')
    .trim()
}

const ellipsis = '…'

/** Cuts a text between two words to at most `lengthMax` characters, with `…` where it was cut. */
export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const start = text.slice(0, lengthMax - ellipsis.length)
  const blank = text.charAt(start.length) === ' ' ? start.length : start.lastIndexOf(' ')
  // One endless word is cut within, but not within a character.
  const cut = blank < lengthMax / 2 ? start.replace(/[\uD800-\uDBFF]$/, '') : start.slice(0, blank)
  return cut.replace(/[\s,;:(–—-]+$/, '') + ellipsis
}

/** How publishers end what is only a beginning. */
const cutMark = /\s*\[(?:\.{3}|…)\]$/
const footerStart = 'The post '
const footerMiddle = ' appeared first on '

/** Returns a summary without what a program put behind it: `[...]`, "The post … appeared first on …". */
export function withoutFooter(text: string): string {
  const middle = text.lastIndexOf(footerMiddle)
  const start = middle === -1 ? -1 : text.lastIndexOf(footerStart, middle)
  const body = start === -1 ? text : text.slice(0, start).trimEnd()
  const cut = body.replace(cutMark, '')
  if (cut === body) return body
  return cut === '' || /[.!?…]$/.test(cut) ? cut : cut + ellipsis
}

/** Returns where the first link in some HTML leads, as it is written there; null when it has none. */
export function firstHrefOf(html: string): string | null {
  const [, double, single] =
    /<a\s[^<>]{0,500}?href\s*=\s*(?:"([^"<>]+)"|'([^'<>]+)')/i.exec(html) ?? []
  const href = double ?? single
  return href === undefined ? null : decodeHTMLStrict(href)
}
