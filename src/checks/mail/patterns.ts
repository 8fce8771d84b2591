/**
 * Reads phrases into the automaton that finds them (`mail-phrases` says how).
 *
 *   row ::= (word | group)*        group ::= "(" row ("|" row)* ")" "?"?
 */

/** A phrase that cannot be read; the message says what is wrong with it. */
export class PhraseError extends Error {
  override readonly name = 'PhraseError'
}

const gapWords = 3
const startLengthMin = 3
const number = '<n>'

/** A word, a number, a sign of money, or the end of a sentence. */
export const phraseToken = /\p{L}[\p{L}\p{M}\p{N}]*|\p{N}[\p{N}.,]*|[€$£]|[.!?](?=\s)/gu
/** What a pattern is made of. */
const patternToken = /\)\?|[()|]|[^\s()|]+/g

/** Returns a word as it is compared: without accents, which phishers drop and mistype. */
function keyOf(word: string): string {
  if (/^[\0-\x7f]*$/.test(word)) return word
  return word.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
}

/** Returns the symbols that one word of a pattern stands for: `don't` is two words of a text. */
function symbolsIn(word: string): string[] {
  if (word === number) return [number]
  const isStart = word.endsWith('*')
  const keys = ((isStart ? word.slice(0, -1) : word).toLowerCase().match(phraseToken) ?? []).map(
    keyOf,
  )
  const last = keys.pop()
  if (last === undefined) throw new PhraseError(`"${word}" is no word`)
  if (!isStart) return [...keys, last]
  if (last.length >= startLengthMin) return [...keys, `${last}*`]
  throw new PhraseError(`"${word}" must have ${startLengthMin} letters before the star`)
}

/** A place of a phrase. */
interface State {
  /** What it takes; nothing stands for any word. */
  readonly symbols: ReadonlySet<number>
  readonly phrase: number
  /** The states that the next word may reach. */
  readonly next: number[]
  isLast: boolean
}

/** A part of a phrase: where it may begin and end, and whether it may be left out. */
interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly isOptional: boolean
}

const emptyPart: Part = { first: [], last: [], isOptional: true }

/** The states of all phrases together. */
export class Automaton {
  readonly states: State[] = []
  /** The states that a phrase begins with, by the symbol that reaches them. */
  readonly beginnings: (number[] | undefined)[] = []
  readonly #symbols = new Map<string, number>()
  /** The lengths of the starts that `word*` asks for. */
  readonly #startLengths = new Set<number>()

  addState(symbols: readonly string[], phrase: number): Part {
    const index = this.states.length
    const taken = new Set(symbols.map((symbol) => this.#numberOf(symbol)))
    this.states.push({ symbols: taken, phrase, next: [], isLast: false })
    return { first: [index], last: [index], isOptional: symbols.length === 0 }
  }

  #numberOf(symbol: string): number {
    const known = this.#symbols.get(symbol)
    if (known !== undefined) return known
    if (symbol.endsWith('*')) this.#startLengths.add(symbol.length - 1)
    const fresh = this.#symbols.size
    this.#symbols.set(symbol, fresh)
    return fresh
  }

  join(left: Part, right: Part): Part {
    for (const from of left.last) this.states[from]?.next.push(...right.first)
    return {
      first: left.isOptional ? [...left.first, ...right.first] : left.first,
      last: right.isOptional ? [...left.last, ...right.last] : right.last,
      isOptional: left.isOptional && right.isOptional,
    }
  }

  /** Makes a part a phrase of its own. */
  finish(part: Part): void {
    const isOpen = (index: number): boolean => this.states[index]?.symbols.size === 0
    if (part.isOptional || part.first.some(isOpen) || part.last.some(isOpen)) {
      throw new PhraseError('it must begin and end with a word that cannot be left out')
    }
    for (const index of part.last) {
      const state = this.states[index]
      if (state !== undefined) state.isLast = true
    }
    for (const index of part.first) {
      for (const symbol of this.states[index]?.symbols ?? []) {
        const begun = this.beginnings[symbol] ?? []
        begun.push(index)
        this.beginnings[symbol] = begun
      }
    }
  }

  /** Returns the symbols that a text's word stands for; none for a word of no phrase. */
  symbolsOf(word: string): readonly number[] {
    const key = keyOf(word)
    const found = [this.#symbols.get(key)]
    if (/^\p{N}/u.test(word)) found.push(this.#symbols.get(number))
    for (const length of this.#startLengths) {
      if (length <= key.length) found.push(this.#symbols.get(`${key.slice(0, length)}*`))
    }
    return found.filter((symbol) => symbol !== undefined)
  }
}

class PatternReader {
  readonly #automaton: Automaton
  readonly #phrase: number
  readonly #tokens: readonly string[]
  #at = 0

  constructor(automaton: Automaton, pattern: string, phrase: number) {
    this.#automaton = automaton
    this.#phrase = phrase
    this.#tokens = pattern.match(patternToken) ?? []
  }

  read(): void {
    const part = this.#readRow()
    if (this.#at < this.#tokens.length) throw new PhraseError('a bracket or bar is out of place')
    this.#automaton.finish(part)
  }

  /** Reads words and groups up to a bar, a closing bracket or the end. */
  #readRow(): Part {
    let row = emptyPart
    for (let next = this.#tokens[this.#at]; next !== undefined; next = this.#tokens[this.#at]) {
      if (next === '|' || next.startsWith(')')) break
      this.#at++
      row = this.#automaton.join(row, next === '(' ? this.#readGroup() : this.#word(next))
    }
    return row
  }

  /** Reads alternatives up to the closing bracket; those of one word share a state. */
  #readGroup(): Part {
    const parts: Part[] = []
    const words: string[] = []
    for (;;) {
      const word = this.#tokens[this.#at] ?? ''
      const follower = this.#tokens[this.#at + 1] ?? ''
      const symbols = /^[()|*]/.test(word) || word === '' ? [] : symbolsIn(word)
      if (symbols.length === 1 && /^[|)]/.test(follower)) {
        words.push(...symbols)
        this.#at++
      } else {
        const part = this.#readRow()
        if (part === emptyPart) throw new PhraseError('an alternative is empty')
        parts.push(part)
      }
      const separator = this.#tokens[this.#at++]
      if (separator === undefined) throw new PhraseError('a bracket is not closed')
      if (separator === '|') continue
      if (words.length > 0) parts.push(this.#automaton.addState(words, this.#phrase))
      return {
        first: parts.flatMap((part) => part.first),
        last: parts.flatMap((part) => part.last),
        isOptional: separator === ')?' || parts.some((part) => part.isOptional),
      }
    }
  }

  #word(word: string): Part {
    const automaton = this.#automaton
    const parts =
      word === '*'
        ? Array.from({ length: gapWords }, () => automaton.addState([], this.#phrase))
        : symbolsIn(word).map((symbol) => automaton.addState([symbol], this.#phrase))
    return parts.reduce((row, part) => automaton.join(row, part), emptyPart)
  }
}

/** Reads a pattern into the automaton as the phrase of that number; throws a `PhraseError`. */
export function addPhrase(automaton: Automaton, pattern: string, phrase: number): void {
  try {
    new PatternReader(automaton, pattern, phrase).read()
  } catch (error) {
    if (!(error instanceof PhraseError)) throw error
    throw new PhraseError(`phrase "${pattern}": ${error.message}`, { cause: error })
  }
}
