/** Everything that can be searched: what is found, in which order, and that following is as good as reading anew. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SearchCategory } from '../../src/search/query.ts'
import { type SearchAnswer, SearchView } from '../../src/search/view.ts'
import type { Operation, ProposedArticle, Sighting } from '../../src/store/batch.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'

const feed = sourceNamed('feed')
const hidden = sourceNamed('hidden', false)
const press = { ...sourceNamed('press'), role: 'news' } as const

let db: TestStore
beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

function catchUp(view: SearchView): SearchView {
  while (view.advance() === 'more');
  return view
}

function ask(
  text: string,
  category: SearchCategory = 'all',
  page = 1,
  view: SearchView | null = null,
): SearchAnswer {
  if (view !== null) return catchUp(view).answer({ text, category, page, limit: 20 })
  using fresh = catchUp(new SearchView(db.store))
  return fresh.answer({ text, category, page, limit: 20 })
}

const listTitles = ({ results }: SearchAnswer): string[] => results.map(({ title }) => title)

async function list(source: typeof feed, sightings: readonly Sighting[]): Promise<void> {
  db.now += 60_000
  const run = await db.startRun(source)
  await db.sight(source.name, run, sightings)
  await db.endRun(run)
}

async function tell(articles: readonly Pick<ProposedArticle, 'title' | 'summary'>[]) {
  db.now += 60_000
  const run = await db.startRun(press)
  const proposed = articles.map(({ title, summary }, index): ProposedArticle => {
    const key = `${db.now}-${index}`
    const link = `https://press.example/${key}`
    return {
      key,
      title,
      titleKey: key,
      link,
      summary,
      publishedAt: db.now,
      audiences: { general: ['source'] },
    }
  })
  const operations = [{ op: 'publishNews', source: 'press', run, articles: proposed }] as const
  await db.store.write({ at: db.now, operations })
}

async function report(name: string, description: string, status: 'accepted' | 'rejected' | null) {
  db.now += 60_000
  const operations: Operation[] = [
    {
      op: 'report',
      report: {
        name,
        identity: name,
        type: 'message',
        value: null,
        valueType: null,
        description,
        targetBrand: null,
        contact: 'nobody is to see this',
      },
    },
  ]
  await db.store.write({ at: db.now, operations })
  const id = db.store.reports.byName(name)?.id ?? 0
  if (status === null) return
  const settle: Operation = {
    op: 'settleReport',
    id,
    status,
    reason: null,
    by: 'anna',
    audiences: {},
    listing: null,
  }
  await db.store.write({ at: db.now, operations: [settle] })
}

describe('a search', () => {
  test('finds any part of a name or page, and says how many of each kind there are', async () => {
    await list(feed, [
      { type: 'domain', value: 'login-paypal.test', targetBrand: 'PayPal' },
      { type: 'url', value: 'https://other.test/PayPal/index.html', host: 'other.test' },
      { type: 'ip', value: '192.0.2.7' },
      { type: 'phone', value: '+12025550123' },
    ])
    await tell([{ title: 'PayPal scams', summary: 'They are going round.' }])
    await report('r', 'I paid by paypal', 'accepted')
    const answer = ask('ypal')
    expect(answer.counts).toEqual({ urls: 2, news: 0, scams: 0 })
    expect(ask('paypal').counts).toEqual({ urls: 2, news: 1, scams: 1 })
    expect(ask('192.0').counts.urls).toBe(1)
    expect(ask('+1202').counts.urls).toBe(0)
    expect(ask('login-pay').results[0]).toMatchObject({
      defanged: 'login-paypal[.]test',
      url: 'login-paypal.test',
      target_brand: 'PayPal',
      threat_level: 'high',
    })
  })

  test('puts what is or begins with the query first, then reports, news, and other addresses', async () => {
    await list(feed, [
      { type: 'domain', value: 'acme.test' },
      { type: 'domain', value: 'acme-bank.test' },
      { type: 'domain', value: 'pay.acme.test' },
      { type: 'domain', value: 'myacme.test' },
    ])
    await tell([{ title: 'Acme', summary: 'An article.' }])
    await report('r', 'It said acme', 'accepted')
    expect(listTitles(ask('acme')).map((title) => title.split(' ')[0])).toEqual([
      'acme-bank[.]test',
      'acme[.]test',
      'Reported:',
      'Acme',
      'pay[.]acme[.]test',
      'myacme[.]test',
    ])
    expect(listTitles(ask('acme.test'))[0]).toBe('acme[.]test')
    expect(ask('acme.test', 'urls').counts).toEqual(ask('acme.test').counts)
  })

  test('matches words of news and reports by their stem, all of them', async () => {
    await tell([
      { title: 'Parcel fees are scams', summary: 'Texts ask for payments.' },
      { title: 'Something else', summary: 'A parcel came.' },
    ])
    expect(ask('parcels fee scam', 'news').total).toBe(1)
    expect(ask('payment', 'news').total).toBe(1)
    expect(listTitles(ask('parcel', 'news'))[0]).toBe('Parcel fees are scams')
    expect(ask('par', 'news').total).toBe(0)
  })

  test('of one or two letters matches where a label begins, and whole words', async () => {
    await list(feed, [
      { type: 'domain', value: 'ab.test' },
      { type: 'domain', value: 'x-abc.test' },
      { type: 'domain', value: 'cab.test' },
    ])
    await tell([{ title: 'An ab article', summary: '' }])
    expect(ask('ab').counts).toEqual({ urls: 2, news: 1, scams: 0 })
  })

  test('shows nothing private, delisted, allowed, flagged, rejected, unread or withheld', async () => {
    await list(hidden, [{ type: 'domain', value: 'secret.test' }])
    await list(feed, [
      { type: 'domain', value: 'gone.test' },
      { type: 'domain', value: 'platform.test', doNotBlock: true },
    ])
    await list(feed, [{ type: 'domain', value: 'platform.test', doNotBlock: true }])
    await report('r', 'canary in a rejected one', 'rejected')
    await report('s', 'canary in an unread one', null)
    await tell([{ title: 'withheld canary', summary: '' }])
    await db.withdraw(press, true)
    for (const text of ['test', 'secret', 'gone', 'platform', 'canary', 'nobody']) {
      expect([text, ask(text).total]).toEqual([text, 0])
    }
  })

  test('makes no link of an article that leads to what is listed', async () => {
    await list(feed, [{ type: 'domain', value: 'press.example' }])
    await tell([{ title: 'Parcel at press.example', summary: 'See https://press.example/x' }])
    const [found] = ask('parcel', 'news').results
    expect(found?.defanged).toStartWith('hxxps://press[.]example/')
    expect(`${found?.title} ${found?.summary}`).not.toContain('press.example')
  })

  test('pages through all kinds without a gap, and ends', async () => {
    const names = Array.from({ length: 45 }, (_, n) => `acme${n}.test`)
    await list(
      feed,
      names.map((value) => ({ type: 'domain', value }) as const),
    )
    await tell([{ title: 'Acme one', summary: '' }])
    const pages = [1, 2, 3, 4].map((page) => listTitles(ask('acme', 'all', page)))
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 6, 0])
    expect(new Set(pages.flat()).size).toBe(46)
    expect(ask('acme', 'all', 1_000_000_000).results).toEqual([])
    expect(ask('acme', 'all', Number.MAX_SAFE_INTEGER).results).toEqual([])
  })
})

describe('the newest', () => {
  test('comes first among equals, also when it was listed anew', async () => {
    await list(feed, [{ type: 'domain', value: 'acme-a.test' }])
    await list({ ...feed, name: 'two' }, [{ type: 'domain', value: 'acme-b.test' }])
    expect(listTitles(ask('acme'))).toEqual(['acme-b[.]test', 'acme-a[.]test'])
    await list(feed, [])
    await list(feed, [{ type: 'domain', value: 'acme-a.test' }])
    expect(listTitles(ask('acme'))).toEqual(['acme-a[.]test', 'acme-b[.]test'])
  })
})

describe('a view that follows', () => {
  const names = ['acme.test', 'acme-pay.test', 'pay.test', 'www.pay.test']
  const step = fc.oneof(
    fc.record({ kind: fc.constant('list'), names: fc.subarray(names) }),
    fc.record({ kind: fc.constant('hide'), names: fc.subarray(names) }),
    fc.record({ kind: fc.constant('tell'), names: fc.subarray(names, { minLength: 1 }) }),
    fc.record({ kind: fc.constant('withdraw'), names: fc.subarray(names) }),
    fc.record({ kind: fc.constant('report'), names: fc.subarray(names) }),
  )

  test('answers as one that reads everything anew', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const own = new TestStore()
        const before = db
        db = own
        using view = new SearchView(own.store)
        let isWithdrawn = false
        try {
          for (const [index, { kind, names: said }] of steps.entries()) {
            const sightings = said.map((value) => ({ type: 'domain', value }) as const)
            if (kind === 'list') await list(feed, sightings)
            else if (kind === 'hide') await list(hidden, sightings)
            else if (kind === 'tell') {
              if (!isWithdrawn) await tell(said.map((title) => ({ title, summary: 'pay acme' })))
            } else if (kind === 'withdraw') {
              isWithdrawn = said.length % 2 === 0
              await db.startRun(press).catch(() => 0)
              await db.withdraw(press, isWithdrawn)
            } else {
              await report(
                `r${index}`,
                said.join(' '),
                said.length % 2 === 0 ? 'accepted' : 'rejected',
              )
            }
            for (const text of ['acme', 'pay', 'pa', 'acme pay', 'www.pay.test', 'test']) {
              expect(ask(text, 'all', 1, view)).toEqual(ask(text))
            }
            const { seq, textSeq } = own.store.meta()
            expect([view.seq, view.textSeq]).toEqual([seq, textSeq])
          }
        } finally {
          db = before
          own.remove()
        }
      }),
      { numRuns: 25 },
    )
  })
})
