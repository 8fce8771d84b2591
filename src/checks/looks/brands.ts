/**
 * The brands of `data/brands.txt`, by domain and by name.
 */

import brandsText from '../../../data/brands.txt' with { type: 'text' }
import { type Brand, parseBrands } from '../../model/brand.ts'

export { brandsText }

export interface Brands {
  readonly all: readonly Brand[]
  /** Returns the brand whose domain equals or lies above the canonical `host`, below `apex`; or null. */
  findOwner(host: string, apex?: string): Brand | null
  /** Returns the brand that a name, an alias or a domain's label spells, or null. */
  named(text: string): Brand | null
}

/** Returns the letters and digits of a name in lower case without diacritics: `Crédit Agricole` is `creditagricole`. */
export function toSlug(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** The length of the shortest label of a domain that names its brand. */
const labelLengthMin = 4

/** Returns an index of brands; names take precedence over aliases, and aliases over labels. */
export function indexBrands(all: readonly Brand[]): Brands {
  const byDomain = new Map<string, Brand>()
  const bySlug = new Map<string, Brand>()
  const note = (slug: string, brand: Brand): void => {
    if (slug !== '' && !bySlug.has(slug)) bySlug.set(slug, brand)
  }
  for (const brand of all) {
    for (const domain of brand.domains) byDomain.set(domain, brand)
    note(toSlug(brand.name), brand)
  }
  for (const brand of all) for (const alias of brand.aliases) note(toSlug(alias), brand)
  for (const brand of all) {
    for (const domain of brand.domains) {
      const label = toSlug(domain.split('.', 1)[0] ?? '')
      // Shorter ones are words of everyday life: go, me, my.
      if (label.length >= labelLengthMin) note(label, brand)
    }
  }
  return {
    all,
    findOwner(host, apex = '') {
      for (let name = host; name !== apex; ) {
        const brand = byDomain.get(name)
        if (brand !== undefined) return brand
        const dot = name.indexOf('.')
        if (dot === -1) return null
        name = name.slice(dot + 1)
      }
      return null
    },
    named: (text) => bySlug.get(toSlug(text)) ?? null,
  }
}

const domainForm = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/

/** Returns the brand that a text names by name, alias or domain, or null. */
export function brandMeantBy(
  brands: Pick<Brands, 'named' | 'findOwner'>,
  text: string,
): Brand | null {
  const domain = text.trim().toLowerCase()
  return domainForm.test(domain) ? brands.findOwner(domain) : brands.named(text)
}

/** Reads the brands that ship with weir. */
export function loadBrands(): Brands {
  return indexBrands(parseBrands(brandsText))
}
