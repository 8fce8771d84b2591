/**
 * Holds the table of brands to its own rules: domains that somebody can own and that are nobody else's,
 * names that tell brands apart, an order that a person finds; and, where the first list is at hand, all of it.
 */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { indexBrands, toSlug } from '../../src/checks/looks/brands.ts'
import { parseBrands, sectors } from '../../src/model/brand.ts'
import { parseDomainName, registrableDomain } from '../../src/model/domain.ts'
import { parsePlatforms } from '../../src/model/platform.ts'
import { dataFolder, realData, testWith } from '../needs.ts'

const root = join(import.meta.dir, '..', '..')
const text = await Bun.file(join(root, 'data/brands.txt')).text()
const all = parseBrands(text)
const brands = indexBrands(all)
const platforms = parsePlatforms(
  await Bun.file(join(root, 'data/shared-infrastructure.txt')).text(),
)

const starter = '../vectors/brands-starter.json'

/** Suffixes below which only a state registers: every name there is its own. */
const stateSuffixes: ReadonlySet<string> = new Set(['gov.br', 'gov.pl', 'gov.uk', 'nhs.uk'])

/** Platforms whose owner sends mail and shows its own pages at the apex; the labels before it are others'. */
const ownPlatforms: ReadonlySet<string> = new Set([
  'box.com',
  'sharepoint.com',
  'squarespace.com',
  'tumblr.com',
  'wordpress.com',
  'zendesk.com',
])

const isTenantPlatform = (domain: string): boolean => {
  const platform = platforms.findPlatform(domain)
  return platform?.apex === domain && platform.mode === 'tenant'
}

const lines = text.split('\n')

/** Returns the rows of each section, a section beginning at a comment after a blank line. */
function sections(): { readonly title: string; readonly rows: readonly string[] }[] {
  return text
    .trimEnd()
    .split('\n\n')
    .slice(1)
    .map((block) => {
      const [title = '', ...rows] = block.split('\n')
      return { title, rows }
    })
}

const sortKey = (row: string): string =>
  (row.split('|', 1)[0] ?? '').trim().normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

function repeated(keys: readonly string[]): string[] {
  const seen = new Set<string>()
  return keys.filter((key) => seen.size === seen.add(key).size)
}

describe('data/brands.txt', () => {
  test('opens with a header that says what it is, and ends with one newline', () => {
    expect(lines.findIndex((line) => !line.startsWith('#'))).toBeGreaterThan(5)
    expect(text).toMatch(/[^\n]\n$/)
  })

  test('knows several hundred brands, of every sector', () => {
    expect(all.length).toBeGreaterThanOrEqual(300)
    const known = new Set(all.map(({ sector }) => sector))
    expect(sectors.filter((sector) => !known.has(sector))).toEqual([])
  })

  test('has one section with a title for each sector, sorted inside', () => {
    expect(sections().map(({ rows }) => (rows[0] ?? '').split('|')[1]?.trim())).toEqual([
      ...sectors,
    ])
    for (const { title, rows } of sections()) {
      expect(title).toMatch(/^# \S/)
      const keys = rows.map(sortKey)
      expect(keys).toEqual(keys.toSorted())
      expect(new Set(rows.map((row) => row.split('|')[1])).size).toBe(1)
    }
  })

  test('names domains that can be registered, or the suffix that a state keeps for itself', () => {
    const others = all
      .flatMap(({ domains }) => domains)
      .filter((domain) => registrableDomain(domain) !== domain)
    expect(others.toSorted()).toEqual([...stateSuffixes].toSorted())
  })

  test('gives no brand a platform whose tenants are strangers, but its own', () => {
    const tenants = all.flatMap(({ domains }) => domains).filter(isTenantPlatform)
    expect(tenants.toSorted()).toEqual([...ownPlatforms])
  })

  test('gives no brand a domain that lies on a platform, but where names belong to known owners', () => {
    const below = all
      .flatMap(({ domains }) => domains)
      .filter((domain) => (platforms.findPlatform(domain)?.apex ?? domain) !== domain)
    expect(below.filter((domain) => !/^[a-z]+\.github\.io$/.test(domain))).toEqual([])
  })

  test('tells all brands apart by their domains', () => {
    expect(repeated(all.flatMap(({ domains }) => domains))).toEqual([])
  })

  test('tells all brands apart by their names and aliases', () => {
    const slugs = all.flatMap(({ name, aliases }) => [
      ...new Set([name, ...aliases].map((spoken) => toSlug(spoken))),
    ])
    expect(slugs.filter((slug) => slug === '')).toEqual([])
    expect(repeated(slugs)).toEqual([])
  })

  test('has aliases that say more than the name, and none of one or two letters', () => {
    for (const { name, aliases } of all) {
      expect(aliases.filter((alias) => toSlug(alias) === '' || alias === name)).toEqual([])
      expect(aliases.filter((alias) => [...toSlug(alias)].length < 3)).toEqual([])
    }
  })

  test('keeps names of everyday words marked as such', () => {
    const marked = new Set(all.filter(({ isWord }) => isWord).map(({ name }) => name))
    const everyday = [
      'Apple',
      'Chase',
      'Discover',
      'Exodus',
      'Gemini',
      'Ledger',
      'Lido',
      'Manta',
      'Orange',
      'Phantom',
      'Shell',
      'Square',
      'Steam',
      'Sushi',
      'Target',
      'Vanguard',
      'Wise',
      'Zoom',
    ]
    expect(everyday.filter((name) => !marked.has(name))).toEqual([])
    expect(marked.has('PayPal')).toBe(false)
  })

  test.each([
    ['secure.bankofamerica.com', 'Bank of America'],
    ['www.amazon.co.uk', 'Amazon'],
    ['accounts.google.com', 'Google'],
    ['accounts.google.com.br', 'Google'],
    ['login.microsoftonline.com', 'Microsoft'],
    ['appleid.apple.com', 'Apple'],
    ['tools.usps.com', 'USPS'],
    ['www.santander.pl', 'Santander'],
    ['mail.instagram.com', 'Instagram'],
    ['app.uniswap.org', 'Uniswap'],
    ['www.tax.service.gov.uk', 'GOV.UK'],
    ['online.hmrc.gov.uk', 'HM Revenue & Customs'],
    ['www.txdmv.gov', 'Texas DMV'],
    ['www.e-zpassny.com', 'E-ZPass'],
    ['cfspart.impots.gouv.fr', 'Impots'],
    ['paypal.com.example.net', null],
    ['paypal-login.example', null],
    ['santander.pages.dev', null],
  ])('%s belongs to %p', (host, name) => {
    expect(brands.findOwner(host)?.name ?? null).toBe(name)
  })

  test.each([
    ['PayPal', 'PayPal'],
    ['BofA', 'Bank of America'],
    ['Office 365', 'Microsoft'],
    ['Gmail', 'Google'],
    ['iCloud', 'Apple'],
    ['Prime Video', 'Amazon'],
    ['SushiSwap', 'Sushi'],
    ['Credit Agricole', 'Crédit Agricole'],
    ['US Postal Service', 'USPS'],
    ['AusPost', 'Australia Post'],
    ['HMRC', 'HM Revenue & Customs'],
    ['TxDMV', 'Texas DMV'],
    ['E-ZPass', 'E-ZPass'],
    ['an unknown company', null],
  ])('%s names %p', (spoken, name) => {
    expect(brands.named(spoken)?.name ?? null).toBe(name)
  })

  test('every domain is canonical', () => {
    for (const { domains } of all) {
      for (const domain of domains) {
        expect(parseDomainName(domain)).toMatchObject({ ok: true, value: domain })
      }
    }
  })

  testWith(realData(starter), 'the table of brands')(
    'has every brand and every domain of the first list',
    async () => {
      const first: Record<string, readonly string[]> = await Bun.file(
        join(dataFolder, starter),
      ).json()
      const entries = Object.entries(first)
      expect(entries.length).toBeGreaterThan(100)
      const open = entries.filter(
        ([name, domains]) =>
          brands.named(name) === null &&
          domains.every((domain) => brands.findOwner(domain) === null),
      )
      expect(open).toEqual([])
      const domains = entries.flatMap(([, own]) => own)
      expect(domains.filter((domain) => brands.findOwner(domain) === null)).toEqual([])
    },
  )
})
