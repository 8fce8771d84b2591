/** The typed client over a real server: each path is called, and each answer has its type. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  type BlacklistPage,
  type BulkVerdicts,
  type Changes,
  createWeirClient,
  type Ioc,
  NoAnswerError,
  type Problem,
  type Readiness,
  type StixBundle,
  type TaxiiEnvelope,
  type TaxiiError,
  type UrlVerdict,
  type WeirClient,
} from 'weir/client'
import type { IocRecord } from '../src/publish/ioc.ts'
import type { WrittenBlacklistEntry as PublishedEntry } from '../src/publish/lists/blacklist-formats.ts'
import { ExampleWorld, patienceMs } from './http/contract/world.ts'

setDefaultTimeout(patienceMs)

let world: ExampleWorld
let weir: WeirClient

beforeAll(async () => {
  world = await ExampleWorld.open()
  weir = createWeirClient(world.base())
})
afterAll(() => world.close())

type IsAny<Value> = 0 extends 1 & Value ? true : false
type Same<A, B> =
  IsAny<A> extends true
    ? false
    : (<Value>() => Value extends A ? 1 : 2) extends <Value>() => Value extends B ? 1 : 2
      ? true
      : false

type Call = (...parameters: never[]) => Promise<{ data: unknown; error: unknown }>
type Data<Given extends Call> = NonNullable<Awaited<ReturnType<Given>>['data']>
type Refusal<Given extends Call> = NonNullable<Awaited<ReturnType<Given>>['error']>

type Api = WeirClient['api']
type Lists = WeirClient['lists']

// These hold, or the types are not checked: an `any` is the same as nothing.
true satisfies Same<Data<Api['check-url']['get']>, UrlVerdict>
true satisfies Same<Data<Api['v1']['check']['bulk']['post']>, BulkVerdicts>
true satisfies Same<Data<Api['v1']['blacklist']['get']>, BlacklistPage | string>
true satisfies Same<Data<Api['v1']['blacklist']['changes']['get']>, Changes>
true satisfies Same<Data<Api['v1']['export']['stix']['get']>, StixBundle>
type Collection = ReturnType<Api['taxii']['2.1']['collections']>
true satisfies Same<Data<Collection['objects']['get']>, StixBundle | TaxiiEnvelope>
true satisfies Same<
  Extract<Refusal<Collection['objects']['get']>, { status: 400 | 404 }>['value'],
  TaxiiError
>
true satisfies Same<Data<Lists[keyof Lists & `${string}.${string}`]['get']>, string>
true satisfies Same<Data<WeirClient['health']['get']>, { status: 'ok' }>
true satisfies Same<Data<WeirClient['ready']['get']>, Readiness>
true satisfies Same<Data<WeirClient['metrics']['get']>, string>
true satisfies Same<Data<WeirClient['docs']['get']>, string>
true satisfies Same<IsAny<Data<WeirClient['openapi.json']['get']>>, false>
true satisfies Same<
  Extract<Refusal<Api['check-url']['get']>, { status: 400 | 429 }>['value'],
  Problem
>
true satisfies Same<
  Extract<Refusal<WeirClient['ready']['get']>, { status: 503 }>['value'],
  Readiness
>
true satisfies Same<Refusal<Api['check-url']['get']>['status'], 400 | 405 | 429 | 500 | 503>
// What weir writes is what the client reads.
true satisfies Same<{ [Name in keyof Ioc]: 1 }, { -readonly [Name in keyof IocRecord]: 1 }>
type Entry = BlacklistPage['domains'][number]
true satisfies Same<keyof Entry, keyof PublishedEntry>

/** Fails unless there is an answer. */
function good<Value>({ data, error }: { data: Value | null; error: unknown }): Value {
  if (data === null) throw new Error(`refused: ${JSON.stringify(error)}`)
  return data
}

const errorOf = (calling: Promise<unknown>): Promise<unknown> =>
  calling.then(
    () => null,
    (error: unknown) => error,
  )

describe('createWeirClient', () => {
  test('checks a URL', async () => {
    const query = { url: 'hxxps://login.paypa1-account[.]example/?a=1&b=2' }
    const verdict = good(await weir.api['check-url'].get({ query }))
    expect(verdict.status).toBe('found')
    expect(verdict.query).toBe(query.url)
    expect(verdict.match?.target_brand).toBe('PayPal')
    // A text, as the type says, and not a `Date`.
    expect(verdict.updated).toBe('2026-03-12T09:02:00.000Z')
  })

  test('checks many items', async () => {
    const request = { urls: ['https://paypa1-account.example'], hashes: ['x'] }
    const { counts, urls, hashes } = good(await weir.api.v1.check.bulk.post(request))
    expect(counts).toMatchObject({ found: 1, invalid: 1 })
    expect(urls.map(({ status }) => status)).toEqual(['found'])
    for (const item of hashes) {
      // The status tells which of the two shapes an item has.
      expect(item.status === 'invalid' ? item.error : item.match).toStartWith('Send a SHA-256')
    }
  })

  test('reads the block list, page after page', async () => {
    const names: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query: { limit: number; cursor?: string } = { limit: 2, ...(cursor && { cursor }) }
      const page = good(await weir.api.v1.blacklist.get({ query }))
      if (typeof page === 'string') throw new Error('JSON is the default')
      names.push(...page.domains.map(({ domain }) => domain))
      cursor = page.next_cursor
    }
    expect(names).toHaveLength(5)
  })

  test('reads the block list as text, headers included', async () => {
    const answer = await weir.api.v1.blacklist.get({ query: { format: 'txt' } })
    expect(good(answer)).toBe(
      'mailbox-upgrade.example\nperhaps-phishing.example\npaypa1-account.example\nxn--bcher-gewinn-dlb.example\n',
    )
    expect(answer.response.headers.get('x-total-count')).toBe('5')
  })

  test('tells an unchanged answer from a new one', async () => {
    const { response } = await weir.api.v1.blacklist.get()
    const headers = { 'if-none-match': response.headers.get('etag') ?? '' }
    const { data, error } = await weir.api.v1.blacklist.get({ headers })
    expect(data).toBeNull()
    expect(error?.status).toBe(304)
  })

  test('follows the delta feed', async () => {
    const changes = good(await weir.api.v1.blacklist.changes.get({ query: { cursor: 'begin' } }))
    expect(changes.added.map(({ domain }) => domain)).toContain('mailbox-upgrade.example')
    expect(changes.more).toBe(false)
    const { cursor } = changes
    const next = good(await weir.api.v1.blacklist.changes.get({ query: { cursor, limit: 10 } }))
    expect(next).toMatchObject({ added: [], removed: [], set_hash: changes.set_hash })
  })

  test('downloads every list as text', async () => {
    const { lists } = weir
    const texts = [
      await lists['domains.txt'].get(),
      await lists['domains.hosts'].get(),
      await lists['domains.adblock'].get(),
      await lists['domains.dnsmasq'].get(),
      await lists['domains.unbound'].get(),
      await lists['domains.rpz'].get(),
    ]
    for (const text of texts.map(good)) expect(text).toContain('paypa1-account.example')
    expect(good(await lists['urls.txt'].get())).toEndWith(
      'https://winter-sale.hosting.example/login\n',
    )
  })

  test('exports STIX', async () => {
    const query = { campaign: 'PayPal', limit: 1 }
    const { objects = [] } = good(await weir.api.v1.export.stix.get({ query }))
    const patterns = objects.map((object) => (object.type === 'indicator' ? object.pattern : ''))
    expect(patterns).toContain("[domain-name:value = 'paypa1-account.example']")
  })

  test('pulls a TAXII collection, page after page', async () => {
    const root = weir.api.taxii['2.1']
    expect(good(await root.get()).default).toEndWith('/api/taxii/2.1/')
    const headers = { accept: 'application/taxii+json;version=2.1' }
    const names: string[] = []
    for (const { id: collection } of good(await root.collections.get()).collections) {
      for (let next: string | undefined, more = true; more; ) {
        const query = { limit: 2, 'match[type]': 'indicator', ...(next && { next }) }
        const page = good(await root.collections({ collection }).objects.get({ headers, query }))
        if (!('more' in page)) throw new Error('an envelope was asked for')
        for (const object of page.objects ?? []) if ('name' in object) names.push(object.name)
        more = page.more
        next = page.next
      }
    }
    // What belongs to a brand or a family is in two collections.
    expect(new Set(names).size).toBe(7)
    expect(names).toHaveLength(10)
  })

  test('asks how the service is, and what it says of itself', async () => {
    expect(good(await weir.health.get())).toEqual({ status: 'ok' })
    expect(good(await weir.ready.get()).indicators).toBe(8)
    expect(good(await weir.metrics.get())).toStartWith('# HELP weir_')
    expect(good(await weir['openapi.json'].get()).openapi).toBe('3.1.1')
    expect(good(await weir.docs.get())).toStartWith('<!doctype html>')
  })

  test('gives a refusal as a value', async () => {
    const { data, error } = await weir.api['check-url'].get({ query: { url: 'javascript:1' } })
    expect(data).toBeNull()
    if (error?.status !== 400) throw new Error('not refused')
    expect(error.value.errors.map(({ field }) => field)).toEqual(['url'])
  })

  test('gives a refusal of TAXII as a value', async () => {
    const { collections } = weir.api.taxii['2.1']
    const { error } = await collections({ collection: 'everything' }).objects.get()
    if (error?.status !== 404) throw new Error('not refused')
    expect(error.value).toMatchObject({ title: 'Not found', http_status: '404' })
  })

  test('gives the state of a service that is not ready as a value', async () => {
    const { error } = await createWeirClient(world.base('loading')).ready.get()
    if (error?.status !== 503) throw new Error('not refused')
    expect(error.value.status).toBe('loading')
  })

  test('takes an address with a slash at its end', async () => {
    expect(good(await createWeirClient(`${world.base()}/`).health.get())).toEqual({ status: 'ok' })
  })

  test.each(['', 'weir.example.org', 'ftp://weir.example.org', '127.0.0.1:8080'])(
    'refuses %p, which is no address',
    (address) => {
      expect(() => createWeirClient(address)).toThrow('give one such as https://weir.example.org')
    },
  )

  test('throws when nobody answers', async () => {
    const gone = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    const address = gone.url.origin
    await gone.stop(true)
    const error = await errorOf(createWeirClient(address).health.get())
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(String(error)).toContain(`${address} does not answer`)
  })

  test('throws when the answer takes too long, and sends its headers with every call', async () => {
    const agents: (string | null)[] = []
    const silent = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ headers }) => {
        agents.push(headers.get('user-agent'))
        return new Promise<Response>(() => {})
      },
    })
    const headers = { 'user-agent': 'a-pipeline/1' }
    const client = createWeirClient(silent.url.origin, { timeoutMs: 50, headers })
    expect(String(await errorOf(client.health.get()))).toContain('TimeoutError')
    const signal = AbortSignal.timeout(10)
    const own = client.health.get({ fetch: { signal } })
    expect(await errorOf(own)).toBeInstanceOf(NoAnswerError)
    expect(agents).toEqual(['a-pipeline/1', 'a-pipeline/1'])
    await silent.stop(true)
  })

  test('refuses at compile time what the API does not take', () => {
    const misused = (): unknown => [
      // @ts-expect-error a URL must be given
      weir.api['check-url'].get(),
      // @ts-expect-error there is no such format
      weir.api.v1.blacklist.get({ query: { format: 'xml' } }),
      // @ts-expect-error there is no such path
      weir.api.v2.blacklist.get(),
      // @ts-expect-error there is no such list
      weir.lists['domains.exe'].get(),
      // @ts-expect-error a collection must be named
      weir.api.taxii['2.1'].collections({}),
      // @ts-expect-error a collection has objects, and no members
      weir.api.taxii['2.1'].collections({ collection: 'campaigns' }).members.get(),
      // @ts-expect-error items are texts
      weir.api.v1.check.bulk.post({ urls: [5] }),
    ]
    expect(misused).toBeFunction()
  })

  test('loads no part of the server', async () => {
    const { outputs } = await Bun.build({
      entrypoints: [`${import.meta.dir}/../src/client.ts`],
      minify: true,
    })
    const [output] = outputs
    expect((await output?.text()) ?? '').not.toMatch(/typebox|elysia\b.*router|bun:sqlite/i)
    expect(output?.size).toBeLessThan(20_000)
  })
})
