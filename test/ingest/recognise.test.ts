/** Every slice of a real feed is recognised as its format, or as none. */

import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FormatName } from '../../src/ingest/formats/formats.ts'
import { recogniseFormat } from '../../src/ingest/formats/recognise.ts'
import { readSample } from '../../src/ingest/line-reader.ts'
import { dataFolder, describeWith, realData } from '../needs.ts'

/** The part of a file that an import recognises it by. */
const sampleBytes = 64 * 1024

const slices: Readonly<Record<string, FormatName | null>> = {
  'certpl_domains.json': 'certpl-json',
  'certpl_domains.txt': 'domains',
  'cps_AtomSpam.txt': 'urls',
  'cps_cobaltstrike_domain.txt': 'domains',
  'cps_threatfox_ips.txt': 'domains',
  'discord_list.json': 'json-array',
  'discord_ublock_filter.txt': 'domains',
  'ftc_dnc_complaints.csv': 'ftc-calls',
  'maltrail_cobaltstrike.txt': 'indicators',
  'maltrail_fakeapp.txt': 'indicators',
  'maltrail_telekopye.txt': 'domains',
  'maltrail_whitelist.txt': 'indicators',
  'malwarebazaar_recent.csv': 'malwarebazaar-csv',
  'misp-event_misp-kryptocibule.json': 'misp',
  'misp-event_misp-mosquito-event.json': 'misp',
  'misp-event_misp.event_2021-06-10_backdoordiplomacy.json': 'misp',
  'misp-event_mozi.misp-event.json.gz': 'misp',
  'openphish_feed.txt': 'urls',
  'pd_ACTIVE.manifest.txt': 'domains',
  'pd_ACTIVE2.adblock': 'adblock',
  'pd_IPs_ACTIVE.txt': 'domains',
  'pd_domains_INVALID.txt': 'domains',
  'pd_domains_NEW-today.txt': 'domains',
  'pd_links_INVALID.txt': 'urls',
  'phishstats.csv': 'phishstats-csv',
  'phishtank_online-valid.csv': 'phishtank-csv',
  // It maps sites to the wallets they ask for.
  'polkadot_address.json': null,
  'polkadot_meta_2025-10.json': 'polkadot-meta',
  // News, not indicators.
  'rss_bleepingcomputer.xml': 'news',
  'rss_krebsonsecurity.xml': 'news',
  'threatfox_legacy14.csv': 'threatfox-csv',
  'threatfox_recent.csv': 'threatfox-csv',
  'tweetfeed_year.csv': 'tweetfeed',
  'urlhaus_hostfile.txt': 'hosts',
  'urlhaus_recent.csv': 'urlhaus-csv',
}

async function recognised(path: string): Promise<FormatName | null> {
  return recogniseFormat(await readSample(Bun.file(path).stream(), sampleBytes))
}

describeWith(realData())('the real slices', () => {
  test('are all here', () => {
    expect(readdirSync(join(dataFolder, 'feeds')).sort()).toEqual(Object.keys(slices).sort())
  })

  for (const [file, format] of Object.entries(slices)) {
    test(`${file} is ${format === null ? 'no list of indicators' : format}`, async () => {
      expect(await recognised(join(dataFolder, 'feeds', file))).toBe(format)
    })
  }

  test('warning lists are recognised, every one', async () => {
    for (const file of readdirSync(join(dataFolder, 'warninglists'))) {
      expect([file, await recognised(join(dataFolder, 'warninglists', file))]).toEqual([
        file,
        'misp-warninglist',
      ])
    }
  })

  test('digests and families are recognised', async () => {
    expect(await recognised(join(dataFolder, 'hashes/eset_hashes.csv.gz'))).toBe('table')
    expect(await recognised(join(dataFolder, 'iocs/maltrail_family_iocs.tsv.gz'))).toBe(
      'family-iocs',
    )
  })
})
