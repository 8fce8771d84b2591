/**
 * Makes of a news feed's text a small well-formed document: containers, and in them the few elements
 * that weir reads, without markup of their own. What becomes of the rest:
 *
 *     <!DOCTYPE …> <?xml …?> <!-- … -->   dropped, so no entity is ever declared
 *     <![CDATA[a < b]]>                   a &lt; b
 *     <description>a <b>word</b>          a &lt;b>word&lt;/b>, as if its author had escaped it
 *     <media:thumbnail …/>, <author> …    dropped with all they hold
 *     an element that nothing ends        ends where its item does
 *
 * The parser behind it takes quadratic time for a `<` that nothing ends and for a list of authors that
 * is nothing but brackets; it refuses a whole feed for one tag too few or a declared entity. Here every
 * place is passed once, or twice for a `<` that begins no tag: linear in the length, whatever the text.
 */

/** The vocabularies that news feeds are written in, by their outermost element. */
export type FeedKind = 'rss' | 'atom' | 'rdf'

const kinds: ReadonlyMap<string, FeedKind> = new Map([
  ['rss', 'rss'],
  ['feed', 'atom'],
  ['rdf', 'rdf'],
])

/** How far into a text its outermost element is looked for; programs print warnings before it. */
const rootWithinCharacters = 65_536

/** Containers may stand in one another so deep; honest feeds need three. */
const depthMax = 8
/** So much of an element's text is read; of a whole article the beginning is enough. */
const leafCharactersMax = 16_384
/** So many elements an item has on the average at most; honest ones have ten. */
const leavesOfItemMax = 40
/** Longer attributes are left out with all that stand beside them. */
const attributesCharactersMax = 16_384

const containers: ReadonlySet<string> = new Set(['rss', 'rdf', 'feed', 'channel', 'item', 'entry'])
const items: ReadonlySet<string> = new Set(['item', 'entry'])

/** What is read, by the names without prefixes; RSS 0.9 to 2.0, Atom 0.3 and 1.0, Dublin Core. */
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

/** An attribute; it begins where no other name goes on, so that no place is tried twice. */
const attribute = /(?<![\w:.-])([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')/g

const tagBeginning = /<(\/?)([a-z_][\w.-]{0,60}(?::[\w.-]{1,60})?)/iy

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/**
 * Returns what kind of feed a text is: the first of the outermost elements that it may have, before
 * any `<html>`; null when it has none. The beginning of a text is enough.
 */
export function feedKindOf(text: string): FeedKind | null {
  const end = Math.min(text.length, rootWithinCharacters)
  for (let at = text.indexOf('<'); at !== -1 && at < end; at = text.indexOf('<', at + 1)) {
    if (text.startsWith('<!--', at)) {
      const closing = text.indexOf('-->', at)
      if (closing === -1) return null
      at = closing
      continue
    }
    tagBeginning.lastIndex = at
    const [, slash, name] = tagBeginning.exec(text) ?? []
    if (name === undefined || slash !== '') continue
    const local = localName(name).toLowerCase()
    if (local === 'html') return null
    const kind = kinds.get(local)
    if (kind !== undefined) return kind
  }
  return null
}

interface Tag {
  readonly isEnd: boolean
  readonly isEmpty: boolean
  /** In lower case: old feeds are written in capitals, and some in both. */
  readonly name: string
  /** What stands between the name and the closing bracket. */
  readonly rest: string
  readonly end: number
}

/** Reads the tag that begins at `open`; null when what begins there is none. */
function readTag(text: string, open: number): Tag | null {
  tagBeginning.lastIndex = open
  const [beginning, slash, name] = tagBeginning.exec(text) ?? []
  if (beginning === undefined || name === undefined) return null
  const start = open + beginning.length
  let quote = ''
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '<') return null
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '"' || character === "'") {
      quote = character
    } else if (character === '>') {
      const isEmpty = text.charAt(at - 1) === '/'
      const rest = text.slice(start, isEmpty ? at - 1 : at)
      return { isEnd: slash === '/', isEmpty, name: name.toLowerCase(), rest, end: at + 1 }
    }
  }
  return null
}

function keptAttributes(rest: string): string {
  if (!rest.includes('=') || rest.length > attributesCharactersMax) return ''
  let kept = ''
  for (const [, name = '', value = ''] of rest.matchAll(attribute)) {
    const lower = name.toLowerCase()
    if (lower.startsWith('xmlns') || attributes.has(lower)) kept += ` ${name}=${value}`
  }
  return kept
}

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** An element that is being read, or passed over. */
interface Element {
  readonly name: string
  /** How many of its name are open in it, itself included. */
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
  #passed: Element | null = null
  #itemCount = 0
  #leafCount = 0
  #isDone = false

  constructor(text: string, itemsMax: number) {
    this.#text = text
    this.#itemsMax = itemsMax
  }

  tidy(): string {
    let at = 0
    while (at < this.#text.length && !this.#isDone) {
      const open = this.#text.indexOf('<', at)
      const end = open === -1 ? this.#text.length : open
      this.#add(this.#text.slice(at, end))
      at = open === -1 ? end : this.#readMarkup(open)
    }
    this.#endLeaf()
    this.#closeTo(0)
    return this.#written.join('')
  }

  /** Reads what begins with the `<` at `open`; returns where the text goes on. */
  #readMarkup(open: number): number {
    const text = this.#text
    if (text.startsWith('<!--', open)) return this.#endOf('-->', open + 4)
    if (text.startsWith('<![CDATA[', open)) {
      const end = this.#endOf(']]>', open + 9)
      const closing = text.endsWith(']]>', end) ? end - 3 : end
      this.#add(escapeMarkup(text.slice(open + 9, Math.min(closing, open + 9 + leafCharactersMax))))
      return end
    }
    const next = text.charAt(open + 1)
    if (next === '!' || next === '?') return this.#endOf('>', open + 2)
    const tag = readTag(text, open)
    if (tag === null) {
      this.#add('&lt;')
      return open + 1
    }
    if (tag.isEnd) this.#readEnd(tag)
    else this.#readStart(tag)
    return tag.end
  }

  /** Returns the place behind the next `mark`, or behind all when there is none. */
  #endOf(mark: string, from: number): number {
    const found = this.#text.indexOf(mark, from)
    return found === -1 ? this.#text.length : found + mark.length
  }

  #readStart(tag: Tag): void {
    const local = localName(tag.name)
    // What a program wrote before the feed is passed over, whether it is ended or not.
    if (this.#open.length === 0 && !kinds.has(local)) return
    if (items.has(local)) {
      this.#endItem()
      this.#itemCount++
      this.#isDone = this.#itemCount > this.#itemsMax
      if (this.#isDone) return
    }
    const around = this.#passed ?? this.#leaf
    if (around !== null) {
      if (tag.name === around.name && !tag.isEmpty) around.depth++
      this.#add(`&lt;${tag.name}${tag.rest}&gt;`)
    } else if (containers.has(local)) {
      this.#openContainer(tag)
    } else if (leaves.has(local)) {
      const { name } = tag
      this.#leaf = { name, depth: 1, attributes: keptAttributes(tag.rest), pieces: [], length: 0 }
      if (tag.isEmpty) this.#endLeaf()
    } else if (!tag.isEmpty) {
      this.#passed = { name: tag.name, depth: 1 }
    }
  }

  #readEnd({ name }: Tag): void {
    if (containers.has(localName(name))) {
      const place = this.#open.lastIndexOf(name)
      if (place === -1) return
      this.#endLeaf()
      this.#closeTo(place)
      return
    }
    const around = this.#passed ?? this.#leaf
    if (around === null) return
    if (name === around.name) around.depth--
    if (around.depth > 0) this.#add(`&lt;/${name}&gt;`)
    else if (around === this.#leaf) this.#endLeaf()
    else this.#passed = null
  }

  #openContainer({ name, rest, isEmpty }: Tag): void {
    this.#isDone = this.#open.length === depthMax
    if (this.#isDone) return
    this.#open.push(name)
    this.#written.push(`<${name}${keptAttributes(rest)}>`)
    if (isEmpty) this.#closeTo(this.#open.length - 1)
  }

  /** Ends an item that its own end tag did not. */
  #endItem(): void {
    this.#endLeaf()
    const place = this.#open.findIndex((name) => items.has(localName(name)))
    if (place !== -1) this.#closeTo(place)
  }

  #closeTo(depth: number): void {
    for (const name of this.#open.splice(depth).reverse()) this.#written.push(`</${name}>`)
  }

  /** Ends the element that is read or passed over; an empty one is left out, as another may follow. */
  #endLeaf(): void {
    const leaf = this.#leaf
    this.#leaf = null
    this.#passed = null
    if (leaf === null) return
    const content = leaf.pieces.join('')
    if (content.trim() === '' && leaf.attributes === '') return
    this.#written.push(`<${leaf.name}${leaf.attributes}>${content}</${leaf.name}>`)
    this.#leafCount++
    if (this.#leafCount === this.#itemsMax * leavesOfItemMax) this.#isDone = true
  }

  /** Adds to the text of the element that is read; text between elements says nothing. */
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

/** Reports whether a text begins as a JSON feed does that says which version it has. */
export const isJsonFeed = (text: string): boolean =>
  /^\s*\{/.test(text.slice(0, 1_000)) && text.slice(0, 65_536).includes('jsonfeed.org/version/')

/** Returns a text without the mark of its byte order. */
export const withoutMark = (text: string): string =>
  text.startsWith('\uFEFF') ? text.slice(1) : text

/** Reports whether a text, or the beginning of one, is a news feed and not a web page. */
export function isNewsText(sample: string): boolean {
  return isJsonFeed(withoutMark(sample)) || feedKindOf(sample) !== null
}
