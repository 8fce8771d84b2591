/**
 * Reads an HTML mail: the text that a person sees, and where its links lead.
 *
 * Hides what browsers hide: an unclosed comment, quote or tag takes the rest of the mail with it. Mail
 * programs differ in what they hide, so links are also read from comments, styles and scripts. Linear in the length.
 */

import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { MarkupReader, type MarkupTag, readMarkup } from '../../model/markup.ts'
import { urlBytesMax } from '../../model/url.ts'

/** An `<a href>`: where it leads and what it shows. */
export interface MailLink {
  /** References decoded, without space around it and line breaks in it. */
  readonly href: string
  /** What is shown between the tags, spaces collapsed, cut to `linkTextMax` characters. */
  readonly text: string
}

export interface HtmlText {
  /** The text that is shown, references decoded; tags that break a line leave a line break. */
  readonly text: string
  readonly links: readonly MailLink[]
  /** Where links, image maps, forms and the like lead, in the order of the mail. */
  readonly targets: readonly string[]
  /** Where links in comments, styles and scripts lead; some programs show them. */
  readonly hiddenTargets: readonly string[]
}

/** The most links that are read; a mail with more is judged by the first. */
export const linksMax = 200
/** The most addresses of links, maps and forms that are read, and as many hidden ones. */
const targetsMax = 2 * linksMax
export const linkTextMax = 300
const linkPiecesMax = 100
/** A longer base is not an address, and would be copied in front of every link. */
const baseLengthMax = Math.floor(urlBytesMax / 3)

/** Tags that make it certain that a body is HTML. */
const knownTag =
  /<(?:!doctype|html|head|body|div|span|p|br|a|table|tbody|td|tr|font|b|i|u|strong|em|img|style|center|ul|ol|li|h[1-6]|meta|form|blockquote|pre|hr|button|section|base|svg|input|area|title|script)[\s>/]/i

/** Tags within a line; any other separates the words around it. */
const inline: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo big code del em font i ins kbd label mark nobr o:p q s small span strike strong sub sup tt u var wbr'.split(
    ' ',
  ),
)

/** Elements whose content is not shown. */
const hidden: ReadonlySet<string> = new Set(['script', 'style', 'title', 'iframe'])
/** Content of another language, in which styles and titles are elements like others. */
const foreign: ReadonlySet<string> = new Set(['svg', 'math'])

/** The attributes by which a tag leads somewhere. */
const targetAttributes: ReadonlyMap<string, readonly string[]> = new Map([
  ['a', ['href', 'xlink:href']],
  ['area', ['href']],
  ['base', ['href']],
  ['form', ['action']],
  ['button', ['formaction']],
  ['input', ['formaction']],
  ['iframe', ['src']],
  ['frame', ['src']],
])

/** Reports whether a mail's body is HTML and not text in which angle brackets occur. */
export function isHtml(body: string): boolean {
  return knownTag.test(body)
}

/** Returns an attribute without what browsers ignore: space and controls around it, line breaks in it. */
function cleanTarget(value: string): string {
  const target = decodeHTMLAttribute(value).replace(/[\t\r\n]/g, '')
  let start = 0
  let end = target.length
  while (start < end && target.charCodeAt(start) <= 0x20) start++
  while (end > start && target.charCodeAt(end - 1) <= 0x20) end--
  return target.slice(start, end).trim()
}

/** Returns the address in `0; url=https://…`, or null. */
function refreshTarget({ attributes }: MarkupTag): string | null {
  if (cleanTarget(attributes.get('http-equiv') ?? '').toLowerCase() !== 'refresh') return null
  const content = cleanTarget(attributes.get('content') ?? '')
  const address = content
    .replace(/^[\s\d.;,]+/, '')
    .replace(/^url\s*=/i, '')
    .trimStart()
  const quote = address.charAt(0)
  return quote === '"' || quote === "'" ? (address.slice(1).split(quote, 1)[0] ?? '') : address
}

/** Returns where a tag leads; the first is where a click on it goes. */
function listTargets(tag: MarkupTag): string[] {
  const refresh = tag.name === 'meta' ? refreshTarget(tag) : null
  if (refresh !== null) return [refresh]
  const names = targetAttributes.get(tag.name) ?? []
  return names.flatMap((name) => tag.attributes.get(name) ?? []).map(cleanTarget)
}

/** Returns where `target` leads in a mail with `<base href>`. */
function resolveTarget(target: string, base: string | null): string {
  if (base === null || base.length > baseLengthMax) return target
  if (target.startsWith('#') || /^[a-z][a-z\d+.-]*:/i.test(target)) return target
  return URL.parse(target.slice(0, baseLengthMax), base)?.href ?? target
}

class HtmlReader {
  readonly #body: string
  readonly #markup: MarkupReader
  readonly #text: string[] = []
  readonly #links: MailLink[] = []
  readonly #targets: string[] = []
  readonly #hiddenTargets: string[] = []
  #isForeign = false
  #base: string | null = null
  #href: string | null = null
  #linkText: string[] = []

  constructor(body: string) {
    this.#body = body
    this.#markup = new MarkupReader(body, 'mail')
  }

  read(): HtmlText {
    for (let token = this.#markup.next(); token !== null; token = this.#markup.next()) {
      if (token.kind === 'tag') this.#readTag(token)
      else if (token.kind === 'text')
        this.#add(decodeHTML(this.#body.slice(token.start, token.end)))
      else this.#readHidden(this.#body.slice(token.start, token.end))
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

  #add(text: string): void {
    this.#text.push(text)
    if (this.#href !== null && this.#linkText.length < linkPiecesMax) this.#linkText.push(text)
  }

  /** Reads where the tags in what is not shown lead, whatever else it holds. */
  #readHidden(region: string): void {
    for (let at = region.indexOf('<'); at !== -1; at = region.indexOf('<', at)) {
      const isTag = /[a-z]/i.test(region.charAt(at + 1))
      const token = isTag ? readMarkup(region, at, 'mail') : null
      at = token?.end ?? at + 1
      if (token?.kind !== 'tag') continue
      for (const target of listTargets(token)) {
        if (this.#hiddenTargets.length < targetsMax) this.#hiddenTargets.push(target)
      }
    }
  }

  #readTag(tag: MarkupTag): void {
    const { name, isEnd } = tag
    if (foreign.has(name)) this.#isForeign = !isEnd
    if (name === 'a') this.#endLink()
    if (!isEnd) this.#lead(name, listTargets(tag))
    if (!inline.has(name)) this.#add('\n')
    if (!isEnd && !this.#isForeign && hidden.has(name)) {
      this.#readHidden(this.#markup.skipContent(name))
    }
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
}

/** Reads an HTML mail; never throws, whatever the text. */
export function readHtml(body: string): HtmlText {
  return new HtmlReader(body).read()
}
