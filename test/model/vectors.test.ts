/**
 * Every row of the shared vector files; skipped when they are absent.
 */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { registrableDomain } from '../../src/model/domain.ts'
import { nestedUrls } from '../../src/model/nested-urls.ts'
import { canonicalizeUrl, parsePublicUrl, pathExpressions } from '../../src/model/url.ts'
import { dataFolder, describeWith, realData, testWith } from '../needs.ts'

interface UrlRow {
  readonly input: string
  readonly canonicalHost: string | null
  readonly canonicalUrl: string | null
  readonly error: string | null
  readonly altError?: string
  readonly tags?: readonly string[]
}

interface ExpressionRow {
  readonly url: string
  readonly hosts: readonly string[]
  readonly paths: readonly string[]
}

const folder = join(dataFolder, '../vectors')
const vectors = realData('../vectors')

async function rows<Row>(file: string): Promise<readonly Row[]> {
  return vectors.isMet ? await Bun.file(join(folder, file)).json() : []
}

const urlRows = await rows<UrlRow>('url-vectors.json')
const expressionRows = await rows<ExpressionRow>('expressions.json')

/** Returns the rows with their names as tests; long names are cut. */
const named = <Row>(all: readonly Row[], formatName: (row: Row) => string): [string, Row][] =>
  all.map((row) => [formatName(row).slice(0, 80), row])

testWith(vectors)('the shared vectors are read', () => {
  expect(urlRows.length).toBeGreaterThanOrEqual(117)
  expect(expressionRows.length).toBeGreaterThanOrEqual(4)
})

describeWith(vectors)('the shared URL vectors', () => {
  test.each(named(urlRows, (row) => JSON.stringify(row.input)))('%s', (_name, row) => {
    // Names that are not public are valid names, and some rows use them as hosts.
    const read = row.error === 'not_public_host' ? parsePublicUrl : canonicalizeUrl
    const url = read(row.input)
    if (!url.ok) {
      const refusals: unknown[] = [row.error, row.altError]
      expect(refusals).toContain(url.reason)
      return
    }
    expect(url.value.value).toBe(row.canonicalUrl ?? `refused: ${row.error}`)
    expect(url.value.host).toBe(row.canonicalHost ?? '')
    const tags = row.tags ?? []
    expect(url.value.hasUserinfo).toBe(tags.includes('userinfo'))
    expect(url.value.hasInvisible).toBe(tags.includes('invisible_char'))
    const nested = tags.find((tag) => tag.startsWith('nested_'))?.split(':')[1]
    expect(nestedUrls(url.value)[0]?.host).toBe(nested)
  })
})

/** The names above a host down to the registered one, as the suffix trie visits them. */
function namesAbove(host: string, isAddress: boolean): string[] {
  const lowest = registrableDomain(host)
  const names = [host]
  for (let name = host; !isAddress && name !== lowest && name.includes('.'); ) {
    name = name.slice(name.indexOf('.') + 1)
    names.push(name)
  }
  return names
}

describeWith(vectors)('the shared Safe Browsing expressions', () => {
  test.each(named(expressionRows, (row) => row.url))('%s', (_name, row) => {
    const url = canonicalizeUrl(row.url)
    if (!url.ok) throw new Error(url.reason)
    const { host, isAddress } = url.value
    expect(new Set(pathExpressions(url.value))).toEqual(
      new Set(row.paths.map((path) => host + path)),
    )
    // The trie visits every name above a host, Safe Browsing the host and the last four of them.
    const names = namesAbove(host, isAddress)
    expect(new Set([host, ...names.slice(-4)])).toEqual(new Set(row.hosts))
  })
})
