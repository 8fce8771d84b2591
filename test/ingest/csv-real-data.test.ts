/** Real files of the CSV feeds, by count; skipped where the data is absent. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  type CsvFormatName,
  csvFormats,
  recogniseCsv,
} from '../../src/ingest/formats/csv-formats.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import { readSample } from '../../src/ingest/line-reader.ts'
import { dataFolder, describeWith, realData } from '../needs.ts'
import { type Counts, countsOfItems, countsOfListed, itemsOfFile } from './reading.ts'

describeWith(realData())('the real tables', () => {
  const guards = loadGuards()

  /** What a person counts in each file, and what of it is listed in the end. */
  const files: readonly (readonly [string, CsvFormatName, Counts, Counts])[] = [
    // The publisher's own example, of a name that no feed should list.
    ['feeds/phishtank_online-valid.csv', 'phishtank-csv', { url: 1 }, { url: 1 }],
    ['feeds/urlhaus_recent.csv', 'urlhaus-csv', { url: 6 }, { url: 6 }],
    [
      'feeds/threatfox_recent.csv',
      'threatfox-csv',
      { name: 1, address: 1, url: 1 },
      { domain: 1, ip: 1, url: 1 },
    ],
    ['feeds/threatfox_legacy14.csv', 'threatfox-csv', { url: 1, address: 1 }, { url: 1, ip: 1 }],
    [
      'feeds/malwarebazaar_recent.csv',
      'malwarebazaar-csv',
      { digest: 6 },
      { sha256: 2, sha1: 2, md5: 2 },
    ],
    ['feeds/phishstats.csv', 'phishstats-csv', { url: 7 }, { url: 7 }],
    [
      'feeds/tweetfeed_year.csv',
      'tweetfeed',
      { name: 1, url: 3, address: 1, digest: 2, '(not_an_indicator)': 1 },
      { domain: 1, url: 3, ip: 1, sha256: 1, md5: 1, '(not_an_indicator)': 1 },
    ],
    [
      'hashes/eset_hashes.csv.gz',
      'table',
      { digest: 9_531 },
      { sha256: 3_177, sha1: 3_177, md5: 3_177 },
    ],
    // Five rows hold nothing between their tabs, 4,161 are paths, 53 names of the onion network.
    [
      'iocs/maltrail_family_iocs.tsv.gz',
      'family-iocs',
      { any: 292_227, '(malformed_row)': 5, '(unsupported_type)': 4_161 },
      {
        domain: 256_278,
        url: 11_212,
        ip: 24_684,
        '(not_public_host)': 53,
        '(malformed_row)': 5,
        '(unsupported_type)': 4_161,
      },
    ],
  ]
  for (const [path, name, items, listed] of files) {
    test(`${path} is ${name}, and is read as a person reads it`, async () => {
      expect(
        recogniseCsv(await readSample(Bun.file(join(dataFolder, path)).stream(), 65_536)),
      ).toBe(name)
      const read = await itemsOfFile(csvFormats[name], path)
      expect(countsOfItems(read)).toEqual(items)
      expect(countsOfListed(read, guards)).toEqual(listed)
    }, 30_000)
  }
})
