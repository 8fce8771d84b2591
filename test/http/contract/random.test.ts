/** Whatever is asked, well-formed or not, is answered as the document says. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import type { EndpointDescription } from '../../../src/http/contract/description.ts'
import { nextPageCursor } from '../../../src/http/contract/examples/blacklist.ts'
import { nextPageOfDomains } from '../../../src/http/contract/examples/taxii.ts'
import { documentedEndpoints } from '../../../src/http/endpoints/endpoints.ts'
import { at, Documented, objectAt, type ReadAnswer } from './documented.ts'
import { pathExamplesOf, pathWith } from './filled-path.ts'
import { ExampleWorld, patienceMs } from './world.ts'

setDefaultTimeout(patienceMs)

const runs = Number(process.env['FUZZ_RUNS'] ?? 300)

const all: readonly EndpointDescription[] = documentedEndpoints

let world: ExampleWorld
let documented: Documented

beforeAll(async () => {
  world = await ExampleWorld.open()
  documented = new Documented(world.services)
})
afterAll(() => world.close())

/** Values that some parameter takes, and some that none does. */
const value = fc.oneof(
  fc.string({ maxLength: 40 }).map(encodeURIComponent),
  fc.webUrl().map(encodeURIComponent),
  fc.domain(),
  fc.integer({ min: -5, max: 20_000 }).map(String),
  fc.constantFrom('', '0', '1e3', '0x10', '5.5', '+1', '9'.repeat(400), 'a'.repeat(9000)),
  fc.constantFrom('%20', '%FF', '%00', '%', '%EF%BF%BD'),
  fc.constantFrom('json', 'csv', 'txt', 'hosts', 'JSON', 'begin', nextPageCursor),
  fc.constantFrom('2026-03-01', '2026-02-30', '2026-3-1', '2026-03-12T08:30:00.000000Z'),
  fc.constantFrom('PayPal', 'indicator,malware', 'last', 'all,last', '2.1', nextPageOfDomains),
  fc.constantFrom('hxxps://paypa1-account[.]example', 'spring.hosting.example', 'javascript:1'),
)

/** A segment of a path; a client itself takes out dots, and a slash would be another path. */
const segment = value.filter((text) => !/^\.*$/.test(text) && !text.includes('/'))

/** Every parameter that some operation reads, and some that none does. */
const names = [
  ...new Set(all.flatMap(({ query: asked }) => Object.keys(asked?.properties ?? {}))),
  ...['other', '__proto__', 'LIMIT', 'match[other]', 'match%5Btype%5D'],
]
const query = fc
  .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join('&'))
  // The server itself refuses an address of over 16 KiB.
  .filter((text) => text.length < 12_000)

const digest = fc.constantFrom('a'.repeat(64), 'B'.repeat(40), 'e3'.repeat(16), 'g'.repeat(64))
const item = fc.oneof(fc.string({ maxLength: 80 }), fc.webUrl(), fc.domain(), digest)
const list = fc.array(item, { maxLength: 6 })
const lists = fc
  .record({ urls: list, domains: list, hashes: list }, { requiredKeys: [] })
  .map((value) => JSON.stringify(value))
const body = fc.oneof(
  lists,
  fc.json(),
  fc.string({ maxLength: 30 }),
  fc.constantFrom('', '{}', '[]', 'null', '{"urls":null}', '{"urls":[1]}', '{"url":[]}'),
)

const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
    ),
    accept: fc.constantFrom(
      'application/taxii+json;version=2.1',
      'application/taxii+json; version="2.1", */*;q=0.1',
      'application/vnd.oasis.taxii+json; version=2.0',
      'application/stix+json;version=2.1',
      'text/html',
      '',
    ),
    'accept-encoding': fc.constantFrom('identity', 'gzip', 'zstd;q=0, br', '*', 'nothing'),
    'if-none-match': fc.constantFrom('*', '"x"', 'W/"x", "y"', ''),
    'if-modified-since': fc.constantFrom(
      'yesterday',
      'Fri, 31 Dec 2999 00:00:00 GMT',
      'Sat, 01 Jan 2000 00:00:00 GMT',
    ),
    origin: fc.constant('https://dashboard.example.org'),
  },
  { requiredKeys: [] },
)

/** An operation, and its path with what there is or anything else in place of its parameters. */
const target = fc.constantFrom(...all).chain((operation) => {
  const values = Object.entries(pathExamplesOf(operation)).map(([name, examples]) => {
    const known = { weight: 3, arbitrary: fc.constantFrom(...examples) }
    return [name, fc.oneof(known, { weight: 1, arbitrary: segment })] as const
  })
  return fc.record(Object.fromEntries(values)).map((chosen) => ({
    operation,
    asked: pathWith(operation.path, chosen),
  }))
})

const call = fc.record({
  target,
  slash: fc.constantFrom('', '', '', '/'),
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'POST', 'PUT', 'DELETE'),
  query,
  headers,
  body,
})

type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never

async function send({ target, slash, method, query, headers, body }: Call): Promise<ReadAnswer> {
  world.nextClient()
  const response = await fetch(`${world.base()}${target.asked}${slash}?${query}`, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    body: method === 'GET' || method === 'HEAD' ? null : body,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('a random call', () => {
  test('is answered as the document says', async () => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(call, async (asked) => {
        const { method, target } = asked
        const { path, method: own } = target.operation
        const answer = await send(asked)
        statuses.add(answer.status)
        // What the path has no operation for is documented with those that it has.
        const isKnown = documented.operation(method, path) !== undefined
        // Who wants to write to a TAXII collection is refused by its name first.
        const refusals = path.startsWith('/api/taxii/') ? [403, 404, 405] : [405]
        if (!isKnown) expect(refusals).toContain(answer.status)
        const said = documented.complaints(isKnown ? method : own, path, answer, method === 'HEAD')
        expect(said).toEqual([])
      }),
      { numRuns: runs },
    )
    expect([...statuses]).toContainValues([200, 400, 405])
  })
})

/** Returns a parameter's value as its schema has it; over the maximum it counts as the maximum. */
function asDocumented(schema: unknown, text: string): unknown {
  if (at(schema, 'type') !== 'integer' || !/^[0-9]+$/.test(text)) return text
  const maximum = at(schema, 'maximum')
  return Math.min(Number(text), typeof maximum === 'number' ? maximum : Number.MAX_SAFE_INTEGER)
}

describe('a request', () => {
  const text = fc.oneof(
    fc.nat(20_000).map(String),
    fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10)),
    fc.constantFrom(
      '',
      '-1',
      '1e3',
      '0x10',
      '007',
      ' 5',
      '5.0',
      '٣',
      '2026-02-29',
      '2024-02-29',
      '9'.repeat(30),
    ),
    fc.constantFrom('json', 'csv', 'txt', 'hosts', 'xml', 'JSON'),
  )
  const parameters = fc.record(
    { format: text, limit: text, offset: text, since: text },
    { requiredKeys: [] },
  )

  test('is taken when its parameters are as documented, and refused by name when not', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, async (asked) => {
        const wrong = Object.entries(asked).filter(([name, given]) => {
          const key = `readBlacklist.${name}`
          const schema = at(documented.document, 'components', 'parameters', key, 'schema')
          return documented.violations(schema, asDocumented(schema, given)).length > 0
        })
        const query = new URLSearchParams(asked).toString()
        world.nextClient()
        const response = await fetch(`${world.base()}/api/v1/blacklist?${query}`)
        expect(response.status).toBe(wrong.length > 0 ? 400 : 200)
        if (wrong.length === 0) return response.body?.cancel()
        const { errors } = objectAt(await response.json())
        const named = Array.isArray(errors) ? errors.map((error) => at(error, 'field')) : []
        expect(named.sort()).toEqual(wrong.map(([name]) => name).sort())
      }),
      { numRuns: runs },
    )
  })

  test('is taken when its body is as documented, and refused when not', async () => {
    const schema = at(documented.document, 'components', 'schemas', 'BulkRequest')
    await fc.assert(
      fc.asyncProperty(fc.oneof(lists, fc.json()), async (sent) => {
        world.nextClient()
        const response = await fetch(`${world.base()}/api/v1/check/bulk`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: sent,
        })
        await response.text()
        const isTaken = documented.violations(schema, JSON.parse(sent)).length === 0
        expect(response.status).toBe(isTaken ? 200 : 400)
      }),
      { numRuns: runs },
    )
  })
})
