import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Item } from '../../src/ingest/formats/format.ts'
import { jsonFormats } from '../../src/ingest/formats/json-feeds.ts'
import { type MispManifestEntry, mispManifest } from '../../src/ingest/formats/misp.ts'
import { type Counts, countsOfItems, fuzzRuns, itemsOf, textsOf } from './reading.ts'

const { misp } = jsonFormats
const digest = 'd41d8cd98f00b204e9800998ecf8427e'
const at = Date.UTC(2026, 0, 2, 3, 4, 5)

const attribute = (type: string, value: unknown, more: object = {}) => ({
  type,
  category: 'Network activity',
  value,
  to_ids: true,
  timestamp: String(at / 1_000),
  ...more,
})
const eventOf = (attributes: readonly object[], more: object = {}) =>
  JSON.stringify({ Event: { info: 'x', Attribute: attributes, ...more } })
const tagged = (...names: readonly string[]) => ({ Tag: names.map((name) => ({ name })) })

/** Reads an event of one attribute. */
async function itemOf(attributes: object, event: object = {}): Promise<Item | undefined> {
  const items = await itemsOf(misp, new Blob([eventOf([attributes], event)]))
  return items === 'malformed' ? undefined : items[0]
}

describe('misp', () => {
  const types: readonly [
    type: string,
    value: string,
    expected: Counts,
    texts: readonly string[],
  ][] = [
    ['domain', 'b.example', { name: 1 }, ['b.example']],
    ['hostname', 'a.b.example', { name: 1 }, ['a.b.example']],
    ['url', 'http://b.example/', { url: 1 }, ['http://b.example/']],
    ['uri', 'b.example/x', { url: 1 }, ['b.example/x']],
    ['link', 'http://b.example/', { url: 1 }, ['http://b.example/']],
    ['ip-src', '203.0.113.7', { address: 1 }, ['203.0.113.7']],
    ['ip-dst', '2001:db8::1', { address: 1 }, ['2001:db8::1']],
    ['ip-dst|port', '203.0.113.7|443', { address: 1 }, ['203.0.113.7']],
    ['ip-src|port', '203.0.113.7|443', { address: 1 }, ['203.0.113.7']],
    ['hostname|port', 'b.example|443', { name: 1 }, ['b.example']],
    ['domain|ip', 'b.example|203.0.113.7', { name: 1, address: 1 }, ['b.example', '203.0.113.7']],
    ['md5', digest, { digest: 1 }, [digest]],
    ['sha1', digest, { digest: 1 }, [digest]],
    ['sha256', digest, { digest: 1 }, [digest]],
    ['filename|md5', `a|b.exe|${digest}`, { digest: 1 }, [digest]],
    ['filename|sha1', `a.exe|${digest}`, { digest: 1 }, [digest]],
    ['filename|sha256', `a.exe|${digest}`, { digest: 1 }, [digest]],
    ['email', 'evil@b.example', { email: 1 }, ['evil@b.example']],
    ['email-src', 'evil@b.example', { email: 1 }, ['evil@b.example']],
    ['email-dst', 'victim@b.example', { '(not_an_indicator)': 1 }, ['(not_an_indicator)']],
    ['domain|ip', 'b.example', { '(malformed_row)': 1 }, ['(malformed_row)']],
    ['filename', 'a.exe', { '(unsupported_type)': 1 }, ['(unsupported_type)']],
    ['filename|sha512', 'a.exe|00', { '(unsupported_type)': 1 }, ['(unsupported_type)']],
    ['btc', 'x', { '(unsupported_type)': 1 }, ['(unsupported_type)']],
    ['__proto__', 'x', { '(unsupported_type)': 1 }, ['(unsupported_type)']],
  ]
  for (const [type, value, counts, texts] of types) {
    test(`${type} ${value}`, async () => {
      const text = eventOf([attribute(type, value)])
      expect(countsOfItems(await itemsOf(misp, new Blob([text])))).toEqual(counts)
      expect(await textsOf(misp, text)).toEqual(texts)
    })
  }

  const rows: readonly [string, attribute: object, event: object, expected: string][] = [
    [
      'not for detection',
      attribute('domain', 'b.example', { to_ids: false }),
      {},
      '(not_an_indicator)',
    ],
    [
      'for detection, as an older export says it',
      attribute('domain', 'b.example', { to_ids: '1' }),
      {},
      'b.example',
    ],
    ['deleted', attribute('domain', 'b.example', { deleted: true }), {}, '(withdrawn)'],
    ['no value', attribute('domain', null), {}, '(malformed_row)'],
    ['an event for everyone', attribute('domain', 'b.example'), tagged('tlp:white'), 'b.example'],
    [
      'an event for everyone, by the newer word',
      attribute('domain', 'b.example'),
      tagged('x', 'TLP:CLEAR'),
      'b.example',
    ],
    ['an event without a mark', attribute('domain', 'b.example'), tagged('x'), 'b.example'],
    [
      'an event for a community',
      attribute('domain', 'b.example'),
      tagged('tlp:green'),
      '(not_shareable)',
    ],
    [
      'an event for an organisation',
      attribute('domain', 'b.example'),
      tagged('tlp:amber+strict'),
      '(not_shareable)',
    ],
    [
      'an event whose tags are joined to it',
      attribute('domain', 'b.example'),
      { EventTag: [{ Tag: { name: 'tlp:red' } }] },
      '(not_shareable)',
    ],
    [
      'an event whose tags are bare names',
      attribute('domain', 'b.example'),
      { Tag: ['tlp:red'] },
      '(not_shareable)',
    ],
    [
      'an event with two marks',
      attribute('domain', 'b.example'),
      tagged('tlp:clear', 'tlp:red'),
      '(not_shareable)',
    ],
    [
      'an event with an unknown mark',
      attribute('domain', 'b.example'),
      tagged('tlp:unclear'),
      '(not_shareable)',
    ],
    [
      'an attribute for a community',
      attribute('domain', 'b.example', tagged('tlp:green')),
      tagged('tlp:clear'),
      '(not_shareable)',
    ],
    [
      'context of a restricted event',
      attribute('text', 'x', { to_ids: false }),
      tagged('tlp:red'),
      '(not_shareable)',
    ],
  ]
  for (const [name, attributes, event, expected] of rows) {
    test(name, async () => {
      expect(await textsOf(misp, eventOf([attributes], event))).toEqual([expected])
    })
  }

  test('an attribute says when it was seen, its event what it is part of', async () => {
    const report = attribute('link', 'https://report.example/1', {
      category: 'External analysis',
      to_ids: false,
    })
    const other = attribute('link', 'https://report.example/2', {
      category: 'Internal reference',
      to_ids: false,
    })
    const text = eventOf(
      [attribute('domain', 'b.example'), other, report],
      tagged('misp-galaxy:malpedia="Example Stealer"'),
    )
    const items = await itemsOf(misp, new Blob([text]))
    expect(items[0]).toEqual({
      kind: 'name',
      text: 'b.example',
      threatType: 'malware',
      malwareFamily: 'Example Stealer',
      reference: 'https://report.example/1',
      firstSeenAt: at,
    })
  })

  test('the first sighting, where it is given, is when it was seen', async () => {
    const item = await itemOf(
      attribute('domain', 'b.example', { first_seen: '2025-06-07T08:09:10.123456+00:00' }),
    )
    expect(item).toEqual({
      kind: 'name',
      text: 'b.example',
      firstSeenAt: Date.UTC(2025, 5, 7, 8, 9, 10, 123),
    })
  })

  const said: readonly [string, readonly string[], object][] = [
    [
      'a number of MITRE’s is no part of a name',
      ['misp-galaxy:mitre-malware="Example - S0001"', 'misp-galaxy:malpedia="example"'],
      { threatType: 'malware', malwareFamily: 'Example' },
    ],
    ['no family when tags name two', ['misp-galaxy:malpedia="One"', 'misp-galaxy:rat="Two"'], {}],
    ['a technique is no family', ['misp-galaxy:mitre-attack-pattern="Phishing - T1566"'], {}],
    [
      'a classification as phishing',
      ['circl:incident-classification="phishing"'],
      { threatType: 'phishing' },
    ],
  ]
  for (const [name, tags, expected] of said) {
    test(name, async () => {
      const item = await itemOf(
        attribute('domain', 'b.example', { timestamp: null }),
        tagged(...tags),
      )
      expect(item).toEqual({ kind: 'name', text: 'b.example', ...expected })
    })
  }

  test('attributes of objects count like the event’s own, and go with their object', async () => {
    const objects = [
      { name: 'file', Attribute: [attribute('md5', digest), attribute('filename', 'a.exe')] },
      { name: 'file', deleted: true, Attribute: [attribute('md5', digest)] },
      { name: 'broken', Attribute: 7 },
      null,
    ]
    expect(
      await textsOf(misp, eventOf([attribute('domain', 'b.example')], { Object: objects })),
    ).toEqual(['b.example', digest, '(unsupported_type)', '(withdrawn)'])
  })

  test('every shape of export is read', async () => {
    const event = eventOf([attribute('domain', 'b.example')])
    for (const text of [event, `[${event}]`, `{"response":[${event}]}`]) {
      expect(await textsOf(misp, text)).toEqual(['b.example'])
    }
    expect(await textsOf(misp, `{"response":[${event},${event}]}`)).toHaveLength(2)
    expect(await textsOf(misp, '{"response":[]}')).toEqual([])
  })

  test('a document with anything but events is malformed', async () => {
    for (const text of ['{}', '[7]', '{"response":[{}]}', '{"Event":[]}', '{"Event":null}']) {
      expect(await textsOf(misp, text)).toEqual(['(malformed)'])
    }
  })
})

describe('mispManifest', () => {
  const uuid = '59dbf0f6-3203-413a-9fbc-7960b592e4cf'
  const row = {
    info: 'x',
    Orgc: { name: 'x' },
    date: '2026-01-02',
    timestamp: String(at / 1_000),
    ...tagged('tlp:white'),
  }
  const read = (manifest: unknown): readonly MispManifestEntry[] | 'malformed' => {
    const entries = mispManifest(JSON.stringify(manifest))
    return entries.ok ? entries.value : entries.reason
  }

  const rows: readonly [string, unknown, readonly MispManifestEntry[] | 'malformed'][] = [
    ['an open event', { [uuid]: row }, [{ uuid, timestampMs: at, isShareable: true }]],
    [
      'a time written as a number',
      { [uuid]: { ...row, timestamp: at / 1_000 } },
      [{ uuid, timestampMs: at, isShareable: true }],
    ],
    [
      'an event without a mark',
      { [uuid]: { timestamp: 0 } },
      [{ uuid, timestampMs: 0, isShareable: false }],
    ],
    [
      'an event for a community',
      { [uuid]: { ...row, ...tagged('tlp:clear', 'tlp:green') } },
      [{ uuid, timestampMs: at, isShareable: false }],
    ],
    ['a row that is none', { [uuid]: null }, [{ uuid, timestampMs: 0, isShareable: false }]],
    [
      'a key that would lead elsewhere',
      { [uuid]: row, '../../etc/passwd': row, [`${uuid}/x`]: row },
      [{ uuid, timestampMs: at, isShareable: true }],
    ],
    ['keys of which none is a UUID', { error: 'x' }, 'malformed'],
    ['a UUID of no version', { '59dbf0f6-3203-013a-9fbc-7960b592e4cf': row }, 'malformed'],
    ['a manifest of nothing', {}, []],
    ['an array', [row], 'malformed'],
    ['nothing', null, 'malformed'],
  ]
  for (const [name, manifest, expected] of rows) {
    test(name, () => expect(read(manifest)).toEqual(expected))
  }

  test('any text is answered, and only with what may be part of a URL', () => {
    const key = fc.oneof(fc.uuid(), fc.string(), fc.constant('__proto__'))
    const manifest = fc
      .dictionary(key, fc.oneof(fc.jsonValue(), fc.constant(row)))
      .map((rows) => JSON.stringify(rows))
    fc.assert(
      fc.property(fc.oneof(manifest, fc.string({ unit: 'binary' })), (text) => {
        const entries = mispManifest(text)
        for (const entry of entries.ok ? entries.value : []) {
          expect(entry.uuid).toMatch(/^[0-9a-fA-F-]{36}$/)
          expect(entry.timestampMs).toBeGreaterThanOrEqual(0)
        }
        expect(Reflect.get({}, 'polluted')).toBeUndefined()
      }),
      fuzzRuns,
    )
  })
})
