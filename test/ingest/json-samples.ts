/** Invented documents of the JSON formats, as small as each can be with every field in it. */

import { type JsonFormatName, jsonFormats } from '../../src/ingest/formats/json-feeds.ts'

/** A document of each format, of one row. */
export const jsonSamples = {
  'eth-phishing-detect': {
    version: 2,
    tolerance: 2,
    fuzzylist: ['f.example'],
    whitelist: ['w.example'],
    blacklist: ['b.example'],
  },
  polkadot: { allow: ['w.example'], deny: ['b.example'] },
  'polkadot-meta': [{ date: '2026-01-02', url: 'b.example' }],
  'json-array': ['b.example'],
  'phishtank-json': [
    {
      phish_id: 7,
      url: 'http://b.example/x',
      phish_detail_url: 'https://tank.example/7',
      submission_time: '2026-01-02T03:04:05+00:00',
      verified: 'yes',
      verification_time: '2026-01-02T03:05:05+00:00',
      online: 'yes',
      details: [{ ip_address: '203.0.113.7' }],
      target: 'Example Bank',
    },
  ],
  'urlhaus-json': {
    '7': [
      {
        dateadded: '2026-01-02 03:04:05 UTC',
        url: 'http://b.example/x',
        url_status: 'offline',
        last_online: null,
        threat: 'malware_download',
        tags: null,
        urlhaus_link: 'https://haus.example/7',
        reporter: 'anonymous',
      },
    ],
  },
  'threatfox-json': {
    '7': [
      {
        ioc_value: '203.0.113.7:443',
        ioc_type: 'ip:port',
        threat_type: 'botnet_cc',
        malware: 'win.example',
        malware_alias: null,
        malware_printable: 'Example Stealer',
        first_seen_utc: '2026-01-02 03:04:05',
        last_seen_utc: null,
        confidence_level: 75,
        is_compromised: false,
        reference: 'https://fox.example/7',
        tags: 'a, b',
        anonymous: '0',
        reporter: 'x',
      },
    ],
  },
  'certpl-json': [
    {
      RegisterPositionId: 7,
      DomainAddress: 'b.example',
      InsertDate: '2026-01-02T03:04:05+00:00',
      DeleteDate: null,
    },
  ],
  misp: {
    response: [
      {
        Event: {
          info: 'x',
          Tag: [{ name: 'tlp:clear' }],
          Attribute: [
            {
              type: 'domain',
              category: 'Network activity',
              value: 'b.example',
              to_ids: true,
              deleted: false,
              timestamp: '1767323045',
            },
          ],
          Object: [{ name: 'file', Attribute: [] }],
        },
      },
    ],
  },
  'misp-warninglist': {
    description: 'x',
    list: ['.b.example'],
    matching_attributes: ['domain'],
    name: 'x',
    type: 'hostname',
    version: 1,
  },
  stix: {
    type: 'bundle',
    id: 'bundle--1',
    objects: [
      {
        type: 'indicator',
        id: 'indicator--1',
        pattern: "[domain-name:value = 'b.example']",
        pattern_type: 'stix',
        valid_from: '2026-01-02T03:04:05Z',
        labels: ['phishing'],
        object_marking_refs: ['x'],
        external_references: [{ url: 'https://x.example/' }],
      },
    ],
  },
} as const satisfies Readonly<Record<JsonFormatName, unknown>>

/** Every JSON format's name. */
export const jsonFormatNames = Object.keys(jsonSamples).filter((name): name is JsonFormatName =>
  Object.hasOwn(jsonFormats, name),
)
