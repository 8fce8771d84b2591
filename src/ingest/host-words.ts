/** Finds the words of `data/audience-words.txt` in host names, in one step per character. */

import { PhraseError } from '../model/phrases.ts'

/** Words of at least this many letters are also found inside longer ones. */
const insideLengthMin = 6

/** The symbols of a host: letters, digits, the hyphen, and the separator. */
const symbolCount = 38
const separator = 0
const hyphen = 37

/** The symbol of each ASCII character; any other separates words, as a dot does. */
const symbols = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 0x61 && code <= 0x7a) return code - 0x60
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 27
  return code === 0x2d ? hyphen : separator
})

const symbolAt = (text: string, at: number): number => symbols[text.charCodeAt(at)] ?? separator

const isSeparator = (symbol: number): boolean => symbol === separator || symbol === hyphen

interface HostWord {
  readonly name: string
  readonly length: number
  /** Whether it counts only between separators. */
  readonly isWhole: boolean
}

/**
 * The automaton of Aho and Corasick ("Efficient string matching", 1975) over all words, with every transition
 * stored: `next[state * symbolCount + symbol]` is the next state, 0 the first. 24 words take 400 states of 76
 * bytes.
 */
export class HostWordFinder {
  readonly #next: Uint16Array
  /** The word that ends in each state. */
  readonly #words: (HostWord | null)[] = [null]

  constructor(lines: readonly string[]) {
    const spellings = lines.flatMap((line) => listSpellings(line))
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

  /** Sets the missing transitions of every state to those of its longest suffix. */
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

  /** Returns the words in the first `end` characters of a name, each once. */
  find(name: string, end: number): readonly string[] {
    let state = 0
    let found: string[] | null = null
    for (let at = 0; at < end; at++) {
      state = this.#next[state * symbolCount + symbolAt(name, at)] ?? 0
      const word = this.#words[state]
      if (word === null || word === undefined) continue
      const start = at + 1 - word.length
      const isAlone =
        (start === 0 || isSeparator(symbolAt(name, start - 1))) &&
        (at + 1 === end || isSeparator(symbolAt(name, at + 1)))
      if (word.isWhole && !isAlone) continue
      found ??= []
      if (!found.includes(word.name)) found.push(word.name)
    }
    return found ?? noWords
  }
}

const noWords: readonly string[] = []

/** Returns the spellings of one word or two in a name. */
function listSpellings(line: string): { readonly text: string; readonly word: HostWord }[] {
  if (!/^[a-z0-9]+(?: [a-z0-9]+)?$/.test(line)) {
    throw new PhraseError(`host words, "${line}": write one word or two, in lower case`)
  }
  return [...new Set([line.replace(' ', ''), line.replace(' ', '-')])].map((text) => ({
    text,
    word: { name: line, length: text.length, isWhole: text.length < insideLengthMin },
  }))
}
