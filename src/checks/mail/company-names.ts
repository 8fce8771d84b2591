/**
 * Finds the brands that a text names: a company as the caller wrote it, the display name of a sender, or
 * the part of an address before the @.
 *
 * Three readings, from the loosest to the strictest, since the name of a person may also be a brand's:
 * `given` reads what the caller named as a company, `displayName` finds brands among the words of a name,
 * `localPart` accepts only what is plainly a brand. Linear in the text; texts are cut at `wordsMax`.
 */

import companyWordsText from '../../../data/company-words.txt' with { type: 'text' }
import type { Brand } from '../../model/brand.ts'
import { parseDomainName } from '../../model/domain.ts'
import { editDistance } from '../../model/edit-distance.ts'
import { factLines } from '../../model/fact-lines.ts'
import { asciiSkeleton } from '../../model/skeleton.ts'
import { type Brands, toSlug } from '../looks/brands.ts'
import { type LookalikeLetters, toSearchText } from './plain.ts'

/** The most words that are read of a company's or a sender's name. */
const wordsMax = 16
/** The most words that one brand's name has. */
const brandWordsMax = 5
/** The most words that are searched of a mail's text: it names its sender early. */
const textWordsMax = 2_000
/** Shorter names are ordinary words in a text. */
const textLengthMin = 4
/** Among its first words, a mail often names its sender. */
const openingWords = 8

/** Shorter names occur inside others by chance. */
const containedLengthMin = 6
/** In shorter names one letter makes another name. */
const misspeltLengthMin = 8
const skeletonLengthMin = 5
/** A name this short counts only in capitals: UPS, not `ups`. */
const capitalsLengthMax = 3
const localPartLengthMin = 5

/** `Quinn, Dell`: a person, family name first. */
const personsName = /^\s*\p{L}+, \p{L}+\s*$/u

interface Word {
  readonly text: string
  readonly isCapital: boolean
}

const kinds = ['form', 'role', 'subject', 'joint'] as const
type WordKind = (typeof kinds)[number]

const isKind = (word: string): word is WordKind => kinds.some((kind) => kind === word)

/** A table of company words that cannot be used; the message names the line and what it may hold. */
export class CompanyWordsError extends Error {
  override readonly name = 'CompanyWordsError'
}

/** Reads `word kind` lines. */
export function parseCompanyWords(text: string): ReadonlyMap<string, WordKind> {
  const words = new Map<string, WordKind>()
  for (const line of factLines(text)) {
    const [word = '', kind = '', ...rest] = line.split(/\s+/)
    if (!isKind(kind) || rest.length > 0 || words.has(word)) {
      throw new CompanyWordsError(
        `company words, "${line}": write a word, each once, and one of ${kinds.join(', ')}`,
      )
    }
    words.set(word, kind)
  }
  return words
}

/** A brand's name after its first word. */
interface BrandPhrase {
  readonly brand: Brand
  readonly rest: readonly string[]
}

/** Returns the words of a text in one spelling, at most `limit`. */
function wordsIn(plain: string, limit: number): string[] {
  const words: string[] = []
  for (const [word] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (words.push(word) === limit) break
  }
  return words
}

export interface CompanyNames {
  /** Returns the brand that a company's name means, or null. */
  given(company: string): Brand | null
  /** Returns the brands in the display name of a sender, at most `wordsMax`. */
  displayName(name: string): readonly Brand[]
  /** Returns the brand that the part before the @ names, or null. */
  localPart(local: string): Brand | null
  /** Returns the brand that a mail's text, read by `readMailText`, claims to be from, or null. */
  text(text: string): Brand | null
  /** Returns the words of a company's name that distinguish it, joined. */
  toCore(company: string): string
}

/** Builds the finder over `brands`; `letters` as `data/confusables.txt` has them. */
export function createCompanyNames(brands: Brands, letters: LookalikeLetters): CompanyNames {
  return new NameFinder(brands, letters)
}

class NameFinder implements CompanyNames {
  readonly #brands: Brands
  readonly #letters: LookalikeLetters
  /** By the slugs of names and aliases; the name of a domain identifies no sender. */
  readonly #bySlug = new Map<string, Brand>()
  readonly #bySkeleton = new Map<string, Brand>()
  /** By the first word of names and aliases, the rest of each; the longest first. */
  readonly #byFirstWord = new Map<string, BrandPhrase[]>()
  /** Words that do not distinguish a company. */
  readonly #idle = parseCompanyWords(companyWordsText)

  constructor(brands: Brands, letters: LookalikeLetters) {
    this.#brands = brands
    this.#letters = letters
    for (const brand of brands.all) this.#add(toSlug(brand.name), brand)
    for (const brand of brands.all) {
      for (const alias of brand.aliases) this.#add(toSlug(alias), brand)
      if (brand.isWord) continue
      for (const name of [brand.name, ...brand.aliases]) this.#addPhrase(name, brand)
    }
  }

  #add(slug: string, brand: Brand): void {
    if (!this.#bySlug.has(slug)) this.#bySlug.set(slug, brand)
    const skeleton = asciiSkeleton(slug)
    const isLong = slug.length >= skeletonLengthMin && !brand.isWord
    if (isLong && !this.#bySkeleton.has(skeleton)) this.#bySkeleton.set(skeleton, brand)
  }

  #addPhrase(name: string, brand: Brand): void {
    const [first, ...rest] = wordsIn(toSearchText(name, this.#letters), brandWordsMax)
    if (first === undefined || toSlug(name).length < textLengthMin) return
    const phrases = this.#byFirstWord.get(first) ?? []
    phrases.push({ brand, rest })
    phrases.sort((a, b) => b.rest.length - a.rest.length)
    this.#byFirstWord.set(first, phrases)
  }

  given(company: string): Brand | null {
    const words = this.#readWords(company)
    const whole = toSlug(words.map(({ text }) => text).join(''))
    const core = this.toCore(company)
    const named = this.#brands.named(whole) ?? this.#brands.named(core)
    return named ?? this.#near(core) ?? this.#among(words)[0] ?? this.#contained(core)
  }

  displayName(name: string): readonly Brand[] {
    if (personsName.test(name)) return []
    const words = this.#readWords(name)
    const core = this.toCore(name)
    const named =
      core.length <= capitalsLengthMax ? null : (this.#bySlug.get(core) ?? this.#near(core))
    const found = [...this.#byDomain(name), ...this.#among(words)]
    return [...new Set(named === null ? found : [named, ...found])]
  }

  localPart(local: string): Brand | null {
    const core = this.toCore(local.replace(/[0-9]/g, ' '))
    const brand = this.#bySlug.get(core)
    const isPlain = core.length >= localPartLengthMin && brand?.isWord === false
    return isPlain ? (brand ?? null) : null
  }

  text(text: string): Brand | null {
    const words = wordsIn(text, textWordsMax)
    const mentions = new Map<Brand, number>()
    for (let at = 0; at < words.length; ) {
      const phrase = this.#phraseAt(words, at)
      const length = phrase === null ? 1 : 1 + phrase.rest.length
      const isSpeaking = at < openingWords || this.#idle.get(words[at + length] ?? '') === 'role'
      if (phrase !== null && isSpeaking) {
        mentions.set(phrase.brand, (mentions.get(phrase.brand) ?? 0) + 1)
      }
      at += length
    }
    const [most] = [...mentions].sort(([, a], [, b]) => b - a)
    return most?.[0] ?? null
  }

  #phraseAt(words: readonly string[], at: number): BrandPhrase | null {
    const phrases = this.#byFirstWord.get(words[at] ?? '') ?? []
    return phrases.find(({ rest }) => rest.every((word, i) => words[at + 1 + i] === word)) ?? null
  }

  toCore(company: string): string {
    const words = this.#readWords(company).filter(({ text }) => !this.#idle.has(text))
    return toSlug(words.map(({ text }) => text).join(''))
  }

  #readWords(text: string): Word[] {
    // As compatibility forms, these marks would become letters of the name before them.
    const plain = toSearchText(text.replace(/[™®©℠]/g, ' '), this.#letters)
    const capitals = new Set(text.match(/\p{Lu}{2,}/gu))
    return wordsIn(plain, wordsMax).map((word) => ({
      text: word,
      isCapital: capitals.has(word.toUpperCase()),
    }))
  }

  /** Returns the brands whose domains occur in a name, also after an `@`. */
  #byDomain(name: string): Brand[] {
    const shown = name.split(/[\s<>()[\]"',;@]/).filter((part) => part.includes('.'))
    return shown.slice(0, wordsMax).flatMap((part) => {
      const domain = parseDomainName(part)
      const brand = domain.ok ? this.#brands.findOwner(domain.value) : null
      return brand === null ? [] : [brand]
    })
  }

  /** Returns the brands that consecutive words spell. */
  #among(words: readonly Word[]): Brand[] {
    const found = new Set<Brand>()
    for (let start = 0; start < words.length; ) {
      const match = this.#longestAt(words, start)
      if (match !== null) found.add(match.brand)
      start += match?.length ?? 1
    }
    return [...found]
  }

  #longestAt(words: readonly Word[], start: number): { brand: Brand; length: number } | null {
    const most = Math.min(brandWordsMax, words.length - start)
    for (let length = most; length > 0; length--) {
      const some = words.slice(start, start + length)
      const slug = toSlug(some.map(({ text }) => text).join(''))
      const brand = this.#bySlug.get(slug) ?? this.#bySkeleton.get(asciiSkeleton(slug))
      const isShort = slug.length <= capitalsLengthMax && !some.every(({ isCapital }) => isCapital)
      if (brand !== undefined && !brand.isWord && !isShort) return { brand, length }
    }
    return null
  }

  #near(core: string): Brand | null {
    if (core.length < misspeltLengthMin) return null
    for (const [slug, brand] of this.#bySlug) {
      const isLong = slug.length >= misspeltLengthMin && !brand.isWord
      if (isLong && editDistance(slug, core, 1) === 1) return brand
    }
    return null
  }

  /** Returns the brand with the longest name that the text holds. */
  #contained(core: string): Brand | null {
    let longest = ''
    for (const [slug, brand] of this.#bySlug) {
      const isLong = slug.length >= containedLengthMin && slug.length > longest.length
      if (isLong && !brand.isWord && core.includes(slug)) longest = slug
    }
    return this.#bySlug.get(longest) ?? null
  }
}
