/** News feeds in every dialect, as publishers and as attackers write them. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { newsItemsMax, readNews, readNewsItems } from '../../src/ingest/formats/news.ts'
import { parseNewsLink } from '../../src/ingest/formats/news-link.ts'
import { isNewsText } from '../../src/ingest/formats/news-markup.ts'
import { shorten } from '../../src/ingest/formats/news-text.ts'
import { type NewsArticle, summaryLengthMax } from '../../src/model/news.ts'
import { dataFolder, describeWith, realData } from '../needs.ts'
import { fuzzRuns } from './reading.ts'

const address = 'https://news.example.com/feed.xml'

const rss = (items: string, before = ''): string =>
  `<?xml version="1.0"?>${before}<rss version="2.0"><channel><title>News</title>
  <link>https://news.example.com/</link>${items}</channel></rss>`

/** Reads a feed that is one. */
function articlesOf(text: string, from: string | null = address): (NewsArticle | null)[] {
  const read = readNews(text, from)
  return read.ok ? [...read.value] : [null, null, null]
}

/** Reads the one article of an RSS feed with these elements next to its title and link. */
function articleWith(elements: string): NewsArticle | null {
  return articlesOf(rss(`<item><title>T</title><link>/a</link>${elements}</item>`))[0] ?? null
}

const titleOf = (inner: string): string | undefined =>
  articlesOf(rss(`<item><title>${inner}</title><link>/a</link></item>`))[0]?.title

describeWith(realData())('readNews, of real feeds', () => {
  const read = (name: string) => Bun.file(join(dataFolder, 'feeds', name)).text()

  test('reads undeclared prefixes, and a zone of four digits', async () => {
    const [article] = articlesOf(await read('rss_bleepingcomputer.xml'))
    const path = '/news/security/sim-swappers-now-stealing-phone-numbers-from-esims/'
    expect(article?.link).toBe(`https://www.bleepingcomputer.com${path}`)
    expect(article?.key).toBe(`https://www.bleepingcomputer.com${path}`)
    expect(article?.publishedAt).toBe(Date.UTC(2024, 2, 14, 18, 8, 43))
    expect(article?.summary).toEndWith('smartphone models.')
  })

  test('reads a guid that is no link, and decodes a title', async () => {
    const [article] = articlesOf(await read('rss_krebsonsecurity.xml'))
    expect(article?.title).toBe('How Phished Data Turns into Apple & Google Wallets')
    expect(article?.key).toBe('https://krebsonsecurity.com/?p=70276')
    expect(article?.publishedAt).toBe(Date.UTC(2025, 1, 18, 18, 37, 26))
  })
})

describe('readNews', () => {
  const expected = {
    key: 'https://news.example.com/1',
    title: 'One & two',
    link: 'https://news.example.com/1',
    summary: 'What it says',
    publishedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  }
  const dialects: Readonly<Record<string, string>> = {
    'RSS 2.0': rss(`<item><title>One &amp; two</title><link>/1</link>
      <guid>https://news.example.com/1</guid><description>What it says</description>
      <pubDate>Fri, 02 Jan 2026 03:04:05 GMT</pubDate></item>`),
    'RSS 0.91 with its document type': `<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN"
      "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel>
      <title>News</title><link>https://news.example.com/</link><item><title>One &amp; two</title>
      <link>https://news.example.com/1</link><description>What it says</description>
      <pubDate>2 Jan 2026 03:04:05 UT</pubDate></item></channel></rss>`,
    'RDF (RSS 1.0)': `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="https://news.example.com/"><title>News</title>
      <items><rdf:Seq><rdf:li rdf:resource="https://news.example.com/1"/></rdf:Seq></items></channel>
      <item rdf:about="https://news.example.com/1"><title>One &amp; two</title><link>/1</link>
      <description>What it says</description><dc:date>2026-01-02T03:04:05Z</dc:date></item></rdf:RDF>`,
    Atom: `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
      <link rel="self" href="https://news.example.com/feed"/><entry>
      <id>https://news.example.com/1</id><title type="html">One &amp;amp; two</title>
      <link rel="enclosure" href="/sound.mp3"/><link href="/1"/><updated>2026-02-02T00:00:00Z</updated>
      <published>2026-01-02T04:04:05+01:00</published><summary type="xhtml">
      <div xmlns="http://www.w3.org/1999/xhtml">What <b>it</b> says</div></summary></entry></feed>`,
    'Atom under a prefix of its own': `<a:feed xmlns:a="http://www.w3.org/2005/Atom">
      <a:title>News</a:title><a:entry><a:id>https://news.example.com/1</a:id>
      <a:title>One &amp; two</a:title><a:content>What it says</a:content>
      <a:published>2026-01-02T03:04:05Z</a:published></a:entry></a:feed>`,
    'JSON Feed': JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'News',
      items: [
        {
          id: 'https://news.example.com/1',
          title: 'One &amp; two',
          content_html: '<p>What it says</p>',
          date_published: '2026-01-02T03:04:05Z',
        },
      ],
    }),
    'a feed that is cut off': rss(`<item><title>One &amp; two</title><link>/1</link>
      <pubDate>2026-01-02 03:04:05</pubDate><description>What it says`).replace(
      '</channel></rss>',
      '',
    ),
    'a feed after a warning, in capitals': `Warning: <br><b>disk</b> full\n<RSS VERSION="2.0"><CHANNEL>
      <ITEM><TITLE>One &amp; two</title><LINK>https://news.example.com/1</LINK>
      <PUBDATE>2026-01-02 03:04:05</PUBDATE><DESCRIPTION>What it says</DESCRIPTION></ITEM></CHANNEL></RSS>`,
  }
  for (const [name, text] of Object.entries(dialects)) {
    test(`reads ${name}`, () => {
      expect(isNewsText(text)).toBe(true)
      expect(articlesOf(text)).toEqual([expected])
      expect(articlesOf(`\uFEFF${text}`)).toEqual([expected])
    })
  }

  test('gives nothing for an item without a title or a link that can be followed', () => {
    const items = ['<title>A</title>', '<link>/a</link>', '<title> <b/> </title><link>/a</link>']
    const links = [
      'javascript:alert(1)',
      'ftp://news.example.com/a',
      'https://you@news.example.com/',
    ]
    const feed = [...items, ...links.map((link) => `<title>A</title><link>${link}</link>`)]
    expect(articlesOf(rss(feed.map((item) => `<item>${item}</item>`).join('')))).toEqual(
      feed.map(() => null),
    )
  })

  test('takes the link from the title where a website has put it', () => {
    const [article] = articlesOf(
      rss(`<item><title><a href="/alerts/1?a=1&amp;utm_source=x" hreflang="en">Alert</a></title>
        <link>https://news.example.com/%253Ca%2520href%253D%2522/alerts/1</link></item>`),
    )
    expect(article).toMatchObject({ title: 'Alert', link: 'https://news.example.com/alerts/1?a=1' })
  })

  test('a guid is a link only when it says so, and is whole', () => {
    const guid = (attributes: string, value: string) =>
      articlesOf(rss(`<item><title>A</title><guid${attributes}>${value}</guid></item>`))[0]?.link
    expect(guid('', 'https://news.example.com/a')).toBe('https://news.example.com/a')
    expect(guid(' isPermaLink="false"', 'https://news.example.com/a')).toBeUndefined()
    expect(guid('', '70276')).toBeUndefined()
  })

  test('a link is relative to the address of the feed when the feed has none', () => {
    const feed =
      '<rss version="2.0"><channel><item><title>A</title><link>b</link></item></channel></rss>'
    expect(articlesOf(feed, 'https://x.example/news/feed')[0]?.link).toBe(
      'https://x.example/news/b',
    )
    expect(articlesOf(feed, null)).toEqual([null])
  })

  test('a key that names nothing is the link', () => {
    const link = 'https://news.example.com/a'
    expect(articleWith('')?.key).toBe(link)
    expect(articleWith(`<guid>${'x'.repeat(501)}</guid>`)?.key).toBe(link)
    expect(articleWith('<guid>tag:\u0000 70276</guid>')?.key).toBe('tag: 70276')
  })

  test('takes the summary from the description, else from the content', () => {
    const content = '<content:encoded><![CDATA[<p>Long</p>]]></content:encoded>'
    expect(articleWith(`<description>Short</description>${content}`)?.summary).toBe('Short')
    expect(articleWith(`<description> <br/> </description>${content}`)?.summary).toBe('Long')
    expect(articleWith('')?.summary).toBe('')
  })

  test('leaves out what programs append to a summary', () => {
    const summaryOf = (text: string) => articleWith(`<description>${text}</description>`)?.summary
    expect(summaryOf('It is so. [...]')).toBe('It is so.')
    expect(summaryOf('It is [&#8230;]')).toBe('It is…')
    expect(summaryOf('It is so. The post T appeared first on Site.')).toBe('It is so.')
  })

  test('cuts between words, and counts the ellipsis', () => {
    const summary = articleWith(`<description>${'word '.repeat(200)}</description>`)?.summary ?? ''
    expect(summary.length).toBeLessThanOrEqual(summaryLengthMax)
    expect(summary).toEndWith('word…')
    expect(shorten('a'.repeat(20), 10)).toBe(`${'a'.repeat(9)}…`)
    expect(shorten('one, two', 5)).toBe('one…')
    expect(shorten('\u{1F600}'.repeat(9), 10).isWellFormed()).toBe(true)
  })

  test('shows no markup, however it is written', () => {
    expect(titleOf('<![CDATA[Five < six & <b>seven</b>]]>')).toBe('Five < six & seven')
    expect(titleOf('R&amp;D &amp;amp; D&lt;br/&gt;more')).toBe('R&D & D more')
    expect(titleOf('a &amp;lt;script&amp;gt;x')).toBe('a x')
    expect(titleOf('a &lt;script&gt;alert(1)&lt;/script&gt; b')).toBe('a b')
    expect(titleOf('a &lt;&lt;b&gt;script>')).toBe('a')
    expect(titleOf('<p>raw <i>mark</i>up<br>here</p>')).toBe('raw markup here')
    expect(titleOf('a\u202Eb\u200B\u0007c\u2028d&#x202e;e')).toBe('abc de')
    expect(titleOf('&nosuch; &hellip; &#8364; &#0;x')).toBe('&nosuch; … € \uFFFDx')
  })

  test('declares no entity and fetches none', () => {
    const laughs = Array.from({ length: 9 }, (_, n) => {
      return `<!ENTITY lol${n + 1} "${`&lol${n === 0 ? '' : n};`.repeat(10)}">`
    })
    const types = [
      `<!DOCTYPE rss [<!ENTITY lol "lol">${laughs.join('')}]>`,
      '<!DOCTYPE rss [<!ENTITY lol9 SYSTEM "file:///etc/passwd">]>',
      '<!DOCTYPE rss [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]>',
    ]
    for (const type of types) {
      const item = '<item><title>&lol9;</title><link>/a</link></item>'
      expect(articlesOf(rss(item, type))[0]?.title).toBe('&lol9;')
    }
  })

  test('reads the first items of a feed that has too many', () => {
    const items = '<item><title>A</title><link>/a</link></item>'.repeat(newsItemsMax + 1)
    expect(articlesOf(rss(items))).toHaveLength(newsItemsMax)
  })

  test('passes an improbable time on, and none where it cannot be read', () => {
    expect(articleWith('<pubDate>1 Jan 1970 00:00 GMT</pubDate>')?.publishedAt).toBe(0)
    expect(articleWith('<pubDate>3026-01-01</pubDate>')?.publishedAt).toBe(Date.UTC(3026, 0, 1))
    expect(articleWith('<pubDate>soon</pubDate>')?.publishedAt).toBeNull()
  })

  test('what is no feed is malformed', () => {
    const page = '<!doctype html><html><body><p>About &lt;rss</p><rss version="2.0"></body></html>'
    for (const text of ['', 'x', page, '{}', '[]', '<feedback/>', '<rss>', `<html>${rss('')}`]) {
      expect(readNews(text, address)).toEqual({ ok: false, reason: 'malformed' })
    }
    expect(isNewsText(page)).toBe(false)
    expect(isNewsText('<!-- <html> -->\n<rss ver')).toBe(true)
    expect(readNewsItems('', address)).toEqual({ ok: false, reason: 'malformed' })
  })

  test('as a format, an item that is no article is refused', () => {
    const read = readNewsItems(rss('<item><title>A</title></item>'), address)
    expect(read).toEqual({ ok: true, value: [{ kind: 'refused', reason: 'no_article' }] })
  })

  test('takes time that grows with the length alone', () => {
    const beginnings = ['', '<rss version="2.0"><channel><item><link>/a</link><title>']
    const pieces = [
      '<',
      '&',
      '<![CDATA[',
      '<item>',
      '<title>',
      "<'>'",
      '<a "',
      '<!--',
      '&lt;',
      '&lt;a ',
      '&lt;script&gt;',
    ]
    const others = [
      '<author>((',
      '<link href="a"/>',
      '<a:',
      '<!',
      ' ',
      '\u0301',
      '<![CDATA[<]]>',
      '[...] ',
    ]
    for (const beginning of beginnings) {
      for (const piece of [...pieces, ...others]) {
        const text = beginning + piece.repeat(2 ** 20 / piece.length)
        // In quadratic time this would run into the timeout of the test.
        readNews(text, address)
        isNewsText(text)
      }
    }
    const deep = `{"version":"https://jsonfeed.org/version/1","items":${'['.repeat(2 ** 20)}`
    expect(readNews(deep, address).ok).toBe(false)
  })

  test('of whatever comes, makes articles that can be shown', () => {
    const feed = rss(
      `<item><title>A &lt;b&gt;b&lt;/b&gt; <![CDATA[<i>c</i>]]></title><link>/a?utm_id=1&amp;b=2#c</link>
        <guid>7</guid><pubDate>Fri, 2 Jan 2026 03:04:05 EST</pubDate>
        <description><![CDATA[<p>${'Many words. '.repeat(40)}</p><script>x()</script>]]></description>
        </item>`.repeat(3),
    )
    const damage = fc.array(
      fc.tuple(
        fc.nat(feed.length),
        fc.nat(40),
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 20 }),
          fc.constantFrom(
            '<',
            '>',
            '&lt;',
            '<![CDATA[',
            ']]>',
            '"',
            '\0',
            '<title>',
            '</item>',
            '\u202E',
          ),
        ),
      ),
      { maxLength: 8 },
    )
    const damaged = damage.map((steps) =>
      steps.reduce((text, [at, remove, insert]) => {
        return text.slice(0, at) + insert + text.slice(at + remove)
      }, feed),
    )
    const texts = fc.oneof(
      damaged,
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => new TextDecoder().decode(bytes)),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const read = readNews(text, address)
        isNewsText(text)
        for (const article of read.ok ? read.value : []) {
          if (article === null) continue
          const { key, title, link, summary, publishedAt } = article
          for (const shown of [key, title, summary]) {
            expect(shown).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]|<[a-z!?/]/iu)
            expect(shown.isWellFormed()).toBe(true)
            expect(shown).toBe(shown.trim())
          }
          expect(title.length > 0 && title.length <= 300).toBe(true)
          expect(key.length > 0 && key.length <= 2_048).toBe(true)
          expect(summary.length).toBeLessThanOrEqual(summaryLengthMax)
          expect(parseNewsLink(link, null)).toBe(link)
          expect(publishedAt === null || Number.isSafeInteger(publishedAt)).toBe(true)
        }
      }),
      fuzzRuns,
    )
  })
})
