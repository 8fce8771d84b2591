/**
 * Splits HTML and XML into text, tags and comments: the one tokenizer of mails, articles and feeds.
 *
 *     text │ <name attribute="value"> │ </name> │ <!-- … --> │ <!…> <?…> </ …> │ <![CDATA[ … ]]>
 *
 * It follows "13.2.5 Tokenization" of the HTML standard. The dialects differ in what they do with a
 * document that is broken:
 *
 *     dialect    an unclosed tag                       <https://…> <ann@…>    <![CDATA[
 *     mail       takes the rest, as in browsers        text                   a comment up to `>`
 *     article    is text; a tag ends before any `<`    a tag                  a comment up to `>`
 *     feed       is text; a tag ends before any `<`    a tag                  text up to `]]>`
 *
 * It keeps no tree and no stack and reads each place at most three times: linear in the length, whatever
 * the text (1 MB of `<div>`, `<a `, `<!--` or `<a href="`: 2 to 30 ms). Rejected: `Tokenizer` of htmlparser2
 * (as fast; five packages). It does not end a comment at `--!>`, reads no tag after a script that is never
 * closed, and takes what follows an unclosed tag for its attributes, so each reader would have had to work
 * around it. Its `Parser` takes quadratic time: 88 s for 1 MB of `<div>`.
 */

import { isAsciiLetter, isAsciiSpace } from './characters.ts'

export type MarkupDialect = 'mail' | 'article' | 'feed'

/** A stretch of the text, from `start` up to `end`, delimiters included. */
interface Stretch {
  readonly start: number
  readonly end: number
}

/** A start tag or an end tag. */
export interface MarkupTag extends Stretch {
  readonly kind: 'tag'
  /** In lower case. */
  readonly name: string
  readonly isEnd: boolean
  /** The tag closes itself: `<br/>`. */
  readonly isEmpty: boolean
  /** Values as they are written, by names in lower case; the first of each name. */
  readonly attributes: ReadonlyMap<string, string>
}

export type MarkupToken = MarkupTag | (Stretch & { readonly kind: 'text' | 'comment' | 'cdata' })

const [slash, equals, bracket] = [0x2f, 0x3d, 0x3e] as const
const commentEnd = /--!?>/g

/** Returns where a name that starts at `start` ends: at a space, `/`, `>`, `stop` or `limit`. */
function findNameEnd(text: string, start: number, limit: number, stop = bracket as number): number {
  let end = start
  for (; end < limit; end++) {
    const code = text.charCodeAt(end)
    if (isAsciiSpace(code) || code === slash || code === bracket || code === stop) break
  }
  return end
}

/** Returns an attribute's value, and where the tag goes on. */
function readValue(text: string, from: number, limit: number, isLenient: boolean) {
  let start = from
  while (start < limit && isAsciiSpace(text.charCodeAt(start))) start++
  const quote = text.charAt(start)
  if (quote === '"' || quote === "'") {
    const closing = text.indexOf(quote, start + 1)
    if (closing !== -1 && closing < limit)
      return [text.slice(start + 1, closing), closing + 1] as const
    // Browsers take the rest of the document for the value; then the tag is never closed.
    if (!isLenient) return ['', limit] as const
  }
  let end = start
  while (end < limit && !isAsciiSpace(text.charCodeAt(end)) && text.charCodeAt(end) !== bracket)
    end++
  return [text.slice(start, end), end] as const
}

/** Reads the attributes after a tag's name; null when the tag is not closed before `limit`. */
function readAttributes(text: string, from: number, limit: number, isLenient: boolean) {
  const attributes = new Map<string, string>()
  for (let at = from; at < limit; ) {
    const code = text.charCodeAt(at)
    if (code === bracket) return { attributes, end: at + 1 }
    if (isAsciiSpace(code) || code === slash) {
      at++
      continue
    }
    // An attribute cannot start with `=`: browsers take that for a part of its name.
    const nameEnd = findNameEnd(text, at + 1, limit, equals)
    const name = text.slice(at, nameEnd).toLowerCase()
    at = nameEnd
    while (at < limit && isAsciiSpace(text.charCodeAt(at))) at++
    if (text.charCodeAt(at) !== equals || at >= limit) continue
    const [value, end] = readValue(text, at + 1, limit, isLenient)
    if (!attributes.has(name)) attributes.set(name, value)
    at = end
  }
  return null
}

/** Reads the tag whose name starts at `nameStart`; text when it is none. */
function readTag(
  text: string,
  start: number,
  nameStart: number,
  dialect: MarkupDialect,
): MarkupToken {
  const isLenient = dialect !== 'mail'
  const next = isLenient ? text.indexOf('<', start + 1) : -1
  const limit = next === -1 ? text.length : next
  const nameEnd = findNameEnd(text, nameStart, limit)
  const name = text.slice(nameStart, nameEnd).toLowerCase()
  // Mail programs write the address of a link in angle brackets into text.
  const isAddress = name.endsWith(':') || name.includes('@')
  if (isAddress && !isLenient) return { kind: 'text', start, end: nameEnd }
  const read = readAttributes(text, nameEnd, limit, isLenient)
  if (read === null && isLenient) return { kind: 'text', start, end: start + 1 }
  const { attributes, end } = read ?? { attributes: new Map<string, string>(), end: limit }
  const isEmpty = text.charCodeAt(end - 2) === slash
  return { kind: 'tag', start, end, name, isEnd: nameStart > start + 1, isEmpty, attributes }
}

/** Returns the comment, declaration or CDATA section that starts with `<!`, `<?` or `</` at `start`. */
function readComment(text: string, start: number, dialect: MarkupDialect): MarkupToken {
  if (text.startsWith('<!--', start)) {
    // `<!-->` and `<!--->` are comments that end at once.
    if (text.startsWith('>', start + 4)) return { kind: 'comment', start, end: start + 5 }
    if (text.startsWith('->', start + 4)) return { kind: 'comment', start, end: start + 6 }
    commentEnd.lastIndex = start + 4
    const end = commentEnd.test(text) ? commentEnd.lastIndex : text.length
    return { kind: 'comment', start, end }
  }
  if (dialect === 'feed' && text.startsWith('<![CDATA[', start)) {
    const closing = text.indexOf(']]>', start + 9)
    return { kind: 'cdata', start, end: closing === -1 ? text.length : closing + 3 }
  }
  const next = dialect === 'mail' ? -1 : text.indexOf('<', start + 1)
  const limit = next === -1 ? text.length : next
  const closing = text.slice(start, limit).indexOf('>')
  if (closing !== -1) return { kind: 'comment', start, end: start + closing + 1 }
  if (dialect === 'mail') return { kind: 'comment', start, end: text.length }
  return { kind: 'text', start, end: start + 1 }
}

/** Returns the token that starts at `start`. */
export function readMarkup(text: string, start: number, dialect: MarkupDialect): MarkupToken {
  if (text.charAt(start) !== '<') {
    const open = text.indexOf('<', start)
    return { kind: 'text', start, end: open === -1 ? text.length : open }
  }
  const next = text.charAt(start + 1)
  const nameStart = next === '/' ? start + 2 : start + 1
  const code = text.charCodeAt(nameStart)
  if (isAsciiLetter(code) || (dialect === 'feed' && text.charAt(nameStart) === '_')) {
    return readTag(text, start, nameStart, dialect)
  }
  if (next === '!' || next === '?' || next === '/') return readComment(text, start, dialect)
  return { kind: 'text', start, end: start + 1 }
}

/** Reads a document token by token. */
export class MarkupReader {
  readonly #text: string
  readonly #dialect: MarkupDialect
  /** Elements that nothing ends any more: searching for their end again would take quadratic time. */
  readonly #unended = new Set<string>()
  #at = 0

  constructor(text: string, dialect: MarkupDialect) {
    this.#text = text
    this.#dialect = dialect
  }

  /** Returns the next token, or null at the end. */
  next(): MarkupToken | null {
    if (this.#at >= this.#text.length) return null
    const token = readMarkup(this.#text, this.#at, this.#dialect)
    this.#at = token.end
    return token
  }

  /**
   * Goes past the content of the element `name`, whose start tag was read last, and returns the content;
   * returns '' and stays when nothing ends the element. `name` is a word of the caller's, not the document's.
   */
  skipContent(name: string): string {
    if (this.#unended.has(name)) return ''
    const ending = new RegExp(`</${name}[\\s/>]`, 'gi')
    ending.lastIndex = this.#at
    const start = this.#at
    const found = ending.exec(this.#text)
    if (found === null) this.#unended.add(name)
    else this.#at = found.index
    return this.#text.slice(start, this.#at)
  }
}
