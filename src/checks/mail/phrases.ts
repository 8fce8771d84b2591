/**
 * Finds phrases in running text, word by word, in one pass and without going back.
 *
 * A phrase is a row of places, each of which takes certain words; places may be left out, and a gap
 * is three places that take any word or none. All phrases together are one automaton whose states
 * are the places (Glushkov's construction):
 *
 *   (confirm|verify) your * account      0 confirm|verify ─▶ 1 your ─┬▶ 2 any ─┬▶ 3 any ─┬▶ 4 any ─┐
 *                                                                    └─────────┴─────────┴─────────┴▶ 5 account
 *
 * A text's word moves every state that it fits at most once, so the work per word is bounded by the
 * number of places, and is near nothing for a word that stands in no phrase. The end of a sentence
 * ends every match.
 */

import { Automaton, addPhrase, phraseToken } from './patterns.ts'

/** A phrase with what the caller wants to know when it is found. */
export interface Phrase<Meaning> {
  /**
   * Words, separated by blanks. `(a|b c)` takes either, `(a)?` may be left out, `word*` takes words
   * that start so, `<n>` a number, and `*` by itself up to three words of any kind.
   */
  readonly pattern: string
  readonly meaning: Meaning
}

export interface PhraseMatch<Meaning> {
  readonly meaning: Meaning
  /** Where the words stand in the text. */
  readonly start: number
  readonly end: number
}

export interface PhraseFinder<Meaning> {
  /** Returns the first place of each phrase that occurs, in the order they end; each phrase once. */
  find(text: string): readonly PhraseMatch<Meaning>[]
}

/** One walk through one text. */
class Walk<Meaning> {
  readonly matches: PhraseMatch<Meaning>[] = []
  readonly #automaton: Automaton
  readonly #phrases: readonly Phrase<Meaning>[]
  readonly #found: Uint8Array
  /** The word at which a state was last reached. */
  readonly #reachedAt: Int32Array
  /** The states that the latest word reached, and where the match of each starts. */
  #active: number[] = []
  #starts: number[] = []
  #word = 0

  constructor(automaton: Automaton, phrases: readonly Phrase<Meaning>[]) {
    this.#automaton = automaton
    this.#phrases = phrases
    this.#found = new Uint8Array(phrases.length)
    this.#reachedAt = new Int32Array(automaton.states.length)
  }

  endSentence(): void {
    if (this.#active.length === 0) return
    this.#active = []
    this.#starts = []
  }

  step(symbols: readonly number[], start: number, end: number): void {
    if (symbols.length === 0 && this.#active.length === 0) return
    this.#word++
    const active = this.#active
    const starts = this.#starts
    this.#active = []
    this.#starts = []
    // A match that starts later is shorter; it goes first, and the first to reach a state stays.
    for (const symbol of symbols) {
      const begun = this.#automaton.beginnings[symbol]
      if (begun !== undefined) for (const state of begun) this.#reach(state, start, end)
    }
    for (let i = 0; i < active.length; i++) {
      const from = this.#automaton.states[active[i] ?? 0]
      if (from === undefined || this.#found[from.phrase] === 1) continue
      for (const next of from.next) {
        if (this.#takes(next, symbols)) this.#reach(next, starts[i] ?? start, end)
      }
    }
  }

  #takes(index: number, symbols: readonly number[]): boolean {
    const taken = this.#automaton.states[index]?.symbols
    if (taken === undefined || taken.size === 0) return taken !== undefined
    for (const symbol of symbols) if (taken.has(symbol)) return true
    return false
  }

  #reach(index: number, start: number, end: number): void {
    const state = this.#automaton.states[index]
    if (state === undefined || this.#reachedAt[index] === this.#word) return
    if (this.#found[state.phrase] === 1) return
    this.#reachedAt[index] = this.#word
    if (!state.isLast) {
      this.#active.push(index)
      this.#starts.push(start)
      return
    }
    this.#found[state.phrase] = 1
    const phrase = this.#phrases[state.phrase]
    if (phrase !== undefined) this.matches.push({ meaning: phrase.meaning, start, end })
  }
}

/** Builds the finder; throws a `PhraseError` that names a phrase it cannot read. */
export function createPhraseFinder<Meaning>(
  phrases: readonly Phrase<Meaning>[],
): PhraseFinder<Meaning> {
  const automaton = new Automaton()
  for (const [index, { pattern }] of phrases.entries()) {
    addPhrase(automaton, pattern, index)
  }
  return {
    find(text) {
      const walk = new Walk(automaton, phrases)
      const known = new Map<string, readonly number[]>()
      for (const found of text.matchAll(phraseToken)) {
        const word = found[0]
        if (/^[.!?]/.test(word)) {
          walk.endSentence()
          continue
        }
        let symbols = known.get(word)
        if (symbols === undefined) {
          symbols = automaton.symbolsOf(word)
          known.set(word, symbols)
        }
        walk.step(symbols, found.index, found.index + word.length)
      }
      return walk.matches
    },
  }
}
