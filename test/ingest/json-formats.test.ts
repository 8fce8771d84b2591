import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Item } from '../../src/ingest/formats/format.ts'
import { jsonFormats } from '../../src/ingest/formats/json-feeds.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import { jsonFormatNames, jsonSamples } from './json-samples.ts'
import { expectSound, fuzzRuns, itemsOf, textsOf } from './reading.ts'

/** Reads one row of a publisher with some of its fields changed. */
async function rowOf(
  name: 'phishtank-json' | 'urlhaus-json' | 'threatfox-json' | 'certpl-json' | 'polkadot-meta',
  changes: object,
): Promise<Item | undefined> {
  const sample: unknown = jsonSamples[name]
  const [row] = Array.isArray(sample) ? sample : Object.values(jsonSamples[name]).flat()
  const rows = [{ ...row, ...changes }]
  const document = JSON.stringify(Array.isArray(sample) ? rows : { '7': rows })
  const items = await itemsOf(jsonFormats[name], new Blob([document]))
  return items === 'malformed' ? undefined : items[0]
}

const at = Date.UTC(2026, 0, 2, 3, 4, 5)
const refused = (reason: string) => ({ kind: 'refused', reason })

describe('phishtank-json', () => {
  const phish = {
    kind: 'url',
    text: 'http://b.example/x',
    threatType: 'phishing',
    targetBrand: 'Example Bank',
    reference: 'https://tank.example/7',
    firstSeenAt: at,
  }
  const { targetBrand: _, ...unnamed } = phish
  const rows: readonly [string, object, object][] = [
    ['a phish', {}, phish],
    ['no target that has a name', { target: 'Other' }, unnamed],
    ['one that is offline', { online: 'no' }, refused('withdrawn')],
    ['an unconfirmed one', { verified: 'no' }, refused('not_an_indicator')],
    ['no URL', { url: null }, refused('malformed_row')],
    [
      'a time that is none',
      { target: 'Other', submission_time: 'yesterday' },
      {
        kind: 'url',
        text: 'http://b.example/x',
        threatType: 'phishing',
        reference: 'https://tank.example/7',
      },
    ],
  ]
  for (const [name, changes, expected] of rows) {
    test(name, async () =>
      expect<object | undefined>(await rowOf('phishtank-json', changes)).toEqual(expected),
    )
  }
})

describe('urlhaus-json', () => {
  const listed = {
    kind: 'url',
    text: 'http://b.example/x',
    threatType: 'malware',
    reference: 'https://haus.example/7',
    firstSeenAt: at,
  }
  const rows: readonly [string, object, object][] = [
    ['one that is offline stays listed', {}, listed],
    ['a time without its zone', { dateadded: '2026-01-02 03:04:05' }, listed],
    ['no URL', { url: '' }, refused('malformed_row')],
  ]
  for (const [name, changes, expected] of rows) {
    test(name, async () =>
      expect<object | undefined>(await rowOf('urlhaus-json', changes)).toEqual(expected),
    )
  }

  test('ids hold rows, whatever their number, and else are counted', async () => {
    const text =
      '{"1":[],"2":[{"url":"http://a.example/"},7,null],"3":{"url":"http://b.example/"},"4":null}'
    expect(await textsOf(jsonFormats['urlhaus-json'], text)).toEqual([
      'http://a.example/',
      ...Array(4).fill('(malformed_row)'),
    ])
  })
})

describe('urlhaus-json and threatfox-json', () => {
  test('an error in JSON is no feed, an empty feed is', async () => {
    for (const name of ['urlhaus-json', 'threatfox-json'] as const) {
      expect(await textsOf(jsonFormats[name], '{"error":"no key","code":401}')).toEqual([
        '(malformed)',
      ])
      expect(await textsOf(jsonFormats[name], '{}')).toEqual([])
    }
  })
})

describe('threatfox-json', () => {
  const said = {
    threatType: 'malware',
    confidence: 75,
    malwareFamily: 'Example Stealer',
    reference: 'https://fox.example/7',
    firstSeenAt: at,
  }
  const digest = 'd41d8cd98f00b204e9800998ecf8427e'
  const rows: readonly [string, object, object][] = [
    ['an address with its port', {}, { kind: 'address', text: '203.0.113.7:443', ...said }],
    [
      'a domain',
      { ioc_type: 'domain', ioc_value: 'b.example' },
      { kind: 'name', text: 'b.example', ...said },
    ],
    [
      'a URL',
      { ioc_type: 'url', ioc_value: 'http://b.example/' },
      { kind: 'url', text: 'http://b.example/', ...said },
    ],
    ['MD5', { ioc_type: 'md5_hash', ioc_value: digest }, { kind: 'digest', text: digest, ...said }],
    [
      'SHA-1',
      { ioc_type: 'sha1_hash', ioc_value: digest },
      { kind: 'digest', text: digest, ...said },
    ],
    [
      'SHA-256',
      { ioc_type: 'sha256_hash', ioc_value: digest },
      { kind: 'digest', text: digest, ...said },
    ],
    ['SHA3', { ioc_type: 'sha3_384_hash' }, refused('unsupported_type')],
    [
      'a type that is a key of every object',
      { ioc_type: '__proto__' },
      refused('unsupported_type'),
    ],
    ['no value', { ioc_value: null }, refused('malformed_row')],
    [
      'a confidence written as text',
      { confidence_level: '75' },
      { kind: 'address', text: '203.0.113.7:443', ...said },
    ],
    [
      'what it does not know',
      {
        malware_printable: 'Unknown malware',
        reference: 'None',
        confidence_level: null,
        first_seen_utc: null,
      },
      { kind: 'address', text: '203.0.113.7:443', threatType: 'malware' },
    ],
  ]
  for (const [name, changes, expected] of rows) {
    test(name, async () =>
      expect<object | undefined>(await rowOf('threatfox-json', changes)).toEqual(expected),
    )
  }
})

describe('certpl-json and polkadot-meta', () => {
  test('a name with its date', async () => {
    expect<object | undefined>(await rowOf('certpl-json', {})).toEqual({
      kind: 'name',
      text: 'b.example',
      firstSeenAt: at,
    })
  })
  test('a name that was taken off', async () => {
    expect<object | undefined>(
      await rowOf('certpl-json', { DeleteDate: '2026-02-03T00:00:00+00:00' }),
    ).toEqual({
      kind: 'refused',
      reason: 'withdrawn',
    })
  })
  test('a name with its day', async () => {
    expect<object | undefined>(await rowOf('polkadot-meta', {})).toEqual({
      kind: 'name',
      text: 'b.example',
      firstSeenAt: Date.UTC(2026, 0, 2),
    })
  })
  test('a page among them', async () => {
    expect<object | undefined>(
      await rowOf('polkadot-meta', { url: 'b.example/x', date: 5 }),
    ).toEqual({
      kind: 'url',
      text: 'b.example/x',
    })
  })
  test('a row without a name', async () => {
    expect<object | undefined>(await rowOf('polkadot-meta', { url: 5.5e300 })).toEqual({
      kind: 'name',
      text: '5.5e+300',
      firstSeenAt: Date.UTC(2026, 0, 2),
    })
    expect<object | undefined>(await rowOf('polkadot-meta', { url: [] })).toEqual({
      kind: 'refused',
      reason: 'malformed_row',
    })
  })
})

describe('any document at all', () => {
  const guards = loadGuards()
  const junk = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -1,
      1e300,
      '',
      '\0',
      [],
      {},
      [[[['a.example']]]],
      'google.com',
      'a\u2028b',
      '\uD800',
      Array(50).fill({}),
      JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
    ),
  )

  for (const name of jsonFormatNames) {
    const nodesMax = JSON.stringify(jsonSamples[name]).split(/[,:]/).length + 1
    test(`${name} survives anything in the place of anything`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(nodesMax), junk, async (target, value) => {
          let node = 0
          const text = JSON.stringify(jsonSamples[name], (_, old: unknown) =>
            node++ === target ? value : old,
          )
          expectSound(await itemsOf(jsonFormats[name], new Blob([text ?? ''])), guards)
        }),
        fuzzRuns,
      )
    })

    test(`${name} survives cuts and bytes in between`, async () => {
      const text = JSON.stringify(jsonSamples[name], null, 1).replaceAll('\n', '\r\n')
      const byte = fc.constantFrom('', '\0', '\uFEFF', '\r\n', '"', '\\', '{', '[', '<html>', ',')
      await fc.assert(
        fc.asyncProperty(
          fc.nat(text.length),
          fc.nat(text.length),
          byte,
          async (from, to, between) => {
            const broken = text.slice(0, from) + between + text.slice(to)
            expectSound(await itemsOf(jsonFormats[name], new Blob([broken])), guards)
          },
        ),
        fuzzRuns,
      )
    })

    test(`${name} survives a text of 10 MB and brackets without end`, async () => {
      const long = 'a'.repeat(1e7)
      const text = JSON.stringify(jsonSamples[name], (_, old: unknown) =>
        typeof old === 'string' ? long.slice(0, 1e6) : old,
      )
      const deep = '['.repeat(1e5) + ']'.repeat(1e5)
      for (const hostile of [
        text,
        `["${long}"]`,
        `{"blacklist":["${long}"]}`,
        deep,
        deep.slice(1),
        `{"objects":${deep},"list":${deep},"type":"x","1":${deep}}`,
      ]) {
        expectSound(await itemsOf(jsonFormats[name], new Blob([hostile])), guards)
      }
    })

    test(`${name} is no page, text or number`, async () => {
      for (const text of ['<!doctype html><html>', 'a.example', '7', 'null', '"x"', '']) {
        expect(await itemsOf(jsonFormats[name], new Blob([text]))).toBe('malformed')
      }
    })
  }
})

describe('a document of more than 2,000,000 elements', () => {
  const count = 2_000_001
  const array = `[${'0,'.repeat(count - 1)}0]`
  const documents: readonly (readonly [keyof typeof jsonFormats, string])[] = [
    ['json-array', array],
    ['eth-phishing-detect', `{"blacklist":${array}}`],
    ['polkadot', `{"deny":${array}}`],
    ['polkadot-meta', array],
    ['phishtank-json', array],
    ['certpl-json', array],
    ['urlhaus-json', `{"1":${array}}`],
    ['threatfox-json', `{"1":[0],"2":${array}}`],
    ['misp', `{"Event":{"Object":[{"Attribute":${array}}]}}`],
    ['misp-warninglist', `{"type":"string","list":${array}}`],
    ['stix', `{"objects":${array}}`],
  ]
  for (const [name, text] of documents) {
    test(`is no ${name}`, () => {
      expect(jsonFormats[name].read(text)).toEqual({ ok: false, reason: 'malformed' })
    })
  }

  test('is one without the last of them', () => {
    const document = jsonFormats['json-array'].read(array.replace('0,', ''))
    expect(document.ok && document.value.length).toBe(count - 1)
  })
})
