/** What a request accepts, and what it gets: the standard's types, the specification's, or a refusal. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { acceptedBy } from '../../src/http/taxii/accept.ts'
import { sendRaw, serving, standIns } from './stand-ins.ts'
import { mixed, stixType, TaxiiWorld, taxiiType } from './taxii-world.ts'

const taxii = 'application/taxii+json'

describe('acceptedBy', () => {
  test.each([
    [null, 'any'],
    ['', 'any'],
    ['*/*', 'any'],
    ['application/json', 'any'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'any'],
    [stixType, 'any'],
    [taxiiType, 'taxii'],
    [taxii, 'taxii'],
    [taxiiType.toUpperCase(), 'taxii'],
    [`${taxii}; version=2.1`, 'taxii'],
    [`${taxii} ; version="2.1" ; q=0.5`, 'taxii'],
    [`${taxiiType},${stixType}`, 'taxii'],
    [`${stixType}, ${taxiiType}`, 'taxii'],
    [`*/*, ${taxiiType};q=0.1`, 'taxii'],
    [`${taxii};version=2.0, ${taxii};version=2.1`, 'taxii'],
    [`${taxii};note="a,b;c";version=2.1`, 'taxii'],
    [`${taxiiType};q=0`, 'none'],
    [`${taxiiType};q=0.000, */*`, 'any'],
    [`${taxii};version=2.0`, 'none'],
    [`${taxii};version=2.0, */*`, 'any'],
    ['application/vnd.oasis.taxii+json', 'none'],
    ['application/vnd.oasis.taxii+json; version=2.0', 'none'],
    ['application/vnd.oasis.stix+json; version=2.0', 'none'],
    ['*/*;q=0', 'none'],
    [',,;=;"', 'any'],
  ] as const)('reads %p as %s', (header, accepted) => {
    expect(acceptedBy(header)).toBe(accepted)
  })
})

describe('an answer', () => {
  const world = new TaxiiWorld()
  beforeAll(() => world.list(mixed))
  afterAll(() => world.close())

  const specification = '/api/taxii/2.1/collections/campaigns/objects/'
  const standard = '/taxii2/feeds/collections/campaigns/objects/'
  const headersFor = (accept: string | null) => (accept === null ? {} : { accept })
  const others = [null, '*/*', 'application/json', stixType, 'text/html'] as const

  test.each(others)(
    'to Accept %p is the specification’s bundle, or an envelope',
    async (accept) => {
      const headers = headersFor(accept)
      const bundle = await world.ask(specification, { headers })
      expect(bundle.headers.get('content-type')).toBe(stixType)
      expect(Object.keys(bundle.json)).toEqual(['type', 'id', 'objects'])
      const envelope = await world.ask(standard, { headers })
      expect(envelope.headers.get('content-type')).toBe(taxiiType)
      expect(Object.keys(envelope.json)).toEqual(['more', 'objects'])
      // The objects are the same bytes.
      expect(bundle.text.slice(bundle.text.indexOf('['), -1)).toBe(
        envelope.text.slice(envelope.text.indexOf('['), -1),
      )
      for (const name of ['x-taxii-date-added-first', 'x-taxii-date-added-last']) {
        expect(bundle.headers.get(name)).toBe(envelope.headers.get(name))
      }
      expect(bundle.headers.get('vary')).toBe('accept, accept-encoding')
    },
  )

  test('to a TAXII client is an envelope under both roots', async () => {
    const answers = await Promise.all([world.get(specification), world.get(standard)])
    expect(answers[0].headers.get('content-type')).toBe(taxiiType)
    expect(answers[0].text).toBe(answers[1].text)
  })

  test('that is empty has no list, whatever it is', async () => {
    for (const accept of [taxiiType, '*/*']) {
      const { text, status } = await world.ask(`${specification}?added_after=2999-01-01`, {
        headers: { accept },
      })
      expect(status).toBe(200)
      expect(text).not.toContain('objects')
    }
  })

  test.each([`${taxii};version=2.0`, 'application/vnd.oasis.taxii+json', `${taxiiType};q=0`])(
    'to Accept %s is 406 everywhere',
    async (accept) => {
      for (const path of [
        '/taxii2/',
        '/api/taxii/2.1/',
        '/taxii2/feeds/collections/',
        specification,
        standard,
        `${standard}x/`,
      ]) {
        const answer = await world.ask(path, { headers: { accept } })
        expect(answer.status).toBe(406)
        expect(answer.json.http_status).toBe('406')
        expect(answer.headers.get('content-type')).toBe(taxiiType)
      }
    },
  )
})

describe('a refusal of the gate', () => {
  test('is a TAXII error under both roots, also of paths that are not there', async () => {
    const once = { TAXII: { quota: 1, windowMs: 60_000 } }
    await serving({ limits: once }, async (base) => {
      await fetch(`${base}/taxii2/`)
      for (const path of ['/taxii2', '/taxii2/x', '/api/taxii/2.1/', '/api/taxii/2.1/a/b/']) {
        const response = await fetch(base + path)
        expect(response.status).toBe(429)
        expect(response.headers.get('retry-after')).toBe('60')
        expect(response.headers.get('ratelimit-policy')).toBe('"taxii";q=1;w=60')
        expect(response.headers.get('content-type')).toBe(taxiiType)
        expect(await response.json()).toMatchObject({ http_status: '429' })
      }
      // What only looks like it is another path.
      expect((await fetch(`${base}/taxii20`)).headers.get('content-type')).toBe(
        'application/problem+json',
      )
    })
  })

  test('while the data is being loaded is one too', async () => {
    await serving({ isLoading: () => true }, async (base) => {
      const response = await fetch(`${base}/taxii2/feeds/collections/`)
      expect(response.status).toBe(503)
      expect(await response.json()).toMatchObject({ http_status: '503' })
    })
  })

  test('for an error inside says nothing of it', async () => {
    const fail = (): never => {
      throw new Error('a disk that cannot be read: /srv/weir/weir.db')
    }
    const taxii = { ...standIns().taxii, object: fail, objectPage: fail, page: fail }
    await serving({ taxii, report: () => {} }, async (base) => {
      const response = await fetch(`${base}/taxii2/feeds/collections/campaigns/objects/`)
      expect(response.status).toBe(500)
      const text = await response.text()
      expect(JSON.parse(text)).toMatchObject({ http_status: '500' })
      expect(text).not.toContain('srv')
    })
  })

  test('for a body that is too long is one, and comes before it is read', async () => {
    await serving({}, async (_base, server) => {
      const head =
        'POST /taxii2/feeds/collections/campaigns/objects/ HTTP/1.1\r\nHost: weir.test\r\n'
      const answer = await sendRaw(
        server,
        `${head}Connection: close\r\nContent-Length: 9000000000\r\n\r\n`,
      )
      expect(answer).toStartWith('HTTP/1.1 413')
      expect(answer).toContain('"http_status":"413"')
    })
  })
})
