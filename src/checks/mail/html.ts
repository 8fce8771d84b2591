/**
 * What a person reads in an HTML mail, and where its links lead.
 *
 * A tokenizer of one pass after the HTML standard's own ("13.2.5 Tokenization"), so that what a mail
 * program hides is hidden here too: an unclosed comment, quote or tag takes the rest of the mail with
 * it. Programs differ in what they hide, though, so links are taken from comments and the like as well.
 * It keeps no tree and no stack, so nesting costs nothing, and never goes back: linear in the length.
 */

import { decodeReferences } from './entities.ts'
import { endOfTagName, isLetter, readAttributes, resolveTarget, targetsOf } from './tags.ts'

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
  /** Where links, image maps, forms and the like lead, in the order of the mail. */
  readonly targets: readonly string[]
  /** Where those lead that stand in comments, styles and scripts; some programs show them. */
  readonly hiddenTargets: readonly string[]
}

/** How many links are read; a mail with more is judged by the first. */
export const linksMax = 200
/** How many addresses that links, maps and forms lead to are read, and as many hidden ones. */
const targetsMax = 2 * linksMax
export const linkTextMax = 300
const linkPiecesMax = 100

/** Tags that make it certain that a body is HTML. */
const knownTag =
  /<(?:!doctype|html|head|body|div|span|p|br|a|table|tbody|td|tr|font|b|i|u|strong|em|img|style|center|ul|ol|li|h[1-6]|meta|form|blockquote|pre|hr|button|section|base|svg|input|area|title|script)[\s>/]/i

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

/** Content of another language, in which styles and titles are elements like others. */
const foreign: ReadonlySet<string> = new Set(['svg', 'math'])

const commentEnd = /--!?>/g

/** Reports whether a mail's body is HTML and not text in which angle brackets occur. */
export function isHtml(body: string): boolean {
  return knownTag.test(body)
}

class HtmlReader {
  readonly #body: string
  #at = 0
  readonly #text: string[] = []
  readonly #links: MailLink[] = []
  readonly #targets: string[] = []
  readonly #hiddenTargets: string[] = []
  /** Elements that nothing ends any more; searching for it again would take quadratic time. */
  readonly #unended = new Set<string>()
  #isForeign = false
  #base: string | null = null
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
    const resolved = (target: string): string => resolveTarget(target, this.#base)
    return {
      text: this.#text.join(''),
      links: this.#links.map(({ href, text }) => ({ href: resolved(href), text })),
      targets: this.#targets.map(resolved),
      hiddenTargets: this.#hiddenTargets.map(resolved),
    }
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
    else if (next === 0x21 || next === 0x3f || next === 0x2f) this.#skipDeclaration()
    else {
      this.#add('<')
      this.#at++
    }
  }

  #skipDeclaration(): void {
    const end = this.#body.indexOf('>', this.#at + 2)
    const next = end === -1 ? this.#body.length : end + 1
    this.#readHidden(this.#at + 2, next)
    this.#at = next
  }

  #skipComment(): void {
    const start = this.#at + 4
    // `<!-->` and `<!--->` are comments that end at once.
    if (this.#body.startsWith('>', start)) this.#at = start + 1
    else if (this.#body.startsWith('->', start)) this.#at = start + 2
    else {
      commentEnd.lastIndex = start
      const found = commentEnd.exec(this.#body)
      const end = found?.index ?? this.#body.length
      this.#readHidden(start, end)
      this.#at = found === null ? end : commentEnd.lastIndex
    }
  }

  /** Takes the addresses that tags lead to from what is not shown. */
  #readHidden(start: number, end: number): void {
    const region = this.#body.slice(start, end)
    for (let at = region.indexOf('<'); at !== -1; at = region.indexOf('<', at)) {
      at++
      if (!isLetter(region.charCodeAt(at))) continue
      const nameEnd = endOfTagName(region, at)
      const name = region.slice(at, nameEnd).toLowerCase()
      const tag = readAttributes(region, nameEnd, name)
      at = tag.end
      for (const target of targetsOf(name, tag.values)) {
        if (this.#hiddenTargets.length < targetsMax) this.#hiddenTargets.push(target)
      }
    }
  }

  #readTag(nameStart: number): void {
    const end = endOfTagName(this.#body, nameStart)
    const name = this.#body.slice(nameStart, end).toLowerCase()
    // Mail programs write the address of a link in angle brackets into text: `<https://…>`.
    if (name.endsWith(':') || name.includes('@')) {
      this.#show(this.#at, end)
      this.#at = end
      return
    }
    const isEnd = this.#body.charCodeAt(nameStart - 1) === 0x2f
    const tag = readAttributes(this.#body, end, name)
    this.#at = tag.end
    if (foreign.has(name)) this.#isForeign = !isEnd
    if (name === 'a') this.#endLink()
    if (!isEnd) this.#lead(name, targetsOf(name, tag.values))
    if (!inline.has(name)) this.#add('\n')
    if (!isEnd && !this.#isForeign) this.#skipHidden(name)
  }

  #lead(name: string, targets: readonly string[]): void {
    const [first] = targets
    if (first === undefined) return
    for (const target of targets) {
      if (this.#targets.length < targetsMax) this.#targets.push(target)
    }
    if (name === 'a') this.#href = first
    if (name === 'base') this.#base ??= first
  }

  #endLink(): void {
    if (this.#href !== null && this.#links.length < linksMax) {
      const shown = this.#linkText.join('').replace(/\s+/g, ' ').trim().slice(0, linkTextMax)
      this.#links.push({ href: this.#href, text: shown })
    }
    this.#href = null
    this.#linkText = []
  }

  /** Goes past what an element hides; one that nothing ends hides nothing. */
  #skipHidden(name: string): void {
    const ending = hidden.get(name)
    if (ending === undefined || this.#unended.has(name)) return
    ending.lastIndex = this.#at
    const found = ending.exec(this.#body)
    if (found === null) {
      this.#unended.add(name)
      return
    }
    this.#readHidden(this.#at, found.index)
    this.#at = found.index
  }
}

/** Reads an HTML mail; never throws, whatever the text. */
export function readHtml(body: string): HtmlText {
  return new HtmlReader(body).read()
}
