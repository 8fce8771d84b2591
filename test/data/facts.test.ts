/**
 * Holds the two tables of names in `data/` to their own rules: well-formed, canonical, sorted, each
 * name once, and not at odds with each other; and, where the real lists are at hand, complete enough.
 */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseDomainName } from '../../src/model/domain.ts'
import { parsePlatforms } from '../../src/model/platform.ts'
import { dataFolder, realData, testWith } from '../needs.ts'

const root = join(import.meta.dir, '..', '..')
const infrastructureText = await Bun.file(join(root, 'data/shared-infrastructure.txt')).text()
const protectedText = await Bun.file(join(root, 'data/protected-names.txt')).text()

const labels = join(dataFolder, 'labels')

interface Section {
  readonly comment: readonly string[]
  readonly rows: readonly string[]
}

/** Returns the blocks between blank lines; the first is the header, which has no rows. */
function sectionsOf(text: string): Section[] {
  return text
    .trimEnd()
    .split('\n\n')
    .map((block) => {
      const lines = block.split('\n')
      const firstRow = lines.findIndex((line) => !line.startsWith('#'))
      const end = firstRow === -1 ? lines.length : firstRow
      return { comment: lines.slice(0, end), rows: lines.slice(end) }
    })
}

const rowsOf = (text: string): string[] => sectionsOf(text).flatMap(({ rows }) => rows)
const nameOf = (row: string): string => row.split(' ', 1)[0] ?? ''

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>()
  return names.filter((name) => seen.size === seen.add(name).size)
}

const isCanonical = (name: string): boolean => {
  const parsed = parseDomainName(name)
  return parsed.ok && parsed.value === name && name.includes('.')
}

const tables = [
  {
    file: 'shared-infrastructure.txt',
    text: infrastructureText,
    row: /^\S+ (tenant|page|redirect|registry)$/,
  },
  { file: 'protected-names.txt', text: protectedText, row: /^\S+$/ },
]

describe.each(tables)('data/$file', ({ text, row }) => {
  const names = rowsOf(text).map(nameOf)

  test('opens with a header that says what it is, and ends with one newline', () => {
    const [header] = sectionsOf(text)
    expect(header?.comment.length).toBeGreaterThan(5)
    expect(header?.rows).toEqual([])
    expect(text).toMatch(/[^\n]\n$/)
  })

  test('gives every section a title and at least one row, and no title twice', () => {
    const sections = sectionsOf(text).slice(1)
    expect(
      sections.filter(({ comment, rows }) => comment.length === 0 || rows.length === 0),
    ).toEqual([])
    expect(repeated(sections.map(({ comment }) => comment[0] ?? ''))).toEqual([])
  })

  test('holds only rows of its own form', () => {
    expect(rowsOf(text).filter((line) => !row.test(line))).toEqual([])
  })

  test('spells every name canonically and without www.', () => {
    expect(names.filter((name) => !isCanonical(name) || name.startsWith('www.'))).toEqual([])
  })

  test('is sorted inside each section', () => {
    for (const { rows } of sectionsOf(text)) {
      const section = rows.map(nameOf)
      expect(section).toEqual(section.toSorted())
    }
  })

  test('names nothing twice', () => {
    expect(repeated(names)).toEqual([])
  })
})

describe('the two tables together', () => {
  const platforms = parsePlatforms(infrastructureText)
  const protectedNames = new Set(rowsOf(protectedText))

  test('no platform is a protected name', () => {
    const apexes = platforms.named.map(({ apex }) => apex)
    expect(apexes.filter((apex) => protectedNames.has(apex))).toEqual([])
  })

  test('no registry lies on a platform, and no platform below a registry is hidden by it', () => {
    const registries = rowsOf(infrastructureText).filter((line) => line.endsWith(' registry'))
    expect(registries.map(nameOf).filter((name) => platforms.findPlatform(name) !== null)).toEqual(
      [],
    )
    for (const { apex, mode } of platforms.named) {
      expect(platforms.findPlatform(apex)).toEqual({ apex, mode })
    }
  })

  test.each([
    ['evil.pages.dev', 'pages.dev', 'tenant'],
    ['evil.blogspot.co.uk', 'blogspot.co.uk', 'tenant'],
    ['evil.uk.r.appspot.com', 'uk.r.appspot.com', 'tenant'],
    ['evil.s3.eu-central-1.amazonaws.com', 's3.eu-central-1.amazonaws.com', 'tenant'],
    ['evil.z13.web.core.windows.net', 'z13.web.core.windows.net', 'tenant'],
    ['evil.weebly.com', 'weebly.com', 'tenant'],
    ['evil.duckdns.org', 'duckdns.org', 'tenant'],
    ['docs.google.com', 'docs.google.com', 'page'],
    ['t.me', 't.me', 'page'],
    ['forms.gle', 'forms.gle', 'page'],
    ['bit.ly', 'bit.ly', 'redirect'],
    [
      'eur01.safelinks.protection.outlook.com',
      'eur01.safelinks.protection.outlook.com',
      'redirect',
    ],
  ] as const)('%s is judged on %s by its %s', (host, apex, mode) => {
    expect(platforms.findPlatform(host)).toEqual({ apex, mode })
  })

  test.each(['shop.co.com', 'shop.eu.org', 'tax.service.gov.uk', 'google.com'])(
    '%s lies on no platform',
    (host) => {
      expect(platforms.findPlatform(host)).toBeNull()
    },
  )

  test.each([
    'google.com',
    'accounts.google.com',
    'login.microsoftonline.com',
    'paypal.com',
    'chase.com',
    'usps.com',
    'irs.gov',
    'gov.uk',
    'coinbase.com',
    'metamask.io',
    'registry.npmjs.org',
    'windowsupdate.com',
    'virustotal.com',
    'amazonaws.com.cn',
    'usgovcloudapi.net',
    'platform.sh',
    'mythic-beasts.com',
  ])('%s is protected', (name) => {
    expect(protectedNames.has(name)).toBe(true)
  })

  testWith(realData('labels'))('nearly every popular name on real lists is covered', async () => {
    const popular = (await Bun.file(join(labels, 'listed_but_popular.tsv')).text())
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t', 1)[0] ?? '')
    const open = popular.filter(
      (host) => !protectedNames.has(host) && platforms.findPlatform(host) === null,
    )
    // What is left are small shops, dead services and names that may well be rightly listed.
    expect(open.length).toBeLessThan(popular.length / 5)
  })

  testWith(realData('labels'))(
    'every host that is known to be on a platform is seen there',
    async () => {
      const packed = await Bun.file(join(labels, 'under_shared_infra.tsv.gz')).bytes()
      const hosts = new TextDecoder()
        .decode(Bun.gunzipSync(packed))
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t', 1)[0] ?? '')
      expect(hosts.length).toBeGreaterThan(0)
      expect(hosts.filter((host) => platforms.findPlatform(host) === null)).toEqual([])
    },
  )
})
