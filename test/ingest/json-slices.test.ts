/** The real JSON feeds and warninglists. Skipped where the data is absent. */

import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FeedEntry, Item } from '../../src/ingest/formats/format.ts'
import { type JsonFormatName, jsonFormats } from '../../src/ingest/formats/json-feeds.ts'
import { recogniseJson } from '../../src/ingest/formats/recognise-json.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import { readSample } from '../../src/ingest/line-reader.ts'
import { dataFolder, describeWith, realData } from '../needs.ts'
import {
  type Counts,
  countsOfItems,
  countsOfListed,
  expectSound,
  itemsOf,
  itemsOfFile,
} from './reading.ts'

const sampleBytes = 64 * 1024

const sampleOf = (path: string): Promise<string> =>
  readSample(Bun.file(join(dataFolder, path)).stream(), sampleBytes)

const entriesOf = (items: readonly Item[] | 'malformed'): readonly FeedEntry[] =>
  items === 'malformed' ? [] : items.filter((item) => item.kind !== 'refused')

describeWith(realData())('the real JSON feeds', () => {
  const guards = loadGuards()
  const rows: readonly [string, JsonFormatName, items: Counts, listed: Counts][] = [
    ['feeds/certpl_domains.json', 'certpl-json', { name: 1 }, { domain: 1 }],
    ['feeds/polkadot_meta_2025-10.json', 'polkadot-meta', { name: 1596 }, { domain: 1596 }],
    [
      'domains/polkadot_all.json.gz',
      'polkadot',
      { name: 54_863 },
      { domain: 54_853, ip: 4, '(protected_name)': 3, '(not_public_host)': 3 },
    ],
    // Nothing of these two is marked for detection.
    [
      'feeds/misp-event_misp-kryptocibule.json',
      'misp',
      { '(not_an_indicator)': 191 },
      { '(not_an_indicator)': 191 },
    ],
    [
      'feeds/misp-event_misp-mosquito-event.json',
      'misp',
      { '(not_an_indicator)': 60 },
      { '(not_an_indicator)': 60 },
    ],
    [
      'feeds/misp-event_misp.event_2021-06-10_backdoordiplomacy.json',
      'misp',
      { digest: 66, '(not_an_indicator)': 1 },
      { md5: 22, sha1: 22, sha256: 22, '(not_an_indicator)': 1 },
    ],
    // All of it is in objects.
    [
      'feeds/misp-event_mozi.misp-event.json.gz',
      'misp',
      { url: 11, digest: 63, '(not_an_indicator)': 75, '(unsupported_type)': 2 },
      { url: 11, md5: 21, sha1: 21, sha256: 21, '(not_an_indicator)': 75, '(unsupported_type)': 2 },
    ],
  ]
  for (const [file, format, counts, listed] of rows) {
    test(`${file} as ${format}`, async () => {
      expect(recogniseJson(await sampleOf(file))).toBe(format)
      const items = await itemsOfFile(jsonFormats[format], file)
      expect(countsOfItems(items)).toEqual(counts)
      expect(countsOfListed(items, guards)).toEqual(listed)
    })
  }

  test('an array that was cut off is malformed, and closed it is read', async () => {
    const file = 'feeds/discord_list.json'
    expect(recogniseJson(await sampleOf(file))).toBe('json-array')
    expect(await itemsOfFile(jsonFormats['json-array'], file)).toBe('malformed')
    const text = await Bun.file(join(dataFolder, file)).text()
    const closed = `${text.trimEnd().replace(/,$/, '')}]`
    const items = await itemsOf(jsonFormats['json-array'], new Blob([closed]))
    expect(countsOfItems(items)).toEqual({ name: 8647 })
    expect(countsOfListed(items, guards)).toEqual({
      domain: 8620,
      ip: 16,
      '(protected_name)': 7,
      '(invalid_character)': 3,
      '(not_public_host)': 1,
    })
  })

  test('the wallets of sites are no list of sites', async () => {
    expect(recogniseJson(await sampleOf('feeds/polkadot_address.json'))).toBeNull()
  })

  test('each name of a month says on which day it was listed', async () => {
    const items = await itemsOfFile(
      jsonFormats['polkadot-meta'],
      'feeds/polkadot_meta_2025-10.json',
    )
    const times = entriesOf(items).map(({ firstSeenAt = 0 }) => firstSeenAt)
    expect(Math.min(...times)).toBe(Date.UTC(2025, 9, 1))
    expect(Math.max(...times)).toBe(Date.UTC(2025, 9, 30))
  })

  test('an event’s own report is the reference of all of it', async () => {
    const file = 'feeds/misp-event_misp.event_2021-06-10_backdoordiplomacy.json'
    const references = entriesOf(await itemsOfFile(jsonFormats.misp, file)).map(
      ({ reference }) => reference,
    )
    expect(new Set(references)).toEqual(
      new Set([
        'https://www.welivesecurity.com/2021/06/10/backdoordiplomacy-upgrading-quarian-turian/',
      ]),
    )
  })
})

describeWith(realData())('the real warninglists', () => {
  const guards = loadGuards()
  const rows: readonly [string, Counts][] = [
    ['akamai.json', { network: 268 }],
    ['alexa.json', { name: 998 }],
    ['automated-malware-analysis.json', { name: 26 }],
    ['bank-website.json', { name: 2226 }],
    ['cisco_top1000.json', { name: 1000 }],
    ['cloudflare-top1k.json', { name: 999 }],
    ['cloudflare.json', { network: 22 }],
    ['common-contact-emails.json', { '(unsupported_type)': 1 }],
    ['common-ioc-false-positive.json', { digest: 69 }],
    ['covid.json', { name: 318, '(unsupported_type)': 1 }],
    ['crl-hostname.json', { name: 222 }],
    ['digitalside.json', { name: 43 }],
    ['disposable-email.json.gz', { name: 8201 }],
    ['dynamic-dns.json.gz', { name: 35_467 }],
    ['eicar.com.json', { digest: 9, '(unsupported_type)': 6 }],
    ['empty-hashes.json', { digest: 3, '(unsupported_type)': 3 }],
    ['fastly.json', { network: 21 }],
    ['github.json.gz', { network: 5446 }],
    ['google.json', { name: 669 }],
    ['link-in-bio.json', { name: 91 }],
    ['lots-project.json', { name: 175 }],
    ['microsoft-attack-simulator.json', { address: 1, name: 140 }],
    ['microsoft-office365.json', { name: 183 }],
    ['microsoft.json', { name: 191 }],
    ['moz-top500.json', { name: 499, '(malformed_row)': 1 }],
    ['parking-domain-ns.json', { name: 129 }],
    ['parking-domain.json', { network: 108 }],
    ['phone_numbers.json', { '(unsupported_type)': 33 }],
    ['public-ipfs-gateways.json', { name: 89 }],
    ['rfc6761.json', { name: 21 }],
    ['second-level-tlds.json.gz', { name: 10_231 }],
    ['security-provider-blogpost.json', { name: 647 }],
    ['sinkholes.json', { address: 97, network: 10 }],
    ['ti-falsepositives.json.gz', { digest: 24_645 }],
    ['tlds.json', { name: 1438 }],
    ['umbrella-blockpage-hostname.json', { name: 5 }],
    ['url-shortener.json', { name: 255 }],
    ['wikimedia.json', { network: 10 }],
  ]
  for (const [file, counts] of rows) {
    test(file, async () => {
      const path = `warninglists/${file}`
      expect(recogniseJson(await sampleOf(path))).toBe('misp-warninglist')
      const items = await itemsOfFile(jsonFormats['misp-warninglist'], path)
      expect(countsOfItems(items)).toEqual(counts)
      expectSound(items, guards)
    })
  }

  test('there are no others', () => {
    expect(readdirSync(join(dataFolder, 'warninglists')).sort()).toEqual(
      rows.map(([file]) => file).sort(),
    )
  })
})
