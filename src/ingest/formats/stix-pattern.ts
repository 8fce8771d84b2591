/**
 * Reads the values of a STIX pattern (STIX 2.1 §9) that are indicators each by itself: equalities joined by
 * OR.
 *
 *     [domain-name:value = 'a.example' OR url:value IN ('http://b.example/')] OR [file:hashes.MD5 = '…']
 *
 * A pattern that demands several things (AND, FOLLOWEDBY, a qualifier) or describes instead of naming (NOT,
 * LIKE, <) is refused as a whole: a part of it could list innocent names. One pass over the text, one over
 * the tokens; no recursion, nothing is read twice.
 */

import { isAsciiDigit, isAsciiLetter, isAsciiSpace } from '../../model/characters.ts'
import type { Result } from '../../model/result.ts'

/** One equality: the path of a value, such as `file:hashes.SHA-256`, and the value. */
export interface Comparison {
  /** Object type and property path, with the quotes around its steps taken off. */
  readonly path: string
  readonly value: string
}

/** Why a pattern has no values to list. */
export type PatternRefusal = 'malformed_row' | 'unsupported_type'

interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'symbol'
  readonly text: string
}

/** The longest pattern that is read. */
const patternCharsMax = 64 * 1024

/** The most values of a pattern. */
const comparisonsMax = 10_000

/** Keywords of patterns that are more than a choice between values. */
const otherWords: ReadonlySet<string> = new Set(
  'AND FOLLOWEDBY NOT EXISTS LIKE MATCHES ISSUBSET ISSUPERSET WITHIN REPEATS START STOP'.split(' '),
)
const otherOperators: ReadonlySet<string> = new Set(['!=', '<>', '<', '<=', '>', '>='])

/** Letters and the underscore begin a word; digits and hyphens may follow. */
const isWordStart = (code: number): boolean => isAsciiLetter(code) || code === 0x5f
const isWordPart = (code: number): boolean =>
  isWordStart(code) || isAsciiDigit(code) || code === 0x2d
const isNumberPart = (code: number): boolean => isAsciiDigit(code) || code === 0x2e

/** Returns where a run of characters ends. */
function endOfRun(text: string, start: number, isPart: (code: number) => boolean): number {
  let end = start
  while (end < text.length && isPart(text.charCodeAt(end))) end++
  return end
}

interface QuotedText {
  readonly value: string
  /** After the closing quote. */
  readonly end: number
}

/** Reads a quoted string, in which only the quote and the backslash are escaped; null when it is not valid. */
function readQuoted(text: string, start: number): QuotedText | null {
  const quote = text.charAt(start)
  const pieces: string[] = []
  let from = start + 1
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === quote) {
      pieces.push(text.slice(from, at))
      return { value: pieces.join(''), end: at + 1 }
    }
    if (character !== '\\') continue
    const escaped = text.charAt(at + 1)
    if (escaped !== quote && escaped !== '\\') return null
    pieces.push(text.slice(from, at))
    from = at + 1
    at++
  }
  return null
}

/** Splits a pattern into tokens; null when a character fits none. */
function readTokens(text: string): Token[] | null {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const character = text.charAt(at)
    let end = at + 1
    if (isAsciiSpace(code)) {
      at = end
      continue
    }
    if (isWordStart(code)) {
      end = endOfRun(text, end, isWordPart)
      tokens.push({ kind: 'word', text: text.slice(at, end) })
    } else if (isAsciiDigit(code) || character === '+' || character === '-') {
      end = endOfRun(text, end, isNumberPart)
      tokens.push({ kind: 'number', text: text.slice(at, end) })
    } else if (character === "'" || character === '"') {
      const quoted = readQuoted(text, at)
      if (quoted === null) return null
      end = quoted.end
      tokens.push({ kind: 'text', text: quoted.value })
    } else if ('=<>!'.includes(character)) {
      if ('=>'.includes(text.charAt(end)) && end < text.length) end++
      tokens.push({ kind: 'symbol', text: text.slice(at, end) })
    } else if ('[]().,:*'.includes(character)) {
      tokens.push({ kind: 'symbol', text: character })
    } else return null
    at = end
  }
  return tokens
}

/** Reads tokens from left to right; a step returns why it cannot go on, or null. */
class PatternReader {
  readonly #tokens: readonly Token[]
  #at = 0
  readonly comparisons: Comparison[] = []

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** Reads the next token if it is this symbol; reports whether it is. */
  #takes(symbol: string): boolean {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'symbol' || token.text !== symbol) return false
    this.#at++
    return true
  }

  #takesWord(word: string): boolean {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word' || token.text !== word) return false
    this.#at++
    return true
  }

  /** Returns why the next token is refused: it belongs to another kind of pattern, or to none. */
  #fault(): PatternRefusal {
    const token = this.#tokens[this.#at]
    const isOther =
      (token?.kind === 'word' && otherWords.has(token.text)) ||
      (token?.kind === 'symbol' && otherOperators.has(token.text))
    return isOther ? 'unsupported_type' : 'malformed_row'
  }

  /** Reads the whole pattern: observations in brackets, with OR between them and in them. */
  read(): PatternRefusal | null {
    let depthOutside = 0
    let depthInside = 0
    let isInside = false
    let isOperandDue = true
    while (this.#at < this.#tokens.length) {
      if (isOperandDue) {
        if (this.#takes('(')) {
          if (isInside) depthInside++
          else depthOutside++
        } else if (!isInside && this.#takes('[')) isInside = true
        else {
          const fault = isInside ? this.#readComparison() : this.#fault()
          if (fault !== null) return fault
          isOperandDue = false
        }
      } else if (this.#takesWord('OR')) isOperandDue = true
      else if ((isInside ? depthInside : depthOutside) > 0 && this.#takes(')')) {
        if (isInside) depthInside--
        else depthOutside--
      } else if (isInside && depthInside === 0 && this.#takes(']')) isInside = false
      else return this.#fault()
    }
    return isOperandDue || isInside || depthOutside > 0 ? 'malformed_row' : null
  }

  /** Reads `path = 'value'` or `path IN ('value', …)`. */
  #readComparison(): PatternRefusal | null {
    const path = this.#readPath()
    if (path === null) return this.#fault()
    if (this.#takes('=') || this.#takes('==')) return this.#readValue(path)
    if (!this.#takesWord('IN')) return this.#fault()
    if (!this.#takes('(')) return this.#fault()
    do {
      const fault = this.#readValue(path)
      if (fault !== null) return fault
    } while (this.#takes(','))
    return this.#takes(')') ? null : this.#fault()
  }

  #readValue(path: string): PatternRefusal | null {
    const token = this.#tokens[this.#at]
    if (token === undefined || token.kind === 'symbol') return this.#fault()
    // A number, a truth value, a time or bytes: of nothing that weir lists.
    if (token.kind !== 'text') return 'unsupported_type'
    if (this.comparisons.length === comparisonsMax) return 'malformed_row'
    this.#at++
    this.comparisons.push({ path, value: token.text })
    return null
  }

  /** Reads `type:property.step[0]`; returns null at the first token that does not fit. */
  #readPath(): string | null {
    const type = this.#tokens[this.#at]
    if (type?.kind !== 'word' || otherWords.has(type.text)) return null
    this.#at++
    if (!this.#takes(':')) return null
    const steps = [`${type.text}:`]
    let isStepDue = true
    for (;;) {
      const token = this.#tokens[this.#at]
      if (isStepDue) {
        if (token?.kind !== 'word' && token?.kind !== 'text') return null
        steps.push(token.text)
        this.#at++
        isStepDue = false
      } else if (this.#takes('.')) {
        steps.push('.')
        isStepDue = true
      } else if (this.#takes('[')) {
        const index = this.#tokens[this.#at]
        if (index?.kind !== 'number' && index?.text !== '*') return null
        this.#at++
        if (!this.#takes(']')) return null
        steps.push('[*]')
      } else return steps.join('')
    }
  }
}

/** Returns the values of a pattern that are each an indicator by itself. */
export function parseStixPattern(pattern: string): Result<readonly Comparison[], PatternRefusal> {
  if (pattern.length > patternCharsMax) return { ok: false, reason: 'malformed_row' }
  const tokens = readTokens(pattern)
  if (tokens === null) return { ok: false, reason: 'malformed_row' }
  const reader = new PatternReader(tokens)
  const fault = reader.read()
  return fault === null ? { ok: true, value: reader.comparisons } : { ok: false, reason: fault }
}
