/**
 * Finds phrases in running text, word by word: the one engine and the one grammar of `data/red-flags.txt` and
 * `data/audience-words.txt`.
 *
 *   table  ::= ("[" name "]" note? NEWLINE (mark? phrase NEWLINE)*)*      mark ::= "~" | "!"
 *   phrase ::= (word | group)*           group ::= "(" phrase ("|" phrase)* ")" "?"?
 *
 *   word       that word; `don't` is two      <n>               a number
 *   word(s)    the word or its plural         6<digit>          a word and one digit, joined
 *   word*      words that begin so            apt<digits>       a word and some digits, joined
 *   <word>     any word                       *                 up to three words of any kind
 *
 * Each phrase becomes a regular expression over a line that holds the words of the text, each followed by
 * a space, and a line break where a sentence ends, so that no match goes beyond it:
 *
 *   (confirm|verify) your * account    (?:confirm |verify )your (?:[^ \n]+ ){0,3}?account
 *   Please verify your bank account.   please verify your bank account ⏎
 *
 * It is tried only at words that it can begin with, and nothing in it repeats without a bound, so the work
 * per word is bounded by the phrases: linear in the text. Rejected: one automaton of all phrases (Glushkov's
 * construction). It took the same time (0.6 ms for each of 6,446 mails) and finds no longest match.
 */

import { factLines } from './fact-lines.ts'

/** A table or phrase that cannot be read; the message names it and says what it may hold. */
export class PhraseError extends Error {
  override readonly name = 'PhraseError'
}

/** A phrase with what the caller wants to know when it is found. */
export interface Phrase<Meaning> {
  readonly pattern: string
  readonly meaning: Meaning
}

export interface PhraseMatch<Meaning> extends Phrase<Meaning> {
  /** Where the words are in the text. */
  readonly start: number
  readonly end: number
}

/** A weak phrase counts less; an excluded one only takes its words from the others. */
export type PhraseMark = 'plain' | 'weak' | 'excluded'

/** The phrases below one `[name]` line. */
export interface PhraseGroup {
  readonly name: string
  readonly note: string
  readonly phrases: readonly { readonly pattern: string; readonly mark: PhraseMark }[]
}

/** Reads a table of phrases; lines before the first `[name]` are refused. */
export function parsePhraseTable(text: string): readonly PhraseGroup[] {
  const groups: (PhraseGroup & { readonly phrases: { pattern: string; mark: PhraseMark }[] })[] = []
  for (const line of factLines(text)) {
    const [, name, note = ''] = /^\[([^\]]+)\](.*)$/.exec(line) ?? []
    if (name !== undefined) {
      groups.push({ name, note: note.trim(), phrases: [] })
      continue
    }
    const mark = line.startsWith('~') ? 'weak' : line.startsWith('!') ? 'excluded' : 'plain'
    const pattern = (mark === 'plain' ? line : line.slice(1)).trim()
    const group = groups.at(-1)
    if (group === undefined || pattern === '' || line.startsWith('[')) {
      throw new PhraseError(`phrases, "${line}": write a [name] line, and phrases below it`)
    }
    group.phrases.push({ pattern, mark })
  }
  return groups
}

/** A word, a number, a sign of money, or the end of a sentence. */
const textToken = /\p{L}[\p{L}\p{M}\p{N}]*|\p{N}+(?:[.,]\p{N}+)*|[€$£]|[.!?](?=\s)/gu
/** What a pattern is made of. */
const patternToken = /\)\?|[^\s()|]+\(s\)|[()|]|[^\s()|]+/g

const anyWord = '[^ \\n]+ '
const number = '\\d[^ \\n]* '
const startLengthMin = 3

/** Returns a word as it is compared: without accents, which phishers drop and mistype. */
function toKey(word: string): string {
  if (/^[\0-\x7f]*$/.test(word)) return word
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
  return /^\p{N}/u.test(plain) ? `0${plain}` : plain
}

/** A part of a phrase. */
interface Part {
  readonly source: string
  /** The words it can begin with: `word`, `wor*` or `0`, a number. */
  readonly first: readonly string[]
  readonly isOptional: boolean
  /** Whether it can begin, or end, with any word. */
  readonly startsOpen: boolean
  readonly endsOpen: boolean
}

const emptyPart: Part = {
  source: '',
  first: [],
  isOptional: true,
  startsOpen: false,
  endsOpen: false,
}

const openPart = (source: string, isOptional: boolean): Part => ({
  source,
  first: [],
  isOptional,
  startsOpen: true,
  endsOpen: true,
})

function join(left: Part, right: Part): Part {
  return {
    source: left.source + right.source,
    first: left.isOptional ? [...left.first, ...right.first] : left.first,
    isOptional: left.isOptional && right.isOptional,
    startsOpen: left.startsOpen || (left.isOptional && right.startsOpen),
    endsOpen: right.endsOpen || (right.isOptional && left.endsOpen),
  }
}

/** What may be joined to a word of a pattern, and how that is written in a regular expression. */
const endings: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['*', '[^ \\n]*'],
  ['(s)', 's?'],
  ['<digit>', '\\d'],
  ['<digits>', '\\d+'],
])

/** Returns the key of the phrases that begin with the start of a word, or with a number. */
const toStart = (key: string): string =>
  /^\d/.test(key) ? '0' : `${key.slice(0, startLengthMin)}*`

/** Returns the part for one word of a pattern. */
function readWord(word: string): Part {
  if (word === '*') return openPart(`(?:${anyWord}){0,3}?`, true)
  if (word === '<word>') return openPart(anyWord, false)
  if (word === '<n>') return { ...emptyPart, source: number, first: ['0'], isOptional: false }
  const [, stem = '', ending = ''] = /^(.*?)(\*|\(s\)|<digits?>)?$/s.exec(word) ?? []
  const isDigits = ending.startsWith('<')
  const keys = (stem.toLowerCase().match(textToken) ?? []).map(toKey)
  const last = keys.at(-1) ?? ''
  if ((last === '' && !(isDigits && stem === '')) || /[*<>()]/.test(stem)) {
    throw new PhraseError(`"${word}" is not a word`)
  }
  if ((ending === '*' || isDigits) && /^\D{1,2}$/.test(last)) {
    throw new PhraseError(
      `"${word}" must have ${startLengthMin} letters before the star or the digits`,
    )
  }
  const [begin = '0'] = keys
  const isExact = keys.length > 1 || ending === ''
  const plural = ending === '(s)' ? [begin, `${begin}s`] : [toStart(begin)]
  const source = keys.map((key) => key.replace(/[.$]/g, '\\$&')).join(' ')
  return {
    ...emptyPart,
    source: `${source}${endings.get(ending) ?? ''} `,
    first: isExact ? [begin] : plural,
    isOptional: false,
  }
}

class PatternReader {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(pattern: string) {
    this.#tokens = pattern.match(patternToken) ?? []
  }

  read(): Part {
    const part = this.#readRow()
    if (this.#at < this.#tokens.length) throw new PhraseError('a bracket or bar is out of place')
    if (!part.isOptional && !part.startsOpen && !part.endsOpen) return part
    throw new PhraseError('it must begin and end with a word that cannot be left out')
  }

  /** Reads words and groups up to a bar, a closing bracket or the end. */
  #readRow(): Part {
    let row = emptyPart
    for (let next = this.#tokens[this.#at]; next !== undefined; next = this.#tokens[this.#at]) {
      if (next === '|' || next.startsWith(')')) break
      this.#at++
      row = join(row, next === '(' ? this.#readGroup() : readWord(next))
    }
    return row
  }

  /** Reads alternatives up to the closing bracket. */
  #readGroup(): Part {
    const parts: Part[] = []
    for (let separator: string | undefined = '|'; separator === '|'; ) {
      const part = this.#readRow()
      if (part === emptyPart) throw new PhraseError('an alternative is empty')
      parts.push(part)
      separator = this.#tokens[this.#at++]
      if (separator === undefined) throw new PhraseError('a bracket is not closed')
    }
    const isLeftOut = this.#tokens[this.#at - 1] === ')?'
    return {
      source: `(?:${parts.map(({ source }) => source).join('|')})${isLeftOut ? '??' : ''}`,
      first: parts.flatMap(({ first }) => first),
      isOptional: isLeftOut || parts.some(({ isOptional }) => isOptional),
      startsOpen: parts.some(({ startsOpen }) => startsOpen),
      endsOpen: parts.some(({ endsOpen }) => endsOpen),
    }
  }
}

function readPattern(pattern: string): Part {
  try {
    return new PatternReader(pattern).read()
  } catch (error) {
    if (!(error instanceof PhraseError)) throw error
    throw new PhraseError(`phrase "${pattern}": ${error.message}`, { cause: error })
  }
}

/** The words of a text, written as phrases are compared with. */
class WordLine {
  readonly line: string
  readonly keys: string[] = []
  /** Where each word starts in the line, and its place in the text. */
  readonly #at: number[] = []
  readonly #places: { readonly start: number; readonly end: number }[] = []

  constructor(text: string) {
    const pieces: string[] = []
    let length = 0
    for (const { 0: word, index } of text.matchAll(textToken)) {
      const isEnd = /^[.!?]/.test(word)
      const key = isEnd ? '\n' : toKey(word)
      if (!isEnd) {
        this.keys.push(key)
        this.#at.push(length)
        this.#places.push({ start: index, end: index + word.length })
      }
      pieces.push(isEnd ? key : `${key} `)
      length += key.length + (isEnd ? 0 : 1)
    }
    this.line = pieces.join('')
  }

  /** Returns the last word of the match of a phrase that begins with a word; -1 without a match. */
  findLast(phrase: RegExp, word: number): number {
    phrase.lastIndex = this.#at[word] ?? 0
    if (!phrase.test(this.line)) return -1
    let last = word
    while ((this.#at[last + 1] ?? phrase.lastIndex) < phrase.lastIndex) last++
    return last
  }

  toPlace(first: number, last: number): { readonly start: number; readonly end: number } {
    return { start: this.#places[first]?.start ?? 0, end: this.#places[last]?.end ?? 0 }
  }
}

/** Words of a text that a phrase matches, by their numbers. */
interface Span {
  readonly first: number
  readonly last: number
}

/** Finds phrases in texts in lower case. */
export class PhraseFinder<Meaning> {
  readonly #phrases: readonly Phrase<Meaning>[]
  readonly #patterns: readonly RegExp[]
  /** The phrases that can begin with a word, by the keys of `Part.first`. */
  readonly #byFirst = new Map<string, Set<number>>()

  /** Builds the finder; throws a `PhraseError` that names a phrase it cannot read. */
  constructor(phrases: readonly Phrase<Meaning>[]) {
    this.#phrases = phrases
    this.#patterns = phrases.map(({ pattern }, phrase) => {
      const { source, first } = readPattern(pattern)
      for (const key of first) {
        this.#byFirst.set(key, (this.#byFirst.get(key) ?? new Set()).add(phrase))
      }
      return new RegExp(source, 'y')
    })
  }

  /** Returns the phrases to try at each word of a line, in the order of the table. */
  #openLine(line: WordLine): (word: number) => readonly number[] {
    const known = new Map<string, readonly number[]>()
    return (word) => {
      const key = line.keys[word] ?? ''
      const found = known.get(key)
      if (found !== undefined) return found
      const sets = [this.#byFirst.get(key), this.#byFirst.get(toStart(key))]
      const phrases = [...new Set(sets.flatMap((set) => [...(set ?? [])]))].sort((a, b) => a - b)
      known.set(key, phrases)
      return phrases
    }
  }

  #toMatch(line: WordLine, phrase: number, { first, last }: Span): PhraseMatch<Meaning>[] {
    const found = this.#phrases[phrase]
    return found === undefined ? [] : [{ ...found, ...line.toPlace(first, last) }]
  }

  /** Returns the first and shortest place of each phrase that occurs, in the order they end. */
  findEach(text: string): readonly PhraseMatch<Meaning>[] {
    const line = new WordLine(text)
    const phrasesAt = this.#openLine(line)
    const found = new Map<number, Span>()
    for (let first = 0; first < line.keys.length; first++) {
      for (const phrase of phrasesAt(first)) {
        const known = found.get(phrase)?.last ?? Number.POSITIVE_INFINITY
        const pattern = first > known ? undefined : this.#patterns[phrase]
        const last = pattern === undefined ? -1 : line.findLast(pattern, first)
        // A match that begins later and ends no later is shorter.
        if (last !== -1 && last <= known) found.set(phrase, { first, last })
      }
    }
    return [...found]
      .sort(([a, x], [b, y]) => x.last - y.last || y.first - x.first || a - b)
      .flatMap(([phrase, span]) => this.#toMatch(line, phrase, span))
  }

  /**
   * Returns the matches that share no words, from left to right: where several begin, the longest, and
   * of equals the first in the table.
   */
  findLongest(text: string): readonly PhraseMatch<Meaning>[] {
    const line = new WordLine(text)
    const phrasesAt = this.#openLine(line)
    const matches: PhraseMatch<Meaning>[] = []
    for (let first = 0; first < line.keys.length; first++) {
      let longest = -1
      let last = first - 1
      for (const phrase of phrasesAt(first)) {
        const pattern = this.#patterns[phrase]
        const end = pattern === undefined ? -1 : line.findLast(pattern, first)
        if (end > last) [longest, last] = [phrase, end]
      }
      if (longest === -1) continue
      matches.push(...this.#toMatch(line, longest, { first, last }))
      first = last
    }
    return matches
  }
}
