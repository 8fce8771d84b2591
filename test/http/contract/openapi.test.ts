/** The OpenAPI document: valid, complete in itself, and true to its own schemas. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { documentedEndpoints } from '../../../src/http/endpoints/endpoints.ts'
import { openApi } from '../../../src/http/endpoints/service.ts'
import { type OpenApiSettings, openApiDocument } from '../../../src/http/openapi.ts'
import { at, Documented, isObject, objectAt } from './documented.ts'
import { patienceMs } from './world.ts'

setDefaultTimeout(patienceMs)

const settings: OpenApiSettings = {
  publicUrl: 'https://weir.example.org',
  version: '0.1.0',
  limits: {
    CHECK_URL: { quota: 30, windowMs: 60_000 },
    BLACKLIST: { quota: 100, windowMs: 3_600_000 },
    BLACKLIST_CHANGES: { quota: 5, windowMs: 600_000 },
    BULK: null,
    CHECK_EMAIL: null,
    CHECK_PHONE: null,
    LISTS: { quota: 7, windowMs: 86_400_000 },
    STIX: null,
    TAXII: null,
    SEARCH: null,
    RSS: null,
    REPORT_SCAM: null,
    MANAGE: null,
  },
}

const documented = new Documented(settings)
const { document } = documented

/** Calls `visit` with every object of a JSON value and its path. */
function walk(value: unknown, visit: (object: object, path: string) => void, path = '#'): void {
  if (Array.isArray(value))
    for (const [i, item] of value.entries()) walk(item, visit, `${path}/${i}`)
  if (!isObject(value)) return
  visit(value, path)
  for (const [name, inner] of Object.entries(value)) walk(inner, visit, `${path}/${name}`)
}

const operations = Object.entries(objectAt(document, 'paths')).flatMap(([path, methods]) =>
  Object.entries(objectAt(methods)).map(([method, operation]) => ({ path, method, operation })),
)

describe('openApiDocument', () => {
  test('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  })

  test('holds what it refers to, and nothing else', () => {
    const referred = new Set<string>()
    walk(document, (object) => {
      const reference = at(object, '$ref')
      if (typeof reference === 'string') referred.add(reference)
    })
    const held = Object.entries(objectAt(document, 'components')).flatMap(([kind, components]) =>
      Object.keys(objectAt(components)).map((name) => `#/components/${kind}/${name}`),
    )
    expect([...referred].sort()).toEqual(held.sort())
  })

  test('every example of a body, a default and a value keeps to its schema', () => {
    let count = 0
    const hold = (schema: unknown, value: unknown, path: string): void => {
      count++
      expect([path, documented.violations(schema, value)]).toEqual([path, []])
    }
    walk(document, (object, path) => {
      const schema = at(object, 'schema') ?? object
      for (const [name, example] of Object.entries(objectAt(object, 'examples'))) {
        hold(schema, at(example, 'value'), `${path} ${name}`)
      }
      if (at(object, 'example') !== undefined) hold(schema, at(object, 'example'), path)
      const values = at(object, 'examples')
      if (Array.isArray(values)) for (const value of values) hold(object, value, path)
      const isSchema = at(object, 'type') !== undefined
      if (isSchema && 'default' in object) hold(object, object.default, path)
    })
    expect(count).toBeGreaterThan(50)
  })

  test('every operation has a name of its own, a summary, a description and refusals', () => {
    const names = operations.map(({ operation }) => at(operation, 'operationId'))
    expect(new Set(names).size).toBe(operations.length)
    for (const { operation } of operations) {
      expect(at(operation, 'summary')).toBeString()
      expect(at(operation, 'description')).toBeString()
      const statuses = Object.keys(objectAt(operation, 'responses'))
      expect(statuses).toContainValues(['405', 'default'])
      expect(statuses.filter((status) => status === '200' || status === '202').length).toBe(1)
    }
  })

  test('every path names its parameters in braces, and no other', () => {
    for (const { path, operation } of operations) {
      const listed = at(operation, 'parameters')
      const inPath = (Array.isArray(listed) ? listed : [])
        .map((reference) => documented.resolve(reference))
        .filter((parameter) => parameter['in'] === 'path')
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect([path, inPath.map(({ name }) => name)]).toEqual([path, named])
      for (const parameter of inPath) expect(parameter['required']).toBe(true)
      expect(path).not.toContain(':')
    }
    expect(operations.map(({ path }) => path)).toContain(
      '/api/taxii/2.1/collections/{collection}/objects',
    )
  })

  test('every parameter, header and component of a reader’s interest is described', () => {
    const { parameters, headers, responses } = objectAt(document, 'components')
    for (const part of [parameters, headers, responses].flatMap((parts) =>
      Object.values(objectAt(parts)),
    )) {
      expect(at(part, 'description')).toBeString()
    }
  })

  test('tells the limits of this instance', () => {
    const limitOf = (method: string, path: string) => {
      const operation = objectAt(document, 'paths', path, method)
      return [operation['x-rate-limit'], String(operation['description']).split('\n\n').at(-1)]
    }
    expect(limitOf('get', '/api/check-url')).toEqual([
      { policy: 'check-url', quota: 30, windowSeconds: 60 },
      '**Limit:** 30 calls in a minute per client.',
    ])
    expect(limitOf('head', '/api/v1/blacklist')).toEqual([
      { policy: 'blacklist', quota: 100, windowSeconds: 3_600 },
      '**Limit:** 100 calls in an hour per client.',
    ])
    expect(limitOf('get', '/api/v1/blacklist/changes')).toEqual([
      { policy: 'blacklist-changes', quota: 5, windowSeconds: 600 },
      '**Limit:** 5 calls in 10 minutes per client.',
    ])
    expect(limitOf('get', '/lists/urls.txt')[1]).toBe('**Limit:** 7 calls in a day per client.')
    expect(limitOf('post', '/api/v1/check/bulk')).toEqual([null, '**Limit:** none.'])
    expect(limitOf('get', '/health')).toEqual([null, '**Limit:** none.'])
  })

  test('tells of a limit over all paths where there is one', () => {
    const textWith = (limits: OpenApiSettings['limits']): unknown =>
      openApiDocument(documentedEndpoints, { ...settings, limits }).info['description']
    const all = 'Over all limited paths together: 9 calls in 2 hours per client.'
    expect(textWith({ GENERAL: { quota: 9, windowMs: 7_200_000 } })).toEndWith(all)
    expect(textWith({ GENERAL: null })).not.toContain('together')
  })
})

describe('GET /openapi.json', () => {
  const route = (changes: Partial<OpenApiSettings> = {}) => {
    const answer = openApi.compile({
      openApi: async () => openApiDocument(documentedEndpoints, { ...settings, ...changes }),
      now: () => 1_773_305_999_000,
    })
    return (headers: Record<string, string> = {}) =>
      answer(new Request('http://weir.test/openapi.json', { headers }), {})
  }

  test('is the document, in which nothing can open a tag', async () => {
    const text = await (await route({ version: '1.0.0<script>' })()).text()
    expect(text).toContain('1.0.0\\u003cscript>')
    expect(text).not.toContain('<')
    expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.1', info: { version: '1.0.0<script>' } })
  })

  test('is the same in every coding, under one tag', async () => {
    const ask = route()
    const plain = await ask()
    const text = await plain.text()
    for (const coding of ['zstd', 'br', 'gzip'] as const) {
      for (let times = 0; times < 2; times++) {
        const response = await ask({ 'accept-encoding': coding })
        expect(response.headers.get('content-encoding')).toBe(coding)
        expect(response.headers.get('etag')).toBe(plain.headers.get('etag'))
        const stream = new Response(response.body)
        const bytes = new Uint8Array(await stream.arrayBuffer())
        expect(bytes.length).toBeLessThan(text.length / 3)
      }
    }
    expect(plain.headers.get('content-encoding')).toBeNull()
  })

  test('has another tag when a limit or the version is another', async () => {
    const tagWith = async (changes: Partial<OpenApiSettings>) =>
      (await route(changes)()).headers.get('etag')
    const tags = await Promise.all([
      tagWith({}),
      tagWith({ version: '0.1.1' }),
      tagWith({ limits: {} }),
      tagWith({ publicUrl: 'https://other.example.org' }),
    ])
    expect(new Set(tags).size).toBe(4)
    expect(await tagWith({})).toBe(tags[0])
  })

  test('answers 304 to its tag and to its date', async () => {
    const ask = route()
    const { headers } = await ask()
    const tag = headers.get('etag') ?? ''
    const date = headers.get('last-modified') ?? ''
    expect((await ask({ 'if-none-match': tag })).status).toBe(304)
    expect((await ask({ 'if-modified-since': date })).status).toBe(304)
    expect((await ask({ 'if-none-match': 'W/"other"', 'if-modified-since': date })).status).toBe(
      200,
    )
  })
})
