/** The CSV feeds: what each says of its rows, and how each is recognised. */

import { describe, expect, test } from 'bun:test'
import {
  type CsvFormatName,
  csvFormats,
  recogniseCsv,
} from '../../src/ingest/formats/csv-formats.ts'
import type { FeedEntry, Item } from '../../src/ingest/formats/format.ts'
import { csvDocument, csvFormatNames, csvSamples } from './csv-samples.ts'
import { itemsOf, textsOf } from './reading.ts'

/** Reads rows under the header of a format's sample. */
async function read(name: CsvFormatName, ...rows: readonly string[]): Promise<readonly Item[]> {
  const text = [csvSamples[name].head, ...rows].join('\n')
  const items = await itemsOf(csvFormats[name], new Blob([text]))
  return items === 'malformed' ? [] : items
}

const seen = Date.UTC(2026, 0, 2, 3, 4, 5)
const sha256 = 'ab'.repeat(32)
const sha1 = 'cd'.repeat(20)
const md5 = 'ef'.repeat(16)

describe('csvFormats', () => {
  const samples: Readonly<Record<CsvFormatName, readonly FeedEntry[]>> = {
    'phishtank-csv': [
      {
        kind: 'url',
        text: 'http://login.example.com/x',
        threatType: 'phishing',
        targetBrand: 'Example Bank',
        reference: 'https://tank.example/7',
        firstSeenAt: seen,
      },
      {
        kind: 'url',
        text: 'http://login.example.com/a,b',
        threatType: 'phishing',
        reference: 'https://tank.example/8',
        firstSeenAt: seen,
      },
    ],
    'urlhaus-csv': [
      {
        kind: 'url',
        text: 'http://203.0.113.7:8080/bin.sh',
        threatType: 'malware',
        reference: 'https://haus.example/7/',
        firstSeenAt: seen,
      },
      {
        kind: 'url',
        text: 'http://files.example.com/x',
        threatType: 'malware',
        reference: 'https://haus.example/8/',
        firstSeenAt: seen,
      },
    ],
    'threatfox-csv': [
      {
        kind: 'name',
        text: 'c2.example.com',
        threatType: 'malware',
        confidence: 100,
        malwareFamily: 'Example Stealer',
        reference: 'https://fox.example/7',
        firstSeenAt: seen,
      },
      {
        kind: 'address',
        text: '203.0.113.7:443',
        threatType: 'malware',
        confidence: 25,
        firstSeenAt: seen,
      },
    ],
    'malwarebazaar-csv': [
      ...[sha256, sha1, md5].map((text): FeedEntry => {
        const malwareFamily = 'Example Stealer'
        return { kind: 'digest', text, threatType: 'malware', malwareFamily, firstSeenAt: seen }
      }),
      { kind: 'digest', text: sha256, threatType: 'malware', firstSeenAt: seen },
      { kind: 'digest', text: md5, threatType: 'malware', firstSeenAt: seen },
    ],
    'certpl-csv': [{ kind: 'name', text: 'login.example.com', firstSeenAt: seen }],
    'phishstats-csv': [
      {
        kind: 'url',
        text: 'http://login.example.com/x',
        threatType: 'phishing',
        confidence: 70,
        firstSeenAt: seen,
      },
    ],
    tweetfeed: [
      { kind: 'name', text: 'login.example.com', threatType: 'phishing' } as const,
      { kind: 'address', text: '203.0.113.7' } as const,
      { kind: 'digest', text: sha256, threatType: 'malware' } as const,
      { kind: 'url', text: 'http://login.example.com/a,b' } as const,
    ].map((entry) => ({ ...entry, reference: 'https://x.example/7', firstSeenAt: seen })),
    'tranco-csv': ['example.com', 'example.net', 'example.org'].map((text) => ({
      kind: 'name',
      text,
    })),
    'family-iocs': [
      ['stealer', 'c2.example.com'],
      ['stealer', '203.0.113.7:8443'],
      ['ek_kit', 'http://kit.example.net/"x"'],
    ].map(([malwareFamily = '', text = '']) => ({
      kind: 'any',
      text,
      threatType: 'malware',
      malwareFamily,
      reference: 'https://blog.example/7',
    })),
    table: [
      {
        kind: 'name',
        text: 'c2.example.com',
        threatType: 'malware',
        confidence: 80,
        malwareFamily: 'stealer',
        reference: 'https://blog.example/7',
        firstSeenAt: Date.UTC(2026, 0, 2),
      },
    ],
  }
  for (const name of csvFormatNames) {
    test(`${name} says of its rows what the publisher says`, async () => {
      expect(await itemsOf(csvFormats[name], new Blob([csvDocument(name)]))).toEqual([
        ...samples[name],
      ])
    })
  }

  const tank = (url: string, verified: string, online: string): string =>
    `7,${url},https://tank.example/7,2026-01-02,${verified},2026-01-02,${online},Other`
  const fox = (value: string, type: string): string =>
    `"2026-01-02","7","${value}","${type}","x","x","x","x","","50","False","None","x","0","x"`

  const texts: readonly (readonly [CsvFormatName, string, string, readonly string[]])[] = [
    [
      'phishtank-csv',
      'a phish that is gone',
      tank('http://a.example/', 'yes', 'no'),
      ['(withdrawn)'],
    ],
    [
      'phishtank-csv',
      'an unconfirmed one',
      tank('http://a.example/', 'no', 'yes'),
      ['(not_an_indicator)'],
    ],
    ['phishtank-csv', 'a row without a URL', tank('', 'yes', 'yes'), ['(malformed_row)']],
    [
      'phishtank-csv',
      'a bare comma in a URL',
      tank('http://a.example/b,c', 'yes', 'yes'),
      ['(malformed_row)'],
    ],
    ['threatfox-csv', 'a page', fox('http://a.example/x', 'url'), ['http://a.example/x']],
    ['threatfox-csv', 'a digest', fox(md5, 'md5_hash'), [md5]],
    ['threatfox-csv', 'another digest', fox(sha256, 'sha256_hash'), [sha256]],
    [
      'threatfox-csv',
      'a digest weir has no type for',
      fox(`${sha1}00`, 'sha3_384_hash'),
      ['(unsupported_type)'],
    ],
    [
      'threatfox-csv',
      'a type that is an object’s own',
      fox('x', 'constructor'),
      ['(unsupported_type)'],
    ],
    [
      'malwarebazaar-csv',
      'a sample without digests',
      '"2026-01-02","","n/a","","x","x","x","x","x"',
      ['(malformed_row)'],
    ],
    [
      'certpl-csv',
      'a name taken off the list',
      '7\ta.example\t2026-01-02\t2026-01-03',
      ['(withdrawn)'],
    ],
    ['certpl-csv', 'a row cut short', '7\ta.example\t2026-01-02', ['(malformed_row)']],
    ['certpl-csv', 'a row without a name', '7\t\t2026-01-02\t', ['(malformed_row)']],
    [
      'phishstats-csv',
      'a row without a URL',
      '"2026-01-02","5.80","","203.0.113.7"',
      ['(malformed_row)'],
    ],
    [
      'tranco-csv',
      'rows that are not ranked',
      'x,a.example\n1\n1,\n1,a.example,x',
      Array(4).fill('(malformed_row)'),
    ],
    [
      'family-iocs',
      'rows with too few cells',
      'f\ta.example\nf\t\thttps://x.example\n\ta.example\tx',
      Array(3).fill('(malformed_row)'),
    ],
    ['family-iocs', 'a path, which many hosts have', 'f\t/gate.php\tx', ['(unsupported_type)']],
    ['family-iocs', 'a remark after a name', 'f\ta.example    # was: b\tx', ['a.example']],
  ]
  for (const [name, what, rows, expected] of texts) {
    test(`${name} reads ${what}`, async () => {
      const text = `${csvSamples[name].head}\n${rows}`
      expect(await textsOf(csvFormats[name], text)).toEqual([...expected])
    })
  }

  const scores: readonly (readonly [string, number | undefined])[] = [
    ['0', 30],
    ['1.99', 30],
    ['2.00', 45],
    ['4', 70],
    ['5.99', 70],
    ['6.00', 90],
    ['10.00', 90],
    ['', undefined],
    ['high', undefined],
    ['-1', undefined],
  ]
  for (const [score, confidence] of scores) {
    test(`phishstats-csv takes a score of "${score}" for ${confidence ?? 'none'}`, async () => {
      const [item] = await read(
        'phishstats-csv',
        `"2026-01-02","${score}","http://a.example/","203.0.113.7"`,
      )
      expect(item).toHaveProperty('text', 'http://a.example/')
      expect(item === undefined || item.kind === 'refused' ? null : item.confidence).toBe(
        confidence,
      )
    })
  }

  test('threatfox-csv and urlhaus-csv read editions that lack columns', async () => {
    const old = '# "ioc_value","ioc_type"\n"a.example", "domain"'
    expect(await textsOf(csvFormats['threatfox-csv'], old)).toEqual(['a.example'])
    const older =
      '# id,dateadded,url,url_status,threat,tags,urlhaus_link,reporter\n"7","2019-01-02","http://a.example/","online","x","None","https://haus.example/7","x"'
    expect(await textsOf(csvFormats['urlhaus-csv'], older)).toEqual(['http://a.example/'])
  })

  test('certpl-csv reads the names of its JSON, and refuses what cannot tell of withdrawals', async () => {
    const rows = 'RegisterPositionId,DomainAddress,InsertDate,DeleteDate\n7,a.example,2026-01-02,'
    expect(await textsOf(csvFormats['certpl-csv'], rows)).toEqual(['a.example'])
    const blind = 'DomainAddress,InsertDate\na.example,2026-01-02'
    expect(await textsOf(csvFormats['certpl-csv'], blind)).toEqual([
      '(malformed_row)',
      '(malformed_row)',
    ])
  })
})

describe('recogniseCsv', () => {
  for (const name of csvFormatNames) {
    test(`recognises ${name}, also when it is cut short`, () => {
      const text = csvDocument(name)
      expect(recogniseCsv(text)).toBe(name)
      expect(recogniseCsv(`${text}\r\n${text.slice(text.lastIndexOf('\n') + 1).slice(0, 9)}`)).toBe(
        name,
      )
    })
  }

  const others: readonly (readonly [string, string])[] = [
    ['a list of names', '# Title: x\na.example\nb.example\n'],
    ['a list under a name for its only column', 'domain\na.example\n'],
    ['a list of pages with commas', 'http://a.example/x,y\nhttp://b.example/1,2\n'],
    ['dates before names', '2026-01-02\ta.example\n2026-01-02\tb.example\n'],
    ['a hosts file', '# x\n127.0.0.1\ta.example\n127.0.0.1\tb.example\n'],
    ['an adblock list', '[Adblock Plus 2.0]\n! Title: x\n||a.example^\n'],
    ['a page', '<!doctype html>\n<html><p>domain, family\n'],
    ['JSON', '[{"phish_id":7,"url":"http://a.example/"}]'],
    [
      'a table of other things',
      'Company_Phone_Number,Created_Date,Subject\n2025550100,2026-01-02,x\n',
    ],
    ['nothing', ''],
    ['comments', '# a\n# b\n'],
  ]
  for (const [name, sample] of others) {
    test(`takes ${name} for no table`, () => expect(recogniseCsv(sample)).toBeNull())
  }
})
