/**
 * Turns the HTML in a news feed into the plain text that a person reads.
 *
 * Invariant: the result holds no tag, no control character and no direction mark. It is still text, which
 * the caller must escape to show it. Linear in the length.
 */

import { decodeHTMLStrict } from 'entities/decode'
import { withoutSteering } from '../../model/characters.ts'
import { MarkupReader } from '../../model/markup.ts'

/** Elements whose content is not shown. */
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

/** Elements within a line; any other separates the words around it. */
const inline: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)

/** Returns the text without its tags, comments, and what scripts and the like hold. */
function withoutTags(html: string): string {
  if (!html.includes('<')) return html
  const markup = new MarkupReader(html, 'article')
  const pieces: string[] = []
  for (let token = markup.next(); token !== null; token = markup.next()) {
    if (token.kind === 'text') pieces.push(html.slice(token.start, token.end))
    if (token.kind !== 'tag') continue
    if (!inline.has(token.name)) pieces.push(' ')
    if (!token.isEnd && hidden.has(token.name)) markup.skipContent(token.name)
  }
  return pieces.join('')
}

/** Spaces of any kind, and the controls that mean one. */
const spaces = /[\s\p{Zs}\p{Zl}\p{Zp}]+/gu
const noncharacters = /\p{Noncharacter_Code_Point}/gu
/** The beginning of a tag; `<` is kept where it means "less than". A run of them is tried once. */
const tagStart = /(?<!<)<+(?=[a-z!?/])/gi

/** Marks piled up on a letter, more than any script uses. */
const markRun = /(\p{M}{4})\p{M}+/gu

/** Returns the text that HTML, or text with HTML in it, shows, on one line. */
export function htmlToText(html: string): string {
  const decoded = decodeHTMLStrict(withoutTags(html))
  // HTML that was escaped twice appears only now.
  const oneLine = withoutTags(decoded).toWellFormed().replace(spaces, ' ')
  return withoutSteering(oneLine)
    .replace(noncharacters, '')
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
  const space = text.charAt(start.length) === ' ' ? start.length : start.lastIndexOf(' ')
  // One endless word is cut within, but not within a character.
  const cut = space < lengthMax / 2 ? start.replace(/[\uD800-\uDBFF]$/, '') : start.slice(0, space)
  return cut.replace(/[\s,;:(–—-]+$/, '') + ellipsis
}

/** How publishers end a shortened text. */
const cutMark = /\s*\[(?:\.{3}|…)\]$/
const footerStart = 'The post '
const footerMiddle = ' appeared first on '

/** Returns a summary without what a program appended: `[...]`, "The post … appeared first on …". */
export function withoutFooter(text: string): string {
  const middle = text.lastIndexOf(footerMiddle)
  const start = middle === -1 ? -1 : text.lastIndexOf(footerStart, middle)
  const body = start === -1 ? text : text.slice(0, start).trimEnd()
  const cut = body.replace(cutMark, '')
  if (cut === body) return body
  return cut === '' || /[.!?…]$/.test(cut) ? cut : cut + ellipsis
}

/** Returns where the first link in some HTML leads, as written; null without a link. */
export function findFirstHref(html: string): string | null {
  const markup = new MarkupReader(html, 'article')
  for (let token = markup.next(); token !== null; token = markup.next()) {
    const href =
      token.kind === 'tag' && token.name === 'a' ? token.attributes.get('href') : undefined
    if (href !== undefined) return decodeHTMLStrict(href)
  }
  return null
}
