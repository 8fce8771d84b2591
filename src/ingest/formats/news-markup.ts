/**
 * Rewrites a news feed as a small well-formed document: containers, and in them the few elements that weir
 * reads, without markup of their own. What happens to the rest:
 *
 *     <!DOCTYPE …> <?xml …?> <!-- … -->   dropped, so no entity is ever declared
 *     <![CDATA[a < b]]>                   a &lt; b
 *     <description>a <b>word</b>          a &lt;b>word&lt;/b>, as if its author had escaped it
 *     <media:thumbnail …/>, <author> …    dropped with all they hold
 *     an element that is never closed     ends where its item does
 *
 * The parser that reads the result takes quadratic time for a `<` that is never closed and for a list of
 * authors that is nothing but brackets; it refuses a whole feed for one missing tag or a declared entity.
 * Linear in the length, whatever the text.
 */

import { MarkupReader, type MarkupTag, type MarkupToken } from '../../model/markup.ts'

/** The vocabularies that news feeds are written in, by their outermost element. */
export type FeedKind = 'rss' | 'atom' | 'rdf'

const kinds: ReadonlyMap<string, FeedKind> = new Map([
  ['rss', 'rss'],
  ['feed', 'atom'],
  ['rdf', 'rdf'],
])

/** Where the outermost element must begin; programs print warnings before it. */
const rootWithinCharacters = 65_536

/** The deepest nesting of containers; honest feeds need three. */
const depthMax = 8
/** The most that is read of an element's text; of a whole article the beginning is enough. */
const leafCharactersMax = 16_384
/** The most elements of an item on the average; honest ones have ten. */
const leavesOfItemMax = 40
/** A tag with longer attributes loses all of them. */
const attributesCharactersMax = 16_384

const containers: ReadonlySet<string> = new Set(['rss', 'rdf', 'feed', 'channel', 'item', 'entry'])
const items: ReadonlySet<string> = new Set(['item', 'entry'])

/** The elements that are read, by their names without prefixes: RSS 0.9 to 2.0, Atom 0.3 and 1.0, Dublin Core. */
const leaves: ReadonlySet<string> = new Set([
  'title',
  'link',
  'guid',
  'id',
  'pubdate',
  'date',
  'published',
  'updated',
  'issued',
  'modified',
  'created',
  'description',
  'summary',
  'content',
  'encoded',
])

const attributes: ReadonlySet<string> = new Set([
  'xml:base',
  'version',
  'rdf:about',
  'about',
  'href',
  'rel',
  'type',
  'ispermalink',
])

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/**
 * Returns what kind of feed a text is: the first of the outermost elements that it may have, before
 * any `<html>`; null when it has none. The beginning of a text is enough.
 */
export function findFeedKind(text: string): FeedKind | null {
  const beginning = text.slice(0, rootWithinCharacters).replace(/<!--.*?(?:-->|$)/gs, '')
  for (const [, name = ''] of beginning.matchAll(/<([a-z_][\w.:-]*)/gi)) {
    const local = localName(name).toLowerCase()
    if (local === 'html') return null
    const kind = kinds.get(local)
    if (kind !== undefined) return kind
  }
  return null
}

/** Returns the attributes of a tag that are read, as they are written into a document. */
function formatAttributes(tag: MarkupTag): string {
  const kept = [...tag.attributes].filter(
    ([name]) => name.startsWith('xmlns') || attributes.has(name),
  )
  const written = kept
    .map(([name, value]) => ` ${name}="${value.replaceAll('"', '&quot;')}"`)
    .join('')
  return written.length > attributesCharactersMax ? '' : written
}

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** An element that is being read or skipped. */
interface Element {
  readonly name: string
  /** How many elements of its name are open in it, itself included. */
  depth: number
}

interface Leaf extends Element {
  readonly attributes: string
  readonly pieces: string[]
  length: number
}

class Tidier {
  readonly #text: string
  readonly #itemsMax: number
  readonly #written: string[] = []
  /** The containers that are open, outermost first. */
  readonly #open: string[] = []
  #leaf: Leaf | null = null
  #skipped: Element | null = null
  #itemCount = 0
  #leafCount = 0
  #isDone = false

  constructor(text: string, itemsMax: number) {
    this.#text = text
    this.#itemsMax = itemsMax
  }

  tidy(): string {
    const markup = new MarkupReader(this.#text, 'feed')
    for (let token = markup.next(); token !== null && !this.#isDone; token = markup.next()) {
      if (token.kind === 'tag') {
        if (token.isEnd) this.#readEnd(token)
        else this.#readStart(token)
      } else if (token.kind !== 'comment') this.#addText(token)
    }
    this.#endLeaf()
    this.#closeTo(0)
    return this.#written.join('')
  }

  #addText({ kind, start, end }: MarkupToken): void {
    if (kind === 'cdata') {
      const closing = this.#text.endsWith(']]>', end) ? end - 3 : end
      const content = this.#text.slice(start + 9, Math.min(closing, start + 9 + leafCharactersMax))
      this.#add(escapeMarkup(content))
    } else {
      // A `<` that begins no tag is a token of its own.
      const isBracket = this.#text.charAt(start) === '<'
      this.#add(isBracket ? '&lt;' : this.#text.slice(start, end))
    }
  }

  /** Adds a tag within an element that is read, as if its author had escaped it. */
  #addTag({ start, end }: MarkupTag): void {
    this.#add(`&lt;${this.#text.slice(start + 1, end - 1)}&gt;`)
  }

  #readStart(tag: MarkupTag): void {
    const local = localName(tag.name)
    // What a program wrote before the feed is skipped, whether it is closed or not.
    if (this.#open.length === 0 && !kinds.has(local)) return
    if (items.has(local)) {
      this.#endItem()
      this.#itemCount++
      this.#isDone = this.#itemCount > this.#itemsMax
      if (this.#isDone) return
    }
    const around = this.#skipped ?? this.#leaf
    if (around !== null) {
      if (tag.name === around.name && !tag.isEmpty) around.depth++
      this.#addTag(tag)
    } else if (containers.has(local)) {
      this.#openContainer(tag)
    } else if (leaves.has(local)) {
      const { name } = tag
      this.#leaf = { name, depth: 1, attributes: formatAttributes(tag), pieces: [], length: 0 }
      if (tag.isEmpty) this.#endLeaf()
    } else if (!tag.isEmpty) {
      this.#skipped = { name: tag.name, depth: 1 }
    }
  }

  #readEnd(tag: MarkupTag): void {
    const { name } = tag
    if (containers.has(localName(name))) {
      const place = this.#open.lastIndexOf(name)
      if (place === -1) return
      this.#endLeaf()
      this.#closeTo(place)
      return
    }
    const around = this.#skipped ?? this.#leaf
    if (around === null) return
    if (name === around.name) around.depth--
    if (around.depth > 0) this.#addTag(tag)
    else if (around === this.#leaf) this.#endLeaf()
    else this.#skipped = null
  }

  #openContainer(tag: MarkupTag): void {
    this.#isDone = this.#open.length === depthMax
    if (this.#isDone) return
    this.#open.push(tag.name)
    this.#written.push(`<${tag.name}${formatAttributes(tag)}>`)
    if (tag.isEmpty) this.#closeTo(this.#open.length - 1)
  }

  /** Ends an item whose end tag is missing. */
  #endItem(): void {
    this.#endLeaf()
    const place = this.#open.findIndex((name) => items.has(localName(name)))
    if (place !== -1) this.#closeTo(place)
  }

  #closeTo(depth: number): void {
    for (const name of this.#open.splice(depth).reverse()) this.#written.push(`</${name}>`)
  }

  /** Ends the element that is read or skipped; an empty one is left out, as another may follow. */
  #endLeaf(): void {
    const leaf = this.#leaf
    this.#leaf = null
    this.#skipped = null
    if (leaf === null) return
    const content = leaf.pieces.join('')
    if (content.trim() === '' && leaf.attributes === '') return
    this.#written.push(`<${leaf.name}${leaf.attributes}>${content}</${leaf.name}>`)
    this.#leafCount++
    if (this.#leafCount === this.#itemsMax * leavesOfItemMax) this.#isDone = true
  }

  /** Adds to the text of the element that is read; text between elements is ignored. */
  #add(escaped: string): void {
    const leaf = this.#leaf
    if (leaf === null || leaf.length >= leafCharactersMax) return
    const piece = escaped.slice(0, leafCharactersMax - leaf.length)
    leaf.pieces.push(piece)
    leaf.length += piece.length
  }
}

/** Returns the well-formed document for the text of a feed, with its first `itemsMax` items. */
export function tidyFeed(text: string, itemsMax: number): string {
  return new Tidier(text, itemsMax).tidy()
}

/** Reports whether a text begins as a JSON feed that names its version. */
export const isJsonFeed = (text: string): boolean =>
  /^\s*\{/.test(text.slice(0, 1_000)) && text.slice(0, 65_536).includes('jsonfeed.org/version/')

/** Returns a text without the mark of its byte order. */
export const withoutMark = (text: string): string =>
  text.startsWith('\uFEFF') ? text.slice(1) : text

/** Reports whether a text, or the beginning of one, is a news feed and not a web page. */
export function isNewsText(sample: string): boolean {
  return isJsonFeed(withoutMark(sample)) || findFeedKind(sample) !== null
}
