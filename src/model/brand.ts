/**
 * Brands that are imitated: what they are called, and which domains are really theirs.
 *
 * The table is a text file that a person edits, one brand a line. Pure.
 */

import { parseDomainName } from './domain.ts'

/** What a brand's business is. */
export const sectors = [
  'bank',
  'payment',
  'crypto',
  'post',
  'shop',
  'tech',
  'telecom',
  'social',
  'media',
  'travel',
  'government',
  'toll',
  'insurance',
  'energy',
  'other',
] as const
export type Sector = (typeof sectors)[number]

export interface Brand {
  /** As its owner writes it; what `target_brand` says. */
  readonly name: string
  readonly sector: Sector
  /** Registered domains that are its own, the one people know first. */
  readonly domains: readonly string[]
  /** What it is also called, as people write it. */
  readonly aliases: readonly string[]
  /** Its name is a word of a language, so that alone it says little. */
  readonly isWord: boolean
}

/** A table of brands that cannot be used; the message names the line and what it may hold. */
export class BrandTableError extends Error {
  override readonly name = 'BrandTableError'
}

const isSector = (word: string): word is Sector => sectors.some((sector) => sector === word)

const words = (cell: string, separator: string): string[] =>
  cell
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== '')

function readBrand(line: string, number: number): Brand | null {
  const content = line.split('#', 1)[0]?.trim() ?? ''
  if (content === '') return null
  const fail = (why: string): never => {
    throw new BrandTableError(`brands, line ${number}, "${content}": ${why}`)
  }
  const [name = '', sector = '', domainCell = '', aliasCell = '', mark = '', ...rest] = content
    .split('|')
    .map((cell) => cell.trim())
  if (name === '' || rest.length > 0) {
    return fail('write name | sector | domains | aliases | mark')
  }
  if (!isSector(sector)) return fail(`the sector must be one of ${sectors.join(', ')}`)
  if (mark !== '' && mark !== 'word') return fail('the mark must be "word" or left out')
  const domains = words(domainCell, ' ')
  if (domains.length === 0) return fail('name one domain at least')
  for (const domain of domains) {
    const parsed = parseDomainName(domain)
    if (!parsed.ok || parsed.value !== domain) {
      return fail(`write ${domain} in lower case, in A-labels`)
    }
  }
  return { name, sector, domains, aliases: words(aliasCell, ','), isWord: mark === 'word' }
}

/**
 * Reads the table: `name | sector | domains | aliases | mark` a line, domains separated by spaces,
 * aliases by commas, the mark `word` or nothing; `#` starts a comment. Throws a `BrandTableError` at
 * the first line that is none, or that names what another one has named.
 */
export function parseBrands(text: string): readonly Brand[] {
  const brands: Brand[] = []
  const named = new Map<string, string>()
  for (const [index, line] of text.split('\n').entries()) {
    const brand = readBrand(line, index + 1)
    if (brand === null) continue
    const own = new Set([brand.name.toLowerCase(), ...brand.domains])
    if (new Set(brand.domains).size < brand.domains.length) {
      throw new BrandTableError(`brands, line ${index + 1}: a domain stands twice`)
    }
    for (const key of own) {
      const other = named.get(key)
      if (other !== undefined) {
        throw new BrandTableError(`brands, line ${index + 1}: ${key} is also of ${other}`)
      }
      named.set(key, brand.name)
    }
    brands.push(brand)
  }
  return brands
}
