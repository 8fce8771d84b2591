/**
 * Personal numbers in a plain reading: payment cards, social-security and phone numbers.
 *
 * A number begins and ends with a group of digits. Numbers with a characteristic shape are searched at every
 * group; remaining groups with enough digits for a phone number count as one, unless a date, a time, an
 * amount or an address explains them. Linear: a card has at most `cardDigitsMax` groups.
 */

import {
  cardCharacters,
  findDigitGroups,
  type Group,
  gapCharacters,
  gapMax,
  joints,
  pathCharacters,
  type Span,
} from './digit-groups.ts'
import { findExplanations, findHosts, findMatches, hideHexadecimal } from './explained-digits.ts'

/** A personal number, or one too long to classify. */
export interface PersonalNumber extends Span {
  readonly kind: 'phone' | 'card' | 'ssn' | 'hidden'
}

/** ISO/IEC 7812-1. */
const cardDigitsMin = 13
const cardDigitsMax = 19
/** E.164 §6.2.1; the shortest with a country code in use have eight. */
const phoneDigitsMax = 15
const internationalDigitsMin = 8
/** Fewer digits without a plus sign are a code, an order number or a date. */
const phoneDigitsMin = 10

/** A gap between any two parts of a number whose digits or shape are known. */
const anyGap = `[${gapCharacters}${pathCharacters}]{0,${gapMax}}`
const properGap = `[${gapCharacters}]{1,${gapMax}}`

/** Numbers of country code 1: 3-3-4, with or without a 1. */
const northAmerican = new RegExp(
  `(?<!\\d)(?:1${anyGap})?\\d{3}${anyGap}\\d{3}${anyGap}\\d{4}(?!\\d)`,
  'g',
)
const ssn = new RegExp(`(?<!\\d)\\d{3}${properGap}\\d{2}${properGap}\\d{4}(?!\\d)`, 'g')

/** A comma or semicolon before a space separates the items of a list. */
const cardGap = `(?![,;] )[${gapCharacters}${pathCharacters}${cardCharacters}]{1,${gapMax}}`
/** The groups printed on cards, with up to three more digits (ISO/IEC 7812-1); every attempt is bounded. */
const printedCard = new RegExp(
  `(?<!\\d)(?=([2-6]\\d{3}(?:(?:${cardGap}\\d{4}){3}|${cardGap}\\d{6}${cardGap}\\d{4,5})(?!\\d))(${cardGap}\\d{1,3}(?!\\d))?)`,
  'g',
)
const onlyYears = /^(?:(?:19|20)\d\d(?:\D+|$))+$/

/** A gap in a number without a characteristic shape; a full stop and a space would end a sentence. */
const plainGap = /^(?: {1,2}|\.| \/ | ?- ?| ?\( ?| ?\)[ -]?)$/

/** Extensions after a phone number. */
const extension = /^[ ,;]{0,2}(?:extension|extn?|x|#)[.:=#]? ?\d{1,6}(?![-./]?\d)/i
const extensionMax = 22

/** Returns a phone number with its plus sign, the bracket before the area code and the extension. */
function wholePhone(text: string, { start, end }: Span): Span {
  const opening = /[)\]]/.test(text.slice(start, end)) ? /[([+]/ : /\+/
  let from = start
  while (opening.test(text.charAt(from - 1))) from--
  if (/\+ $/.test(text.slice(Math.max(from - 2, 0), from))) from -= 2
  const tail = extension.exec(text.slice(end, end + extensionMax))?.[0].length ?? 0
  return { start: from, end: end + tail }
}

/** The search of one text: what was found, and what of the rest is explained. */
class Search {
  readonly found: PersonalNumber[] = []
  readonly #text: string
  readonly #groups: readonly Group[]
  readonly #isFound: Uint8Array
  readonly #isExplained: Uint8Array
  readonly #explanations: readonly Span[]
  /** For each position, one more than the index of the explanation that holds it. */
  readonly #explanationAt: Int32Array

  constructor(text: string) {
    this.#text = text
    this.#groups = findDigitGroups(text)
    this.#isFound = new Uint8Array(text.length)
    this.#isExplained = new Uint8Array(text.length)
    this.#explanations = findExplanations(text)
    this.#explanationAt = new Int32Array(text.length)
    for (const [index, { start, end }] of this.#explanations.entries()) {
      this.#isExplained.fill(1, start, end)
      this.#explanationAt.fill(index + 1, start, end)
    }
  }

  #isOpen({ start }: Group): boolean {
    return this.#isFound[start] === 0 && this.#isExplained[start] === 0
  }

  /** Adds a number, extended to any date or amount that it overlaps. */
  #add(kind: PersonalNumber['kind'], { start, end }: Span): void {
    const span = kind === 'phone' ? wholePhone(this.#text, { start, end }) : { start, end }
    const before = this.#explanations[(this.#explanationAt[span.start] ?? 0) - 1] ?? span
    const after = this.#explanations[(this.#explanationAt[span.end - 1] ?? 0) - 1] ?? span
    const number = {
      kind,
      start: Math.min(span.start, before.start),
      end: Math.max(span.end, after.end),
    }
    this.#isFound.fill(1, number.start, number.end)
    this.found.push(number)
  }

  findShapes(): void {
    for (const span of findMatches(northAmerican, this.#text)) this.#add('phone', span)
    for (const span of findMatches(ssn, this.#text)) this.#add('ssn', span)
  }

  /** Finds cards in the groups that are printed on them, with any separators. */
  findPrintedCards(): void {
    for (const { 1: groups = '', 2: more = '', index: start } of this.#text.matchAll(printedCard)) {
      if (onlyYears.test(groups)) continue
      const number = [groups + more, groups].find(hasCheckDigit)
      if (number !== undefined) this.#add('card', { start, end: start + number.length })
    }
  }

  /** Finds cards at any group, unless they are only phone numbers or dates in a row. */
  findCards(): void {
    let open = 0
    for (const [from, { start }] of this.#groups.entries()) {
      open = this.#nextOpen(Math.max(open, from))
      const to = findCardEnd(this.#text, this.#groups, from)
      const end = this.#groups[to - 1]?.end
      if (open < to && end !== undefined) this.#add('card', { start, end })
    }
  }

  /** Returns the index of the first group from `index` on that is neither found nor explained. */
  #nextOpen(index: number): number {
    let next = index
    for (let group = this.#groups[next]; group !== undefined; group = this.#groups[++next]) {
      if (this.#isOpen(group)) break
    }
    return next
  }

  /** Finds numbers after a plus sign, as long as possible, without a date or amount after them. */
  findInternational(): void {
    for (const [from, first] of this.#groups.entries()) {
      if (!first.hasPlus || this.#isExplained[first.start] === 1) continue
      let { end } = first
      let length = 0
      for (let i = from; i < this.#groups.length; i++) {
        const group = this.#groups[i]
        if (group === undefined) break
        if (i > from && (group.joint === joints.apart || group.hasPlus)) break
        const longer = length + group.end - group.start
        const isEnough = length >= internationalDigitsMin
        if (longer > phoneDigitsMax || (isEnough && this.#isExplained[group.start] === 1)) break
        length = longer
        end = group.end
      }
      if (length >= internationalDigitsMin) this.#add('phone', { start: first.start, end })
    }
  }

  /** Finds remaining groups with enough digits for a phone number. */
  findRest(): void {
    for (const { start, end } of findHosts(this.#text)) this.#isExplained.fill(1, start, end)
    let rest: Group[] = []
    const close = (): void => {
      const [first] = rest
      const last = rest.at(-1)
      if (first !== undefined && last !== undefined && isPhoneLike(this.#text, rest)) {
        this.#add('phone', { start: first.start, end: last.end })
      }
      rest = []
    }
    for (const group of this.#groups) {
      const previous = rest.at(-1)
      const between = previous === undefined ? '' : this.#text.slice(previous.end, group.start)
      if (between !== ' ' && !plainGap.test(between)) close()
      const length = group.end - group.start
      if (this.#isOpen(group) && length <= phoneDigitsMax) rest.push(group)
      else close()
      if (length > cardDigitsMax && this.#isOpen(group)) this.#add('hidden', group)
    }
    close()
  }
}

/** Reports whether the digits of a number pass as a card. */
function hasCheckDigit(number: string): boolean {
  const digits = number.replace(/\D/g, '')
  return findCardEnd(digits, findDigitGroups(digits), 0) > 0
}

/** Returns the index after the last group of the longest card that begins with a group; 0 for none. */
function findCardEnd(text: string, groups: readonly Group[], from: number): number {
  let end = 0
  let length = 0
  // Luhn's algorithm (ISO/IEC 7812-1, Annex B), the last digit counted once, and doubled.
  let sum = 0
  let sumDoubled = 0
  for (let i = from; i < groups.length; i++) {
    const group = groups[i]
    if (group === undefined || length + group.end - group.start > cardDigitsMax) break
    if (i > from && group.joint !== joints.joined) break
    for (let at = group.start; at < group.end; at++) {
      const digit = text.charCodeAt(at) - 0x30
      const before = sum
      sum = sumDoubled + digit
      sumDoubled = before + (digit > 4 ? digit * 2 - 9 : digit * 2)
      length++
    }
    if (length >= cardDigitsMin && sum % 10 === 0) end = i + 1
  }
  return end
}

/** Reports whether consecutive groups can be a phone number, not just years or a card. */
function isPhoneLike(text: string, groups: readonly Group[]): boolean {
  const length = groups.reduce((sum, { start, end }) => sum + end - start, 0)
  if (length < phoneDigitsMin) return false
  const last = groups.length - 1
  const isByFour = groups.every(({ start, end }, i) => end - start === 4 || i === last)
  // By its check digit it is not a card, or it would have been found.
  if (isByFour && last >= 3 && length > phoneDigitsMax && length <= cardDigitsMax) return false
  return !groups.every(({ start, end }) => /^(?:19|20)\d\d$/.test(text.slice(start, end)))
}

/** Returns the personal numbers in a plain reading; where they overlap, the first counts. */
export function findPersonalNumbers(plain: string): PersonalNumber[] {
  const search = new Search(hideHexadecimal(plain))
  search.findPrintedCards()
  search.findShapes()
  search.findCards()
  search.findInternational()
  search.findRest()
  return search.found
}

/** The country code before a number, or only its plus sign. */
const codeBefore = new RegExp(`\\+[ ([]{0,2}(?:\\d{1,3}${properGap})?$`)
const codeMax = 11

/**
 * Returns the places of a number in E.164 in a plain reading, in any formatting; one of country code 1 also
 * without its code, unless it is written as a number of another country.
 */
export function findPhone(text: string, e164: string): Span[] {
  const digits = e164.replace(/\D/g, '')
  const national = digits.startsWith('1') ? digits.slice(1) : digits
  const spelled = (part: string): string => [...part].join(anyGap)
  const whole = `(?:(?:00|011)${anyGap})?(${spelled(digits)})`
  const known = new RegExp(`(?<!\\d)(?:${whole}|${spelled(national)})(?!\\d)`, 'g')
  const spans: Span[] = []
  for (const { 0: number, 1: full, index } of text.matchAll(known)) {
    const isForeign = codeBefore.test(text.slice(Math.max(index - codeMax, 0), index))
    if (full !== undefined || !isForeign) spans.push({ start: index, end: index + number.length })
  }
  return spans
}

/** Words near social-security numbers without hyphens. */
const ssnWords = /\bssn|\bss ?#|social|\bsoc\.? ?sec|\bitin\b|\btin\b|taxpayer/gi
/** Maximum number of letters between such a word and the number. */
const ssnLettersMax = 60
const nineDigits = new RegExp(`(?<!\\d)\\d(?:${anyGap}\\d){8}(?!\\d)`, 'g')

/**
 * Returns nine digits in any grouping near a word for social-security numbers.
 *
 * Only letters count as distance, not barriers, so that masking something between the two changes nothing.
 */
export function findNamedSsns(text: string): Span[] {
  const words = [...text.matchAll(ssnWords)]
  if (words.length === 0) return []
  const letters = new Int32Array(text.length + 1)
  for (let i = 0; i < text.length; i++) {
    letters[i + 1] = (letters[i] ?? 0) + (/[a-z]/i.test(text.charAt(i)) ? 1 : 0)
  }
  const lettersBetween = (at: number, to: number): number =>
    Math.abs((letters[at] ?? 0) - (letters[to] ?? 0))
  let next = 0
  return findMatches(nineDigits, text).filter(({ start, end }) => {
    while ((words[next]?.index ?? text.length) < start) next++
    const [before, after] = [words[next - 1], words[next]]
    const isAfter =
      before !== undefined &&
      lettersBetween(before.index + before[0].length, start) <= ssnLettersMax
    return isAfter || (after !== undefined && lettersBetween(after.index, end) <= ssnLettersMax)
  })
}
