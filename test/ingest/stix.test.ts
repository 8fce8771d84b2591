import { describe, expect, test } from 'bun:test'
import type { Item } from '../../src/ingest/formats/format.ts'
import { jsonFormats } from '../../src/ingest/formats/json-feeds.ts'
import { type Counts, countsOfItems, itemsOf, textsOf } from './reading.ts'

const { stix } = jsonFormats
const digest = 'd41d8cd98f00b204e9800998ecf8427e'
const at = Date.UTC(2026, 0, 2, 3, 4, 5)
const name = "[domain-name:value = 'b.example']"

const indicator = (more: object = {}) => ({
  type: 'indicator',
  spec_version: '2.1',
  id: 'indicator--0d91775a-34d3-590c-87b1-56f347dbfdd2',
  created: '2026-01-02T03:04:05.000Z',
  modified: '2026-01-02T03:04:05.000Z',
  pattern: name,
  pattern_type: 'stix',
  valid_from: '2026-01-02T03:04:05.000Z',
  ...more,
})
const bundle = (...objects: readonly unknown[]) =>
  JSON.stringify({ type: 'bundle', id: 'bundle--1', objects })

async function itemOf(...objects: readonly unknown[]): Promise<Item | undefined> {
  const items = await itemsOf(stix, new Blob([bundle(...objects)]))
  return items === 'malformed' ? undefined : items[0]
}

describe('stix', () => {
  const patterns: readonly [pattern: string, counts: Counts][] = [
    [name, { name: 1 }],
    ["[url:value = 'http://b.example/']", { url: 1 }],
    ["[ipv4-addr:value = '203.0.113.7']", { address: 1 }],
    ["[ipv4-addr:value = '203.0.113.7/32']", { address: 1 }],
    ["[ipv4-addr:value = '203.0.113.0/24']", { network: 1 }],
    ["[ipv6-addr:value = '2001:db8::1']", { address: 1 }],
    ["[ipv6-addr:value = '2001:db8::1/128']", { address: 1 }],
    ["[ipv6-addr:value = '2001:db8::/32']", { network: 1 }],
    ["[email-addr:value = 'evil@b.example']", { email: 1 }],
    [`[file:hashes.MD5 = '${digest}']`, { digest: 1 }],
    [`[file:hashes.'SHA-1' = '${digest}']`, { digest: 1 }],
    [`[file:hashes."SHA-256" = '${digest}']`, { digest: 1 }],
    [`[file:hashes.SHA256 = '${digest}' OR file:hashes.sha1 = '${digest}']`, { digest: 2 }],
    [
      `[file:hashes.'SHA-256' = '${digest}' OR file:hashes.'SHA-512' = 'x' OR file:name = 'a.exe']`,
      { digest: 1, '(unsupported_type)': 2 },
    ],
    [
      "[domain-name:value IN ('a.example', 'b.example')] OR [url:value = 'http://c.example/']",
      { name: 2, url: 1 },
    ],
    ["[domain-name:value = 'b.example' AND file:name = 'a.exe']", { '(unsupported_type)': 1 }],
    ["[domain-name:value LIKE '%.example']", { '(unsupported_type)': 1 }],
    ["[network-traffic:dst_ref.value = '203.0.113.7']", { '(unsupported_type)': 1 }],
    ['[domain-name:value = ', { '(malformed_row)': 1 }],
    ['', { '(malformed_row)': 1 }],
  ]
  for (const [pattern, counts] of patterns) {
    test(pattern, async () => {
      const items = await itemsOf(stix, new Blob([bundle(indicator({ pattern }))]))
      expect(countsOfItems(items)).toEqual(counts)
    })
  }

  const white = 'marking-definition--613f2e26-407d-48c7-9eca-b8e91df99dc9'
  const clear = 'marking-definition--94868c89-83c2-464b-929b-a1a8aa3c8487'
  const amber = 'marking-definition--f88d31f6-486f-44da-b317-01333bde0b82'
  const strict = 'marking-definition--939a9414-2ddd-4d32-a0cd-375ea402b003'
  const rows: readonly [string, object, string][] = [
    ['an indicator for everyone', { object_marking_refs: [white, clear] }, 'b.example'],
    [
      'an indicator with a copyright',
      { object_marking_refs: ['marking-definition--x'] },
      'b.example',
    ],
    [
      'an indicator for an organisation',
      { object_marking_refs: [white, amber] },
      '(not_shareable)',
    ],
    [
      'an indicator for one organisation alone',
      { object_marking_refs: [strict] },
      '(not_shareable)',
    ],
    [
      'a part that is for an organisation',
      { granular_markings: [{ marking_ref: amber, selectors: ['pattern'] }] },
      '(not_shareable)',
    ],
    ['a mark among the labels', { labels: ['tlp:amber'] }, '(not_shareable)'],
    ['revoked', { revoked: true }, '(withdrawn)'],
    ['of something harmless', { indicator_types: ['benign'] }, '(not_an_indicator)'],
    ['in another language', { pattern_type: 'snort' }, '(unsupported_type)'],
    ['without a pattern', { pattern: 7 }, '(malformed_row)'],
    ['no longer valid: no clock is read', { valid_until: '2026-01-03T00:00:00Z' }, 'b.example'],
    [
      'of STIX 2.0, which does not name its language',
      { pattern_type: undefined, spec_version: undefined },
      'b.example',
    ],
  ]
  for (const [title, more, expected] of rows) {
    test(title, async () =>
      expect(await textsOf(stix, bundle(indicator(more)))).toEqual([expected]),
    )
  }

  const definitions: readonly [string, object, boolean][] = [
    ['TLP 1', { definition_type: 'tlp', definition: { tlp: 'green' } }, false],
    ['TLP 1 for everyone', { definition_type: 'tlp', definition: { tlp: 'white' } }, true],
    [
      'TLP 2',
      {
        extensions: {
          'extension-definition--60a3c5c5': {
            extension_type: 'property-extension',
            tlp_2_0: 'amber+strict',
          },
        },
      },
      false,
    ],
    ['TLP 2 for everyone', { name: 'TLP:CLEAR', extensions: { x: { tlp_2_0: 'clear' } } }, true],
    ['by its name alone', { name: 'TLP:RED' }, false],
    [
      'a statement',
      { name: 'Copyright', definition_type: 'statement', definition: { statement: 'x' } },
      true,
    ],
  ]
  for (const [title, definition, isOpen] of definitions) {
    test(`a bundle’s own marking definition: ${title}`, async () => {
      const id = 'marking-definition--7a3914f3-6443-5216-932b-f435e4d590a7'
      const marking = { type: 'marking-definition', id, ...definition }
      const texts = await textsOf(stix, bundle(indicator({ object_marking_refs: [id] }), marking))
      expect(texts).toEqual([isOpen ? 'b.example' : '(not_shareable)'])
    })
  }

  const malware = { type: 'malware', id: 'malware--1', name: 'Example Stealer', is_family: true }
  const indicates = {
    type: 'relationship',
    relationship_type: 'indicates',
    source_ref: indicator().id,
    target_ref: malware.id,
  }
  const entry = { kind: 'name', text: 'b.example', firstSeenAt: at }
  const said: readonly [string, readonly object[], object][] = [
    ['nothing but its time', [indicator()], entry],
    ['created instead of valid from', [indicator({ valid_from: undefined })], entry],
    ['a confidence', [indicator({ confidence: 85 })], { ...entry, confidence: 85 }],
    [
      'a report',
      [
        indicator({
          external_references: [
            { source_name: 'x' },
            { source_name: 'y', url: 'https://report.example/' },
          ],
        }),
      ],
      { ...entry, reference: 'https://report.example/' },
    ],
    [
      'a label that tells the threat',
      [indicator({ indicator_types: ['malicious-activity'], labels: ['x', 'Phishing'] })],
      { ...entry, threatType: 'phishing' },
    ],
    [
      'a family',
      [indicator(), malware, indicates],
      { ...entry, threatType: 'malware', malwareFamily: 'Example Stealer' },
    ],
    [
      'a family and what it is spread by',
      [indicator({ labels: ['phishing'] }), indicates, malware],
      { ...entry, threatType: 'phishing', malwareFamily: 'Example Stealer' },
    ],
    [
      'two families',
      [
        indicator(),
        malware,
        indicates,
        { ...malware, id: 'malware--2', name: 'Other' },
        { ...indicates, target_ref: 'malware--2' },
      ],
      entry,
    ],
    [
      'a family that was taken back',
      [indicator(), malware, { ...indicates, revoked: true }],
      entry,
    ],
    [
      'another relationship',
      [indicator(), malware, { ...indicates, relationship_type: 'related-to' }],
      entry,
    ],
  ]
  for (const [title, objects, expected] of said) {
    test(`it says ${title}`, async () =>
      expect<object | undefined>(await itemOf(...objects)).toEqual(expected))
  }

  test('of several versions the last modified counts, wherever it is', async () => {
    const newer = indicator({
      modified: '2026-01-03T00:00:00.000Z',
      pattern: "[domain-name:value = 'c.example']",
    })
    const revoked = indicator({ modified: '2026-01-04T00:00:00.000Z', revoked: true })
    expect(await textsOf(stix, bundle(indicator(), newer))).toEqual(['(withdrawn)', 'c.example'])
    expect(await textsOf(stix, bundle(newer, indicator()))).toEqual(['c.example', '(withdrawn)'])
    expect(await textsOf(stix, bundle(revoked, newer))).toEqual(['(withdrawn)', '(withdrawn)'])
  })

  test('other objects are no rows, and what is no object is a broken one', async () => {
    expect(await textsOf(stix, bundle(malware, indicator(), null, 7, []))).toEqual([
      'b.example',
      '(malformed_row)',
      '(malformed_row)',
      '(malformed_row)',
    ])
  })

  test('an indicator without an id is read like any other', async () => {
    expect(
      await textsOf(stix, bundle(indicator({ id: undefined }), indicator({ id: undefined }))),
    ).toEqual(['b.example', 'b.example'])
  })

  test('a relationship without a source does not affect an indicator without an id', async () => {
    const item = await itemOf(
      { ...indicates, source_ref: undefined },
      malware,
      indicator({ id: undefined }),
    )
    expect(item).toMatchObject({ kind: 'name', text: 'b.example', malwareFamily: undefined })
  })

  test('a document of more values than 2,000,000 is none', async () => {
    const pattern = `[domain-name:value IN ('a'${",'a'".repeat(9_999)})]`
    const many = (count: number) =>
      bundle(...Array.from({ length: count }, () => ({ type: 'indicator', pattern })))
    expect(await itemsOf(stix, new Blob([many(200)]))).toHaveLength(2_000_000)
    expect(await itemsOf(stix, new Blob([many(201)]))).toBe('malformed')
  })

  const documents: readonly [string, string, readonly string[]][] = [
    ['a TAXII envelope', JSON.stringify({ more: false, objects: [indicator()] }), ['b.example']],
    ['an envelope of nothing', '{"more":false}', []],
    ['a bundle of nothing', '{"type":"bundle","id":"bundle--1"}', []],
    ['objects that are no list', '{"type":"bundle","objects":{}}', ['(malformed)']],
    ['no bundle', '{"type":"indicator"}', ['(malformed)']],
  ]
  for (const [title, text, expected] of documents) {
    test(title, async () => expect(await textsOf(stix, text)).toEqual(expected))
  }
})
