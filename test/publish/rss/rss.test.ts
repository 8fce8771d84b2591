/** The feeds as they are written: their items, hostile values, and texts. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { parseXml } from '@rgrove/parse-xml'
import fc from 'fast-check'
import Parser from 'rss-parser'
import { findListingAudiences, findReportAudiences } from '../../../src/ingest/audiences.ts'
import { type FeedName, feedNames } from '../../../src/model/audience.ts'
import { indicatorTypes, threatTypes } from '../../../src/model/indicator.ts'
import { reportTypes } from '../../../src/model/report.ts'
import { campaignText, indicatorText, reportText } from '../../../src/publish/rss/feed-texts.ts'
import { RssFeeds } from '../../../src/publish/rss/rss.ts'
import type * as batch from '../../../src/store/batch.ts'
import type { StoredReport } from '../../../src/store/reports.ts'
import { indicatorOf } from '../../http/stand-ins.ts'
import { sourceNamed, startOfTest, TestStore } from '../../store/fixture.ts'
import { findBrokenTag, parseElements } from '../../web/html.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 30)
const publicUrl = 'https://weir.example.org'
const feed = sourceNamed('feed')
const press = { ...sourceNamed('press'), role: 'news', title: 'The press' } as const
const everybody = { professional: [], elder: [], general: [] }

let db: TestStore
let feeds: RssFeeds
beforeEach(() => {
  db = new TestStore()
  feeds = new RssFeeds(db.store)
})
afterEach(() => db.remove())

const readXml = async (name: FeedName) => (await feeds.read(name, publicUrl, db.now)).xml

/** Reads a feed as others do; one that is not well-formed is refused. */
async function read(name: FeedName) {
  const xml = await readXml(name)
  parseXml(xml)
  return (await new Parser().parseString(xml)).items
}

const titles = async (name: FeedName) => (await read(name)).map(({ title }) => title ?? '')

async function write(...operations: batch.Operation[]): Promise<void> {
  db.now += 60_000
  await db.store.write({ at: db.now, operations })
}

/** Reads a whole list; whom its entries concern is said by the rules. */
async function list(sightings: readonly batch.Sighting[], source = feed): Promise<void> {
  db.now += 60_000
  const run = await db.startRun(source)
  const addressed = sightings.map((sighting): batch.Sighting => {
    const { threatType = 'phishing', confidence = source.confidence } = sighting
    return { ...sighting, audiences: findListingAudiences({ ...sighting, threatType, confidence }) }
  })
  await db.sight(source.name, run, addressed)
  await db.endRun(run)
}

const domain = (value: string, changes: Partial<batch.Sighting> = {}): batch.Sighting => {
  return { type: 'domain', value, ...changes }
}

async function publish(key: string, changes: Partial<batch.ProposedArticle> = {}): Promise<void> {
  const link = `https://press.example/${encodeURIComponent(key.toWellFormed())}`
  const told = { key, title: `News ${key}`, titleKey: key, link, summary: '', publishedAt: null }
  const articles = [{ ...told, audiences: everybody, ...changes }]
  const run = await db.startRun(press)
  await write({ op: 'publishNews', source: press.name, run, articles })
}

/** Takes a report down; with a status, an operator says so. They are numbered from 1. */
async function report(
  id: number,
  status: 'in_review' | 'accepted' | 'rejected' | null,
  changes: Partial<batch.ProposedReport> = {},
  listing: batch.Sighting | null = null,
): Promise<void> {
  const name = `report ${id}`
  const unnamed = { type: 'message', value: null, valueType: null, targetBrand: null } as const
  const told = { description: `Story ${id} of my grandson.`, contact: 'my address' }
  const proposed: batch.ProposedReport = { name, identity: name, ...unnamed, ...told, ...changes }
  await write({ op: 'report', report: proposed })
  const words = { reason: null, by: 'anna', audiences: findReportAudiences(proposed), listing }
  if (status !== null) await write({ op: 'settleReport', id, status, ...words })
}

describe('who stands in the feeds', () => {
  test('professionals get what is high or critical, campaigns, and their news', async () => {
    await list([
      domain('high.test'),
      domain('low.test', { confidence: 40 }),
      domain('scam.test', { threatType: 'scam', confidence: 100, targetBrand: 'Bank' }),
      domain('critical.test', { threatType: 'malware', confidence: 95, malwareFamily: 'Worm' }),
    ])
    await publish('a', { audiences: { general: [] } })
    await publish('b', { audiences: { professional: [] } })
    await report(1, 'accepted')
    expect(await titles('professional')).toEqual([
      'News b',
      'critical[.]test: malware (Worm)',
      'high[.]test: phishing',
      'Campaign: Bank is imitated',
    ])
  })

  test('older people get what their words stand in, and nothing else', async () => {
    await list([
      domain('high.test'),
      domain('medicare-card.test', { confidence: 20 }),
      domain('care.test', { targetBrand: 'Medicare' }),
    ])
    await report(1, 'accepted')
    await report(2, 'accepted', { description: 'A parcel.' })
    await publish('a', { audiences: { elder: [] } })
    await publish('b', { audiences: { general: [], professional: [] } })
    expect(await titles('elder')).toEqual([
      'News a',
      'Reported: a message',
      'Warning: fake Medicare website (care[.]test)',
      'Warning: scam website (medicare-card[.]test)',
    ])
  })

  test('everybody gets fake brands, reports and consumer news', async () => {
    await list([domain('high.test'), domain('shop.test', { targetBrand: 'Amazon' })])
    await report(1, 'accepted', { targetBrand: 'Amazon' })
    await publish('a', { audiences: { general: [] } })
    await publish('b', { audiences: { professional: [] } })
    expect(await titles('general')).toEqual([
      'News a',
      'Reported: a message that pretends to be from Amazon',
      'Fake Amazon website: shop[.]test',
    ])
  })

  test('the list is of domains alone, the newest first and then by name', async () => {
    await list([domain('b.test'), domain('a.test'), { type: 'ip', value: '192.0.2.7' }])
    await list([domain('c.test', { confidence: 1 })], sourceNamed('other'))
    expect(await titles('blacklist')).toEqual(['c[.]test', 'a[.]test', 'b[.]test'])
  })

  test('each kind stands by its own date among the others, the newest first', async () => {
    await list([domain('medicare-1.test', { targetBrand: 'Medicare' })])
    await publish('a', { publishedAt: db.now - 1_000 })
    await report(1, 'accepted')
    await list([domain('medicare-2.test', { targetBrand: 'Medicare' })], sourceNamed('other'))
    const items = await read('elder')
    const parts = ['medicare-2', 'Reported', 'medicare-1', 'News a']
    expect(items.map(({ title }, at) => title?.includes(parts[at] ?? 'no part'))).toEqual(
      parts.map(() => true),
    )
    const { store } = db
    const [told, news] = [store.reports.byId(1)?.updatedAt, store.news.byId(1)?.publishedAt]
    const times = [store.byId(2)?.listedAt, told, store.byId(1)?.listedAt, news]
    const dates = times.map((time) => new Date(time ?? 0).toUTCString())
    expect(items.map(({ pubDate }) => pubDate)).toEqual(dates)
    expect([...dates].sort((a, b) => Date.parse(b) - Date.parse(a))).toEqual(dates)
  })

  test('nobody gets what is private, not reviewed, rejected, withheld, allowed, delisted or a platform', async () => {
    const targetBrand = 'Medicare'
    const canary = (value: string, changes: Partial<batch.Sighting> = {}) =>
      domain(`medicare-${value}.test`, { targetBrand, ...changes })
    await list([canary('private', { targetBrand: 'Secret' })], sourceNamed('closed', false))
    await list([canary('allowed'), canary('delisted'), canary('platform', { doNotBlock: true })])
    expect((await read('elder')).length).toBe(2)
    await list([canary('allowed'), canary('platform', { doNotBlock: true })])
    const word = { reason: 'ours', by: 'anna', until: null }
    const allowed = { type: 'domain', value: 'medicare-allowed.test', verdict: 'allow' } as const
    await report(1, null)
    await report(2, 'in_review')
    await report(3, 'rejected')
    await report(4, 'accepted', { type: 'false_positive' })
    const value = 'medicare-ended.test'
    await report(5, 'accepted', { value, valueType: 'domain' }, domain(value))
    await write({ op: 'decide', ...allowed, ...word }, { op: 'decide', ...allowed, value, ...word })
    await publish('taken back')
    expect((await read('elder')).length).toBe(1)
    await write({ op: 'withhold', source: press.name, after: 0 })
    for (const name of feedNames) expect(await read(name)).toEqual([])
  })
})

/** What breaks XML, HTML or the one in the other, and what no document may hold. */
const nasty =
  ']]>¦<![CDATA[¦</item>¦<script>alert(1)</script>¦<b>¦&¦&lt;¦"¦\'¦-->¦&#0;¦&apos;¦\u0000¦\u0001¦\u001b¦' +
  '\ud800¦\udc00¦\uffff¦\ufffe¦\u202e¦\u200f¦\u0085¦\u2028¦\r\n¦\t¦  ¦😀¦é¦x'
const text = fc
  .array(fc.oneof(fc.constantFrom(...nasty.split('¦')), fc.string({ maxLength: 5 })), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(''))

/** Expects HTML of nothing but paragraphs and line breaks. */
function expectPlain(html = ''): void {
  expect(findBrokenTag(html)).toBeNull()
  const tags = parseElements(html).map(({ name, rest }) => name + rest)
  expect(tags.filter((tag) => tag !== 'p' && tag !== 'br')).toEqual([])
}

describe('what strangers write', () => {
  test('leaves the feeds well-formed, and puts no markup into them', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(text, text, text, async (title, words, targetBrand) => {
        const id = ++count
        const [key, value] = [`${id} ${title}`, `medicare-${id}.test`]
        await publish(key, { title, titleKey: key, summary: words })
        await report(id, 'accepted', { value: title, description: words, targetBrand })
        await list([domain(value, { targetBrand, malwareFamily: words })], sourceNamed(`n${id}`))
        for (const name of feedNames) {
          const items = await read(name)
          expect(items.length).toBeGreaterThan(0)
          for (const item of items) {
            expect(`${item.title}${item.categories}`).not.toMatch(/[<>]/)
            expectPlain(item.content)
          }
        }
      }),
      { numRuns },
    )
  })

  test('is told as they wrote it', async () => {
    const description = `He wrote: "a < b && c > d"\n]]> <script>'x'</script>`
    await report(1, 'accepted', { description })
    const [item] = await read('general')
    expect(item?.content).toContain(
      '<p>What was reported: He wrote: &quot;a &lt; b &amp;&amp; c &gt; d&quot;<br>]]&gt; ' +
        '&lt;script&gt;&#x27;x&#x27;&lt;/script&gt;</p>',
    )
    expect(item?.content).not.toContain('my address')
  })

  test('may be long, in one item and in its title', async () => {
    const long = { value: 'w'.repeat(8_000), targetBrand: 'B'.repeat(100) }
    await report(1, 'accepted', { description: 'medicare '.repeat(1_000), ...long })
    const value = `https://medicare.test/${'a.b/'.repeat(2_000)}`
    await list([{ type: 'url', value, host: 'medicare.test', targetBrand: 'Medicare' }])
    for (const name of ['professional', 'elder', 'general'] as const) {
      for (const { title = '' } of await read(name)) expect(title.length).toBeLessThan(300)
    }
  })

  test('makes no address a link, nor a thing that programs make a link of', async () => {
    const targetBrand = 'evil.test'
    const url = 'https://medicare.test/a.php?next=http://evil.test/login&x=1'
    const listed: batch.Sighting[] = [
      domain('evil.test', { targetBrand, malwareFamily: 'http://evil.test/worm' }),
      domain('xn--medicar-hya.test', { targetBrand }),
      { type: 'url', value: url, host: 'medicare.test', targetBrand },
      { type: 'ip', value: '192.0.2.7', targetBrand },
      { type: 'email', value: 'medicare@mail.test', host: 'mail.test', targetBrand },
    ]
    await list(listed)
    for (const [at, { type, value }] of listed.entries()) {
      const description = `Go to ${value}, (http://${value}) or EVIL.test/medicare`
      const named = { type: 'other', value, valueType: type } as const
      await report(at + 1, 'accepted', { ...named, description, targetBrand })
      const summary = `See "${value}" or www.Evil.test/now.`
      await publish(`${at}`, { title: `What ${value}, does`, summary })
    }
    await report(6, 'accepted', { value: `Go to ${url}`, targetBrand: url })
    await publish('hacked', { link: url, title: 'Read me' })
    for (const name of feedNames) {
      const xml = await readXml(name)
      for (const { value } of listed) {
        const [plain = value] = value.match(/(?<=:\/\/)[^?]+/) ?? []
        expect(xml.toLowerCase()).not.toContain(plain)
      }
      const own = ['www.w3.org', 'weir.example.org', 'press.example']
      const linked = [...xml.matchAll(/(?:https?|ftp):\/\/([^/<"'\s]*)/gi)].map(([, host]) => host)
      expect(linked.filter((host) => host === undefined || !own.includes(host))).toEqual([])
    }
    const hacked = (await read('general')).find(({ title }) => title === 'Read me')
    expect([hacked?.title, hacked?.link]).toEqual(['Read me', undefined])
  })

  test('keeps its addresses where nothing public lists them', async () => {
    await list([domain('private.test')], sourceNamed('closed', false))
    await list([domain('hosting.test', { doNotBlock: true })])
    const title = 'Turn to help.example, hosting.test or private.test'
    await publish('a', { title, summary: 'evil[.]test and hxxps://evil[.]test/a.php are gone' })
    await list([domain('evil.test')], sourceNamed('other'))
    const [item] = (await read('elder')).filter(({ link }) => link !== undefined)
    expect(item?.title).toBe(title)
    expect(item?.content).toContain('<p>evil[.]test and hxxps://evil[.]test/a.php are gone</p>')
  })
})

const addresses = { domain: 'evil.test', url: 'https://evil.test/a.php', email: 'a@evil.test' }
const digests = { sha256: 'a'.repeat(64), sha1: 'b'.repeat(40), md5: 'c'.repeat(32) }
const values = { ...addresses, ...digests, ip: '192.0.2.7', phone: '+12025550123' }
const brands = [null, 'Amazon', 'PayPal'] as const

/** A listing of every type for everything, by every kind of source, with and without a brand. */
const listings = indicatorTypes.flatMap((type) =>
  threatTypes.flatMap((threatType) =>
    brands.flatMap((targetBrand) =>
      [['a'], ['reports'], ['a', 'b', 'operator']].map((sources, at) => {
        const origin = { targetBrand, targetBrandOrigin: at === 1 ? 'rules' : 'source' } as const
        return indicatorOf(values[type], { type, threatType, ...origin, sources })
      }),
    ),
  ),
)

/** A report of every type on everything, else as `row`. */
const reportsLike = (row: StoredReport): StoredReport[] =>
  reportTypes.flatMap((type) =>
    [null, ...indicatorTypes].flatMap((valueType) =>
      brands.map((brand, at) => {
        const value = valueType === null ? null : values[valueType]
        return { ...row, type, value, valueType, targetBrand: brand, count: at + 1 }
      }),
    ),
  )

describe('what an item says', () => {
  let row: StoredReport
  let told: readonly string[]
  beforeEach(async () => {
    await report(1, 'accepted', { description: 'They said so.' })
    row = db.store.reports.byId(1) ?? expect.unreachable()
    const texts = [
      ...feedNames.flatMap((name) => listings.map((listing) => indicatorText(name, listing))),
      ...reportsLike(row).map(reportText),
      campaignText('Amazon', startOfTest),
    ]
    told = texts.map(({ title, paragraphs }) => [title, ...paragraphs].join('\n'))
  })

  test('is sentences of English, whatever it is about', () => {
    for (const text of told) {
      expect(text).not.toMatch(/null|undefined|\[object|NaN| {2}| \.|\.\.|, ?[,.]|: ?[.:]/)
      expect(text).not.toMatch(/\b(?:[Aa] [aeiouAEIO]|[Aa]n [^aeiouAEIOU])/)
      expect(text).toMatch(/^\S.+(?:\n\S.*(?:\.|: \S+))+$/)
    }
  })

  test('never says that anything is safe, and shows no address that could be followed', () => {
    for (const text of told) {
      expect(text).not.toMatch(/\bsafe/i)
      expect(text).not.toMatch(/evil\.test|192\.0|https?:|a@evil|my address/)
    }
  })

  test('is plain to people who know none of the trade’s words', () => {
    const jargon =
      /\b(?:indicators?|ioc|domains?|confidence|phish\w*|malware|spam|url|ip|sha|hash|listings?|listed|credentials?|threat|block ?list|source|hxxps?|log ?in|2fa)\b/i
    const plain = [
      ...listings.map((listing) => indicatorText('elder', listing)),
      ...listings.map((listing) => indicatorText('general', listing)),
      ...reportsLike(row)
        .filter(({ type }) => type !== 'false_positive')
        .map(reportText),
    ]
    for (const { title, paragraphs } of plain) {
      expect([title, ...paragraphs].join('\n')).not.toMatch(jargon)
    }
  })

  test('tells what it is, how that is known, and what to do', () => {
    const listing = indicatorOf('paypal-x.test', { targetBrand: 'PayPal', sources: ['a', 'b'] })
    expect(indicatorText('elder', listing)).toEqual({
      title: 'Warning: fake PayPal website (paypal-x[.]test)',
      paragraphs: [
        'This website pretends to be from PayPal, and is used to steal passwords or money. We know this because it is on 2 lists of known scams. It was first seen on 19 November 2026.',
        'Do not open this address, and type nothing there. If you already typed a password there, change it now, from another device. If you gave card or bank details, call your bank at the number on your card.',
        'This is the address, with brackets that we put in so that it is not opened by mistake: paypal-x[.]test',
      ],
    })
    const byName = { ...listing, targetBrandOrigin: 'rules', threatLevel: 'low' } as const
    expect(indicatorText('elder', byName).paragraphs[0]).toStartWith(
      'This website uses the name of PayPal, or one that looks like it, and is used to steal passwords or money. We suspect this because',
    )
    expect(indicatorText('professional', listing).paragraphs[1]).toBe(
      'First seen 19 November 2026, listed 20 November 2026. Sources: a, b.',
    )
  })

  test('tells of a report when it came, and of nothing that was not said', () => {
    const phone = { ...row, type: 'phone', value: values.phone, valueType: 'phone' } as const
    const { title, paragraphs } = reportText({ ...phone, count: 3, targetBrand: 'Medicare' })
    expect(title).toBe('Reported: calls that pretend to be from Medicare (202-555-0123)')
    expect(paragraphs[0]).toBe(
      'This was reported to us on 12 March 2026, and one of us has looked into it.',
    )
    expect(reportText({ ...phone, description: null }).paragraphs).toEqual([
      'This was reported to us on 12 March 2026, and one of us has looked into it.',
      expect.stringContaining('Do not call this number back.'),
      'This is the number: 202-555-0123',
    ])
  })
})
