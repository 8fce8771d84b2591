/**
 * What a person reads in an HTML mail, and where its links lead.
 *
 * A tokenizer of one pass after the HTML standard's own ("13.2.5 Tokenization"), so that what a mail
 * program hides is hidden here too: an unclosed comment, quote or tag takes the rest of the mail with
 * it. It keeps no tree and no stack, so nesting costs nothing, and never goes back: linear in the
 * length.
 */

import { decodeReferences } from './entities.ts'

/** An `<a href>`: where it leads and what it shows. */
export interface MailLink {
  /** As it is written, references decoded, blanks around it and line breaks in it taken off. */
  readonly href: string
  /** What is shown between the tags, blanks collapsed, cut to `linkTextMax` characters. */
  readonly text: string
}

export interface HtmlText {
  /** The text that is shown, references decoded; tags that break a line leave a line break. */
  readonly text: string
  readonly links: readonly MailLink[]
  /** Where links, image maps and forms lead, in the order of the mail. */
  readonly targets: readonly string[]
}

/** How many links are read; a mail with more is judged by the first. */
export const linksMax = 200
/** How many addresses that links, maps and forms lead to are read. */
const targetsMax = 2 * linksMax
export const linkTextMax = 300
const linkPiecesMax = 100

/** Tags that make it certain that a body is HTML. */
const knownTag =
  /<(?:!doctype|html|head|body|div|span|p|br|a|table|tbody|td|tr|font|b|i|u|strong|em|img|style|center|ul|ol|li|h[1-6]|meta|form|blockquote|pre|hr|button|section)[\s>/]/i

/** Tags within a line; any other parts the words around it. */
const inline: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo big code del em font i ins kbd label mark nobr o:p q s small span strike strong sub sup tt u var wbr'.split(
    ' ',
  ),
)

/** Elements whose content is not shown, each with what ends it. */
const hidden: ReadonlyMap<string, RegExp> = new Map([
  ['script', /<\/script[\s/>]/gi],
  ['style', /<\/style[\s/>]/gi],
  ['title', /<\/title[\s/>]/gi],
  ['iframe', /<\/iframe[\s/>]/gi],
])

const targetAttributes: ReadonlyMap<string, string> = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['form', 'action'],
])

/** Reports whether a mail's body is HTML and not text in which angle brackets occur. */
export function isHtml(body: string): boolean {
  return knownTag.test(body)
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)
const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

/** Reports whether a tag's name goes on: not at a blank, `/`, `>` or the end. */
function isOfName(code: number): boolean {
  return !(isBlank(code) || code === 0x2f || code === 0x3e || Number.isNaN(code))
}

/** Takes off what browsers take off an address: blanks around it, line breaks in it. */
function cleanTarget(value: string): string {
  return decodeReferences(value, 'attribute')
    .replace(/[\t\r\n]/g, '')
    .trim()
}

class HtmlReader {
  readonly #body: string
  #at = 0
  readonly #text: string[] = []
  readonly #links: MailLink[] = []
  readonly #targets: string[] = []
  #href: string | null = null
  #linkText: string[] = []

  constructor(body: string) {
    this.#body = body
  }

  read(): HtmlText {
    while (this.#at < this.#body.length) {
      const open = this.#body.indexOf('<', this.#at)
      if (open === -1) {
        this.#show(this.#at, this.#body.length)
        break
      }
      this.#show(this.#at, open)
      this.#at = open
      this.#readMarkup()
    }
    this.#endLink()
    return { text: this.#text.join(''), links: this.#links, targets: this.#targets }
  }

  #show(start: number, end: number): void {
    if (start === end) return
    this.#add(decodeReferences(this.#body.slice(start, end), 'text'))
  }

  #add(text: string): void {
    this.#text.push(text)
    if (this.#href !== null && this.#linkText.length < linkPiecesMax) this.#linkText.push(text)
  }

  /** Reads what starts with the `<` at the current place. */
  #readMarkup(): void {
    const body = this.#body
    const next = body.charCodeAt(this.#at + 1)
    if (isLetter(next)) this.#readTag(this.#at + 1)
    else if (next === 0x2f && isLetter(body.charCodeAt(this.#at + 2))) this.#readTag(this.#at + 2)
    else if (body.startsWith('<!--', this.#at)) this.#skipComment()
    // A declaration, CDATA or an end tag without a name: a comment up to the next bracket.
    else if (next === 0x21 || next === 0x3f || next === 0x2f) this.#skipPast('>', this.#at + 2)
    else {
      this.#add('<')
      this.#at++
    }
  }

  #skipPast(ending: string, from: number): void {
    const end = this.#body.indexOf(ending, from)
    this.#at = end === -1 ? this.#body.length : end + ending.length
  }

  #skipComment(): void {
    const start = this.#at + 4
    // `<!-->` and `<!--->` are comments that end at once.
    if (this.#body.startsWith('>', start)) this.#at = start + 1
    else if (this.#body.startsWith('->', start)) this.#at = start + 2
    else this.#skipPast('-->', start)
  }

  #readTag(nameStart: number): void {
    let end = nameStart
    while (isOfName(this.#body.charCodeAt(end))) end++
    const name = this.#body.slice(nameStart, end).toLowerCase()
    // Mail programs write the address of a link in angle brackets into text: `<https://…>`.
    if (name.endsWith(':') || name.includes('@')) {
      this.#show(this.#at, end)
      this.#at = end
      return
    }
    const isEnd = this.#body.charCodeAt(nameStart - 1) === 0x2f
    this.#at = end
    const target = this.#readAttributes(isEnd ? undefined : targetAttributes.get(name))
    if (name === 'a') this.#endLink()
    if (target !== null) this.#lead(name, target)
    if (!inline.has(name)) this.#add('\n')
    const ending = isEnd ? undefined : hidden.get(name)
    if (ending !== undefined) this.#skipHidden(ending)
  }

  /** Goes past a tag's `>`; returns the value of the attribute `wanted`, the first if repeated. */
  #readAttributes(wanted: string | undefined): string | null {
    const body = this.#body
    let value: string | null = null
    for (;;) {
      let at = this.#at
      while (isBlank(body.charCodeAt(at)) || body.charCodeAt(at) === 0x2f) at++
      if (at >= body.length || body.charCodeAt(at) === 0x3e) {
        this.#at = at + 1
        return at >= body.length ? null : value
      }
      const nameStart = at
      // An attribute may not start with `=`; browsers then take it for part of the name.
      do at++
      while (isOfName(body.charCodeAt(at)) && body.charCodeAt(at) !== 0x3d)
      const nameEnd = at
      while (isBlank(body.charCodeAt(at))) at++
      if (body.charCodeAt(at) !== 0x3d) {
        this.#at = at
        continue
      }
      const [start, end] = this.#findValue(at + 1)
      const isWanted = wanted !== undefined && value === null && nameEnd - nameStart < 8
      if (isWanted && body.slice(nameStart, nameEnd).toLowerCase() === wanted) {
        value = body.slice(start, end)
      }
    }
  }

  /** Returns where an attribute's value starts and ends, and goes past it. */
  #findValue(from: number): [number, number] {
    const body = this.#body
    let start = from
    while (isBlank(body.charCodeAt(start))) start++
    const quote = body.charAt(start)
    if (quote === '"' || quote === "'") {
      const closing = body.indexOf(quote, start + 1)
      const end = closing === -1 ? body.length : closing
      this.#at = end + 1
      return [start + 1, end]
    }
    let end = start
    while (end < body.length && !isBlank(body.charCodeAt(end)) && body.charCodeAt(end) !== 0x3e) {
      end++
    }
    this.#at = end
    return [start, end]
  }

  #lead(name: string, target: string): void {
    const href = cleanTarget(target)
    if (this.#targets.length < targetsMax) this.#targets.push(href)
    if (name === 'a') this.#href = href
  }

  #endLink(): void {
    if (this.#href !== null && this.#links.length < linksMax) {
      const shown = this.#linkText.join('').replace(/\s+/g, ' ').trim().slice(0, linkTextMax)
      this.#links.push({ href: this.#href, text: shown })
    }
    this.#href = null
    this.#linkText = []
  }

  #skipHidden(ending: RegExp): void {
    ending.lastIndex = this.#at
    const found = ending.exec(this.#body)
    this.#at = found === null ? this.#body.length : found.index
  }
}

/** Reads an HTML mail; never throws, whatever the text. */
export function readHtml(body: string): HtmlText {
  return new HtmlReader(body).read()
}
