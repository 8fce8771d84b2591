/** Holds the README and the files of `docs/` to the code: what they list is what there is. */

import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, loadConfig, type PolicyName, policyNames } from '../../src/config.ts'
import { createApp } from '../../src/http/app.ts'
import type { EndpointDescription } from '../../src/http/contract/description.ts'
import { documentedEndpoints } from '../../src/http/endpoints/endpoints.ts'
import { clientInFlightMax } from '../../src/http/in-flight.ts'
import { tooManyRequests } from '../../src/http/problem.ts'
import { formatNames } from '../../src/ingest/formats/formats.ts'
import { feedDescriptions, feedNames } from '../../src/model/audience.ts'
import { removalReasons } from '../../src/model/indicator.ts'
import { mailReasonCodes } from '../../src/model/mail-risk.ts'
import { reportStatuses, reportTypes } from '../../src/model/report.ts'
import { SetHash } from '../../src/model/set-hash.ts'
import { reasonCodes, verdictStatuses } from '../../src/model/verdict.ts'
import { listNames } from '../../src/publish/lists/list-formats.ts'
import { collectionDescriptions } from '../../src/publish/stix/taxii.ts'
import { guideFiles } from '../../src/web/guide.ts'
import { findOperations } from '../../src/web/reference.ts'
import { checkedFetch } from '../http/checked-answers.ts'
import { standIns } from '../http/stand-ins.ts'
import { document, pageAt, readPages } from './read-page.ts'

const repository = resolve(import.meta.dir, '../..')

function findText(name: string): string {
  const file = guideFiles.find((each) => each.name === name)
  if (file === undefined) throw new Error(`the guide has no file ${name}`)
  return file.text
}

/** Returns the cells of the table below a header row that begins with `header`, row by row. */
function readTable(name: string, header: string): readonly (readonly string[])[] {
  const lines = findText(name).split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${header} |`))
  if (start < 0) throw new Error(`${name} has no table of ${header}`)
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'))
  return lines.slice(start + 2, start + length).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

/** Returns the first column of a table without its backticks. */
const readFirstColumn = (name: string, header: string): readonly string[] =>
  readTable(name, header).map(([cell = '']) => cell.replaceAll('`', ''))

/** Every word of code in a text. */
const findCodes = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

describe('every file', () => {
  test.each(guideFiles)('$name contains no raw HTML', ({ text }) => {
    const options = { noHtmlBlocks: true, noHtmlSpans: true }
    expect(Bun.markdown.html(text, options)).toBe(Bun.markdown.html(text))
  })

  test.each(guideFiles)('$name links to files that exist', async ({ name, text }) => {
    const folder = name === 'README' ? repository : join(repository, 'docs')
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (target.startsWith('http://127.0.0.1:8080/')) continue
      expect([target, await Bun.file(join(folder, target)).exists()]).toEqual([target, true])
    }
  })

  test.each(guideFiles)('$name calls operations that exist', ({ text }) => {
    const operationFor = findOperations(document)
    const calls = findCodes(text).filter((code) => /^(?:GET|POST) \//.test(code))
    expect(calls.filter((call) => operationFor(call) === null)).toEqual([])
  })

  test('the README is short', () => {
    expect(findText('README').split('\n').length).toBeLessThanOrEqual(200)
  })
})

describe('the guide lists exactly', () => {
  test.each([
    ['verdicts', 'checking', 'Status', verdictStatuses],
    ['reason codes', 'checking', 'Reason', reasonCodes],
    ['reason codes of mails', 'checking', 'Mail reason', mailReasonCodes],
    ['reasons of removals', 'lists-and-sync', 'Removal', removalReasons],
    ['full lists', 'README', 'File', listNames.map((name) => `/lists/${name}`)],
    ['feeds', 'search-feeds-reports', 'Feed', feedNames.map((name) => `/api/rss/${name}`)],
    ['statuses of reports', 'search-feeds-reports', 'Report status', reportStatuses],
    [
      'rooms',
      'decisions',
      'Room',
      readdirSync(join(repository, 'src'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name),
    ],
  ])('the %s', (_, name, header, known) => {
    expect(readFirstColumn(name, header).toSorted()).toEqual([...known].toSorted())
  })

  test('the formats', () => {
    const named = readTable('sources-and-formats', 'Format').flatMap(([cell = '']) =>
      findCodes(cell),
    )
    expect(named.toSorted()).toEqual([...formatNames].toSorted())
  })

  test('the commands', async () => {
    const help = Bun.spawn([process.execPath, 'src/main.ts', '--help'], { cwd: repository })
    const known = [...(await help.stdout.text()).matchAll(/^ {2}(\w+) {2}/gm)]
    expect(known.length).toBeGreaterThan(10)
    expect(readFirstColumn('operating', 'Command').map((cell) => cell.split(' ')[0] ?? '')).toEqual(
      expect.arrayContaining(known.map(([, command = '']) => command)),
    )
  })

  test('the pages of feeds', () => {
    const pages = readTable('search-feeds-reports', 'Feed').map(
      ([, , page = '']) => findCodes(page)[0],
    )
    expect(pages).toEqual(feedNames.map((name) => feedDescriptions[name].page))
  })

  test('the types of reports', () => {
    const line = /^`type` is one of (.*?)The answer/ms.exec(findText('search-feeds-reports'))?.[1]
    expect(findCodes(line ?? '')).toEqual([...reportTypes])
  })

  test('the TAXII collections', () => {
    const rows = readTable('stix-taxii', 'Collection').map(([name, , uuid]) => [name, uuid])
    const known = Object.values(collectionDescriptions)
    expect(rows).toEqual(known.map(({ name, uuid }) => [`\`${name}\``, `\`${uuid}\``]))
  })

  test('the headers that other sites can read and send', async () => {
    const answer = checkedFetch(createApp(standIns({})))
    const ask = (method: string) =>
      answer(new Request('http://weir.test/api/v1/blacklist', { method, headers: { origin } }))
    const origin = 'https://other.example'
    const { headers } = await ask('GET')
    const section = /## Other sites.*?\n## /s.exec(findText('api'))?.[0] ?? ''
    for (const field of ['access-control-expose-headers', 'access-control-allow-headers']) {
      const names = headers.get(field)?.split(', ') ?? []
      expect(names.length).toBeGreaterThan(3)
      expect(findCodes(section)).toEqual(expect.arrayContaining(names))
    }
  })
})

/** Names of windows. */
const spans: ReadonlyMap<number, string> = new Map([
  [60_000, 'a minute'],
  [3_600_000, 'an hour'],
])

describe('the README', () => {
  test('has every endpoint with its default limit', async () => {
    const { config } = await loadConfig({ WEIR_DATA: '/nonexistent' })
    const limits: Config['limits'] = config.limits
    const limitFor = (policy: PolicyName | null): string => {
      const limit = policy === null ? null : limits[policy]
      return limit === null ? 'none' : `${limit.quota} ${spans.get(limit.windowMs)}`
    }
    const all: readonly EndpointDescription[] = documentedEndpoints
    const operationFor = findOperations(document)
    const named = readTable('README', 'To').flatMap(([, call = '', limit = '']) =>
      findCodes(call).flatMap((code) => {
        const found = all.find(({ id }) => id === operationFor(code))
        return found === undefined ? [] : [{ id: found.id, policy: found.policy, limit }]
      }),
    )
    for (const { id, policy, limit } of named) {
      expect([id, limit]).toEqual([id, limitFor(policy)])
    }
    // TAXII has several paths of one limit, full lists and feeds are tables of their own.
    const policies = new Set(named.map(({ policy }) => policy))
    expect(policyNames.filter((policy) => policy !== 'GENERAL' && !policies.has(policy))).toEqual(
      [],
    )
    const ids = new Set(named.map(({ id }) => id))
    const others = all.filter(({ id, tag }) => !ids.has(id) && !/^(?:Lists|STIX)/.test(tag))
    expect(others.map(({ path }) => path)).toEqual([])
  })
})

/** Returns the schema of a query parameter, or of a field of the body. */
function findSchema(id: string, name: string) {
  const all: readonly (EndpointDescription & { readonly bodyBytesMax?: number })[] =
    documentedEndpoints
  const found = all.find((each) => each.id === id)
  const schema = found?.query?.properties[name] ?? found?.body?.['properties']?.[name]
  if (schema === undefined) throw new Error(`${id} takes no ${name}`)
  return { ...schema, bodyMiB: (found?.bodyBytesMax ?? 0) / 1024 ** 2 }
}

describe('the bounds', () => {
  const count = (value: unknown): string => Number(value).toLocaleString('en')
  const list = findSchema('readBlacklist', 'limit')
  const changes = findSchema('readChanges', 'limit')
  const stix = findSchema('exportStix', 'limit')
  const bulk = findSchema('checkBulk', 'urls')

  test.each([
    ['lists-and-sync', `${count(list['default'])} per page, at most ${count(list['maximum'])} (`],
    [
      'lists-and-sync',
      `${count(changes['default'])} by default, at most ${count(changes['maximum'])}.`,
    ],
    ['stix-taxii', `${count(stix['default'])} by default, at most ${count(stix['maximum'])}.`],
    ['search-feeds-reports', `at most ${count(findSchema('search', 'limit')['maximum'])}.`],
    ['checking', `of up to ${count(findSchema('checkUrl', 'url')['maxLength'])} bytes.`],
    [
      'checking',
      `up to ${bulk['maxItems']} items together, in a JSON body of at most ${bulk.bodyMiB} MiB`,
    ],
  ])('in %s are those of the endpoint: %s', (name, words) => {
    expect(findText(name).replace(/\s+/g, ' ')).toContain(words)
  })
})

describe('the examples', () => {
  test('of the set hash are right', () => {
    const rows = readTable('lists-and-sync', 'Domains')
    expect(rows).toHaveLength(5)
    for (const [domains = '', shown] of rows) {
      const hash = new SetHash()
      for (const domain of findCodes(domains)) hash.toggle(domain)
      expect(shown).toBe(`\`${hash.hex}\``)
    }
    const answers = [...findText('lists-and-sync').matchAll(/"set_hash": "(\w+)"/g)]
    expect(answers.map(([, hash]) => `\`${hash}\``)).toEqual(
      rows.slice(3).map(([, hash]) => hash ?? ''),
    )
  })

  test('of a call over the limit are right', async () => {
    const shown = /```http\nHTTP\/1\.1 429.*?\n\n(.*?)```/s.exec(findText('api'))?.[1] ?? ''
    expect(JSON.parse(shown)).toEqual(await tooManyRequests(12).json())
    expect(clientInFlightMax).toBe(4)
  })

  test('of TAXII have addresses that answer', async () => {
    const ask = checkedFetch(createApp(standIns({})))
    const text = findText('stix-taxii')
    const found = [...text.matchAll(/http:\/\/127\.0\.0\.1:8080(\/[^`'\s]*)/g)]
    expect(new Set(found.map(([address]) => address)).size).toBe(7)
    for (const [, path] of found) {
      const headers = { accept: 'application/taxii+json;version=2.1' }
      const { status } = await ask(new Request(`http://weir.test${path}`, { headers }))
      expect([path, status]).toEqual([path, 200])
    }
  })

  test('have the address of the instance on the page, but not in the default', async () => {
    const page = pageAt(await readPages(), '/docs')
    expect(page.text).toContain('curl -G https://weir.example.org/api/check-url')
    expect(page.text).toContain('serves on\nhttp://127.0.0.1:8080.')
    expect(page.text.match(/127\.0\.0\.1:8080/g)).toHaveLength(1)
  })
})
