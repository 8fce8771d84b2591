/**
 * Brands that phishing imitates: their names, and the domains that really belong to them.
 *
 * The table is a text file that people edit, one brand per line. Pure.
 */

import { parseDomainName } from './domain.ts'
import { type Fact, readFacts } from './fact-lines.ts'
import type { IndicatorType } from './indicator.ts'

/** The industry of a brand. */
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
  /** As its owner writes it; the value of `target_brand`. */
  readonly name: string
  readonly sector: Sector
  /** Its registered domains, the best-known first. */
  readonly domains: readonly string[]
  /** Its other names, as people write them. */
  readonly aliases: readonly string[]
  /** Its name is also an ordinary word, which alone is weak evidence. */
  readonly isWord: boolean
}

const isSector = (word: string): word is Sector => sectors.some((sector) => sector === word)

const words = (cell: string, separator: string): string[] =>
  cell
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== '')

function parseBrand({ text, fail }: Fact): Brand {
  const [name = '', sector = '', domainCell = '', aliasCell = '', mark = '', ...rest] = text
    .split('|')
    .map((cell) => cell.trim())
  if (name === '' || rest.length > 0) {
    return fail('write name | sector | domains | aliases | mark')
  }
  if (!isSector(sector)) return fail(`the sector must be one of ${sectors.join(', ')}`)
  if (mark !== '' && mark !== 'word') return fail('the mark must be "word" or absent')
  const domains = words(domainCell, ' ')
  if (domains.length === 0) return fail('name at least one domain')
  for (const domain of domains) {
    const parsed = parseDomainName(domain)
    if (!parsed.ok || parsed.value !== domain) {
      return fail(`write ${domain} in lower case, in A-labels`)
    }
  }
  return { name, sector, domains, aliases: words(aliasCell, ','), isWord: mark === 'word' }
}

/**
 * Parses the table: `name | sector | domains | aliases | mark` on each line, domains separated by spaces,
 * aliases by commas, the mark `word` or nothing. Throws a `FactError` at the first line that is invalid or
 * repeats a name or domain of another.
 */
export function parseBrands(text: string): readonly Brand[] {
  const brands: Brand[] = []
  const named = new Map<string, string>()
  for (const fact of readFacts('brands', text)) {
    const brand = parseBrand(fact)
    const own = new Set([brand.name.toLowerCase(), ...brand.domains])
    if (new Set(brand.domains).size < brand.domains.length) fact.fail('it has a domain twice')
    for (const key of own) {
      const other = named.get(key)
      if (other !== undefined) fact.fail(`${key} also belongs to ${other}`)
      named.set(key, brand.name)
    }
    brands.push(brand)
  }
  return brands
}

/** A listed name, page or e-mail address, with the host of the latter two. */
interface ListedName {
  readonly type: IndicatorType
  readonly value: string
  readonly host?: string
}

/** Names the brands that listed values imitate: ingestion asks it, and the rules of the checks answer. */
export interface BrandNamer {
  /** Identifies the set of rules and facts. */
  readonly rules: string
  /** Returns the brand that a listed value imitates, or null. */
  findBrand(listed: ListedName): string | null
  /** Returns what weir calls a brand that a source names, so that each has one name; else the source's name. */
  toKnownName(name: string): string
}
