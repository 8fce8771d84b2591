/**
 * Finds the phrases of `data/audience-words.txt` in running text, and its words in host names.
 *
 * Both are built once. A text costs its words times the few phrases that begin with each; a host costs
 * one step a character, as it is asked for every row of an import.
 */

import { factLines } from '../model/fact-lines.ts'

/** A table of words that cannot be used; the message names the line and what it may hold. */
export class AudienceTableError extends Error {
  override readonly name = 'AudienceTableError'
}

/** Splits the table into the lines of its sections, which are named `[so]`. */
export function readSections(text: string): ReadonlyMap<string, readonly string[]> {
  const sections = new Map<string, string[]>()
  let section: string[] | null = null
  for (const line of factLines(text)) {
    const name = /^\[(.+)\]$/.exec(line)?.[1]
    if (name !== undefined) {
      section = []
      sections.set(name, section)
    } else if (section === null) {
      throw new AudienceTableError(`audience words, "${line}": write a [section] line above it`)
    } else {
      section.push(line)
    }
  }
  return sections
}

/** The longest text that is looked at; a title and a summary have 600 characters. */
const textLengthMax = 4_000

/** A text as its words, in lower case, and where each stands. */
export interface Words {
  readonly text: string
  readonly words: readonly string[]
  readonly starts: readonly number[]
}

/** Cuts a text into words: runs of letters and digits. */
export function wordsOf(text: string): Words {
  const lowered = text.slice(0, textLengthMax).toWellFormed().normalize('NFKC').toLowerCase()
  const words: string[] = []
  const starts: number[] = []
  for (const found of lowered.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    words.push(found[0])
    starts.push(found.index)
  }
  return { text: lowered, words, starts }
}

/** What a place in a phrase takes: certain words, or whatever a test accepts. */
interface Place {
  readonly words: readonly string[]
  readonly takes: (word: string) => boolean
}

interface Phrase {
  readonly places: readonly Place[]
  readonly kind: 'plain' | 'weak' | 'excluded'
}

/** A phrase that stands in a text. */
export interface PhraseMatch {
  /** The words as they stand there, in lower case. */
  readonly words: string
  readonly isWeak: boolean
}

function placeOf(pattern: string, line: string): Place {
  if (pattern === '<word>') return { words: [], takes: () => true }
  const [, word = '', ending = ''] =
    /^([\p{L}\p{N}]*)(\*|\(s\)|<digits?>)?$/u.exec(pattern) ??
    fail(line, 'write words, word*, word(s), <word>, <digit> or <digits>')
  if (ending === '*') return { words: [], takes: (other) => other.startsWith(word) }
  if (ending.startsWith('<')) {
    const digits = new RegExp(`^${word}\\d${ending === '<digits>' ? '+' : ''}$`)
    return { words: [], takes: (other) => digits.test(other) }
  }
  const words = ending === '(s)' ? [word, `${word}s`] : [word]
  return { words, takes: (other) => words.includes(other) }
}

function fail(line: string, hint: string): never {
  throw new AudienceTableError(`audience words, "${line}": ${hint}`)
}

function phraseOf(line: string): Phrase {
  const mark = line.charAt(0)
  const kind = mark === '~' ? 'weak' : mark === '!' ? 'excluded' : 'plain'
  const pattern = kind === 'plain' ? line : line.slice(1).trim()
  if (pattern === '') fail(line, 'write a phrase behind the mark')
  const places = pattern.split(/\s+/).map((place) => placeOf(place, line))
  return { places, kind }
}

export class PhraseFinder {
  /** Phrases by each word that they can begin with, the longest first. */
  readonly #byWord = new Map<string, Phrase[]>()
  /** Phrases that begin with a word that only a test can tell, the longest first. */
  readonly #others: readonly Phrase[]

  constructor(lines: readonly string[]) {
    const phrases = lines
      .map(phraseOf)
      .toSorted((a, b) => b.places.length - a.places.length || rank(a) - rank(b))
    this.#others = phrases.filter(({ places }) => places[0]?.words.length === 0)
    for (const phrase of phrases) {
      for (const word of phrase.places[0]?.words ?? []) {
        const known = this.#byWord.get(word)
        if (known === undefined) this.#byWord.set(word, [phrase])
        else known.push(phrase)
      }
    }
  }

  /** Returns the phrases that stand in a text, each once, in the order in which they begin. */
  find({ text, words, starts }: Words): readonly PhraseMatch[] {
    const found = new Map<Phrase, PhraseMatch>()
    for (let at = 0; at < words.length; ) {
      const phrase = this.#at(words, at)
      if (phrase === null) {
        at++
        continue
      }
      const last = at + phrase.places.length - 1
      if (phrase.kind !== 'excluded' && !found.has(phrase)) {
        const end = (starts[last] ?? 0) + (words[last]?.length ?? 0)
        const standing = text.slice(starts[at], end).replace(/\s+/g, ' ')
        found.set(phrase, { words: standing, isWeak: phrase.kind === 'weak' })
      }
      at = last + 1
    }
    return [...found.values()]
  }

  /** Returns the longest phrase that begins with the word at `at`, or null. */
  #at(words: readonly string[], at: number): Phrase | null {
    const stands = ({ places }: Phrase): boolean =>
      places.every((place, step) => {
        const word = words[at + step]
        return word !== undefined && place.takes(word)
      })
    const known = this.#byWord.get(words[at] ?? '')?.find(stands)
    const other = this.#others.find(stands)
    if (known === undefined || other === undefined) return known ?? other ?? null
    return other.places.length > known.places.length ? other : known
  }
}

/** Of phrases of one length, one that is excluded goes first, and a weak one last. */
const rank = ({ kind }: Phrase): number => ['excluded', 'plain', 'weak'].indexOf(kind)

/** Words of so many letters are found inside of longer ones as well. */
const insideLengthMin = 6

/** What a host can hold: letters, digits, the hyphen, and all that parts words. */
const symbolCount = 38
const parting = 0
const hyphen = 37

/** The symbol of each character of ASCII; any other parts words, as a dot does. */
const symbols = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 0x61 && code <= 0x7a) return code - 0x60
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 27
  return code === 0x2d ? hyphen : parting
})

const symbolAt = (text: string, at: number): number => symbols[text.charCodeAt(at)] ?? parting

const isParting = (symbol: number): boolean => symbol === parting || symbol === hyphen

interface HostWord {
  /** As it is told. */
  readonly told: string
  readonly length: number
  /** Does it count only where it stands by itself? */
  readonly isWhole: boolean
}

/**
 * The automaton of Aho and Corasick ("Efficient string matching", 1975) over all words at once, every
 * transition written out: `next[state * symbolCount + symbol]` is the next state, 0 the first. With 24
 * words, 400 states of 76 bytes.
 */
export class HostWordFinder {
  readonly #next: Uint16Array
  /** By state: the word that ends there. */
  readonly #words: (HostWord | null)[] = [null]

  constructor(lines: readonly string[]) {
    const spellings = lines.flatMap((line) => spellingsOf(line))
    const statesMax = 1 + spellings.reduce((sum, { text }) => sum + text.length, 0)
    this.#next = new Uint16Array(statesMax * symbolCount)
    for (const { text, word } of spellings) this.#addWord(text, word)
    this.#linkStates()
  }

  #addWord(text: string, word: HostWord): void {
    let state = 0
    for (let at = 0; at < text.length; at++) {
      const place = state * symbolCount + symbolAt(text, at)
      if (this.#next[place] === 0) this.#next[place] = this.#words.push(null) - 1
      state = this.#next[place] ?? 0
    }
    this.#words[state] = word
  }

  /** Leads every state, for what does not go on, to where the longest end of it would go on. */
  #linkStates(): void {
    const fallback = new Uint16Array(this.#words.length)
    const queue = [0]
    for (const state of queue) {
      const back = fallback[state] ?? 0
      this.#words[state] ??= this.#words[back] ?? null
      for (let symbol = 0; symbol < symbolCount; symbol++) {
        const place = state * symbolCount + symbol
        const elsewhere = state === 0 ? 0 : (this.#next[back * symbolCount + symbol] ?? 0)
        const next = this.#next[place] ?? 0
        if (next === 0) {
          this.#next[place] = elsewhere
        } else {
          fallback[next] = elsewhere
          queue.push(next)
        }
      }
    }
  }

  /** Returns the words that stand in the first `end` characters of a name, each once. */
  find(name: string, end: number): readonly string[] {
    let state = 0
    let found: string[] | null = null
    for (let at = 0; at < end; at++) {
      state = this.#next[state * symbolCount + symbolAt(name, at)] ?? 0
      const word = this.#words[state]
      if (word === null || word === undefined) continue
      const start = at + 1 - word.length
      const isAlone =
        (start === 0 || isParting(symbolAt(name, start - 1))) &&
        (at + 1 === end || isParting(symbolAt(name, at + 1)))
      if (word.isWhole && !isAlone) continue
      found ??= []
      if (!found.includes(word.told)) found.push(word.told)
    }
    return found ?? noWords
  }
}

const noWords: readonly string[] = []

/** Returns the ways in which a word, or two, are written in a name. */
function spellingsOf(line: string): { readonly text: string; readonly word: HostWord }[] {
  if (!/^[a-z0-9]+(?: [a-z0-9]+)?$/.test(line)) fail(line, 'write one word or two, in lower case')
  return [...new Set([line.replace(' ', ''), line.replace(' ', '-')])].map((text) => ({
    text,
    word: { told: line, length: text.length, isWhole: text.length < insideLengthMin },
  }))
}
