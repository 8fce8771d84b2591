/**
 * Shared infrastructure: hosting platforms, page builders and shorteners, whose many tenants have nothing in
 * common but the suffix of their names. A platform is never judged as a whole.
 *
 * The table is a text file that people edit; other platforms come from the private section of the Public
 * Suffix List. Other sources, such as guard sources, may add names, but cannot change an entry of either.
 */

import { isPublicName, parseDomainName, privateSuffix } from './domain.ts'
import { type Fact, readFacts } from './fact-lines.ts'
import { type CanonicalUrl, pageKey } from './url.ts'

/**
 * What to judge on a platform: a `tenant` is the label left of the apex, a `page` is a host with its path, a
 * `redirect` is a page that leads elsewhere.
 */
export const platformModes = ['tenant', 'page', 'redirect'] as const
export type PlatformMode = (typeof platformModes)[number]

export interface Platform {
  readonly apex: string
  readonly mode: PlatformMode
}

/** `registry` marks a suffix of a company that sells names like a registry; it is not a platform. */
type RowMode = PlatformMode | 'registry'

/** An entry of the table. */
export interface PlatformRow {
  readonly apex: string
  readonly mode: RowMode
}

/** All known platforms. */
export interface Platforms {
  /** The platforms of the table, in its order, without those of the Public Suffix List. */
  readonly named: readonly Platform[]
  /** Returns all entries of the table, in its order, registries included. */
  rows(): Iterable<PlatformRow>
  /** Returns the platform with the longest apex equal to or above the canonical `host`, or null. */
  findPlatform(host: string): Platform | null
}

const rowModes: readonly string[] = [...platformModes, 'registry'] satisfies RowMode[]
const isRowMode = (word: string | undefined): word is RowMode =>
  word !== undefined && rowModes.includes(word)

function parseRow({ text, fail }: Fact): PlatformRow {
  const [name = '', mode, ...rest] = text.split(/\s+/)
  if (!isRowMode(mode) || rest.length > 0) {
    return fail(`write a name and one of ${rowModes.join(', ')}`)
  }
  const apex = parseDomainName(name)
  if (!apex.ok || apex.value !== name) return fail('write the name in lower case, in A-labels')
  if (mode !== 'registry' && !isPublicName(name)) return fail('a platform must be a public name')
  return { apex: apex.value, mode }
}

/** Returns where the second-last label of `host` starts. */
function secondLevelStart(host: string): number {
  const lastDot = host.lastIndexOf('.')
  return lastDot < 1 ? 0 : host.lastIndexOf('.', lastDot - 1) + 1
}

const isPlatform = (row: PlatformRow): row is Platform => row.mode !== 'registry'

/** A table of platforms: rows by name, and the last two labels of every name to reject hosts fast. */
export class PlatformTable implements Platforms {
  readonly #rows = new Map<string, PlatformRow>()
  readonly #secondLevels = new Set<string>()

  get named(): readonly Platform[] {
    return [...this.#rows.values()].filter(isPlatform)
  }

  rows(): Iterable<PlatformRow> {
    return this.#rows.values()
  }

  /** Adds a row with a canonical name, and reports whether the name was new. */
  add(row: PlatformRow): boolean {
    if (this.#rows.has(row.apex)) return false
    this.#rows.set(row.apex, row)
    this.#secondLevels.add(row.apex.slice(secondLevelStart(row.apex)))
    return true
  }

  /** Adds a platform, unless the table or the Public Suffix List has its apex. */
  extend(platform: Platform): void {
    if (this.findPlatform(platform.apex)?.apex !== platform.apex) this.add(platform)
  }

  /** Prefers the longer of the name in the table and the suffix in the list; the table wins a tie. */
  findPlatform(host: string): Platform | null {
    const row = this.#find(host)
    if (row !== null && !isPlatform(row)) return null
    const suffix = privateSuffix(host)
    if (suffix === null || (row !== null && row.apex.length >= suffix.length)) return row
    return { apex: suffix, mode: 'tenant' }
  }

  /** Returns the row with the longest name equal to or above `host`, or null; a miss takes one probe. */
  #find(host: string): PlatformRow | null {
    let start = secondLevelStart(host)
    let name = host.slice(start)
    if (!this.#secondLevels.has(name)) return null
    let longest: PlatformRow | null = null
    for (;;) {
      longest = this.#rows.get(name) ?? longest
      if (start < 2) return longest
      start = host.lastIndexOf('.', start - 2) + 1
      name = host.slice(start)
    }
  }
}

/**
 * Parses the table: one `apex mode` per line, `suffix registry` for a suffix that only looks like a
 * platform. Throws a `FactError` at the first invalid line.
 */
export function parsePlatforms(text: string): Platforms {
  const table = new PlatformTable()
  for (const fact of readFacts('shared infrastructure', text)) {
    const row = parseRow(fact)
    if (!table.add(row)) fact.fail(`${row.apex} is already in the table; remove one`)
  }
  return table
}

/** Returns `base` with those of `platforms` whose apex it does not contain. */
export function extendPlatforms(base: Platforms, platforms: Iterable<Platform>): Platforms {
  const table = new PlatformTable()
  for (const row of base.rows()) table.add(row)
  for (const platform of platforms) table.extend(platform)
  return table
}

/** The part of a platform to judge for a URL. */
export interface PlatformUnit {
  readonly phrase: 'the exact subdomain' | 'the exact page'
  /** The name of the tenant (the apex when the URL has no tenant) or the key of the page. */
  readonly value: string
}

/** Returns what to judge about `url`, which is on `platform`. */
export function findPlatformUnit(platform: Platform, url: CanonicalUrl): PlatformUnit {
  if (platform.mode !== 'tenant') return { phrase: 'the exact page', value: pageKey(url) }
  const apexStart = url.host.length - platform.apex.length
  const tenantStart = apexStart < 2 ? 0 : url.host.lastIndexOf('.', apexStart - 2) + 1
  return { phrase: 'the exact subdomain', value: url.host.slice(tenantStart) }
}

/** Returns the sentence about a platform in an answer (specification §3, `note`). */
export function platformNote(platform: Platform): string {
  switch (platform.mode) {
    case 'tenant':
      return `${platform.apex} hosts pages of many people; judge the exact subdomain.`
    case 'page':
      return `${platform.apex} hosts pages of many people; judge the exact page.`
    case 'redirect':
      return (
        `${platform.apex} forwards to pages of many people; ` +
        'where a link leads is unknown, as it is never fetched.'
      )
  }
}
