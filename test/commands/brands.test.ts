/** Which brands are imitated, as a user learns it: after a first start, an import, and a new version. */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { batchRowsMax } from '../../src/store/batch.ts'
import { migrations } from '../../src/store/migrations.ts'
import { hashListedDomains } from '../../src/store/schema.ts'
import { checkPath, DataDir, eventually, importList, lines, Server } from './process.ts'

/** The schema of the version before brands were named. */
const schemaBefore = 3

const pageRows = 1_000

/** Makes a database as the version before left it, with these names listed by one source. */
function listedBefore(dataDir: DataDir, names: readonly string[]): void {
  const database = new Database(dataDir.at('weir.db'), { create: true, strict: true })
  database.run('PRAGMA journal_mode = WAL')
  for (const migration of migrations.slice(0, schemaBefore)) database.run(migration)
  const count = names.length
  const lastSeq = batchRowsMax + count
  const lastBatch = Math.floor(lastSeq / batchRowsMax)
  database.run(`INSERT INTO meta (id, epoch, born_at, batch, seq, oldest_seq, next_id, date_added, changed_at,
      listed_changed_at, list_seq)
    VALUES (1, 'old-epoch', 1, ${lastBatch}, ${lastSeq}, 0, ${count + 1}, ${1000 + 4 * count}, 1, 1, ${lastSeq})`)
  database.run(`INSERT INTO source (id, name, title, redistribute, role, confidence, threat_type)
    VALUES (1, 'feed', 'Feed', 1, 'list', 80, 'phishing')`)
  database.run(
    `INSERT INTO run (id, source_id, started_at, ended_at, seen) VALUES (1, 1, 1, 1, ${count})`,
  )
  const indicator =
    database.prepare(`INSERT INTO indicator (id, type, value, active, published, do_not_block,
      threat_type, threat_level, confidence, sources, first_seen, last_seen, listed_at, seq,
      listed_seq, date_added)
    VALUES (?1, 'domain', ?2, 1, 1, 0, 'phishing', 'high', 80, 'feed', 1, 1, 1, ${batchRowsMax} + ?1,
      ${batchRowsMax} + ?1, 996 + 4 * ?1)`)
  const sighting =
    database.prepare(`INSERT INTO sighting (indicator_id, source_id, run_id, live, first_seen,
      last_seen, redistribute, confidence, threat_type)
    VALUES (?1, 1, 1, 1, 1, 1, 1, 80, 'phishing')`)
  database.transaction(() => {
    for (const [index, name] of names.entries()) {
      indicator.run(index + 1, name)
      sighting.run(index + 1)
    }
  })()
  database.run(`INSERT INTO counter VALUES ('active', 'domain', ${count}),
    ('published', 'domain', ${count}), ('listed_day', '1970-01-01', ${count}), ('source', 'feed', ${count})`)
  database.run(`UPDATE meta SET set_hash = '${hashListedDomains(database)}'`)
  database.run(`PRAGMA application_id = ${0x77656972}`)
  database.run(`PRAGMA user_version = ${schemaBefore}`)
  indicator.finalize()
  sighting.finalize()
  database.close()
}

interface Progress {
  readonly brand_rules: string
  readonly brands_after: number | null
  readonly seq: number
}

/** How far the naming has come; null as long as the database is not of this version. */
function progressOf(dataDir: DataDir): Progress | null {
  const [{ n } = { n: 0 }] = dataDir.rows<{ n: number }>(
    "SELECT COUNT(*) AS n FROM pragma_table_info('meta') WHERE name = 'brand_rules'",
  )
  if (n === 0) return null
  const [meta] = dataDir.rows<Progress>('SELECT brand_rules, brands_after, seq FROM meta')
  return meta ?? null
}

/** Resolves when everything listed is named by rules other than these. */
function named(dataDir: DataDir, by = ''): Promise<Progress> {
  return eventually('brands are named', () => {
    const progress = progressOf(dataDir)
    const isDone = progress !== null && progress.brands_after === null
    return isDone && progress.brand_rules !== by ? progress : null
  })
}

/** Returns the brand of each name on the block list that has one. */
async function indexBrands(server: Server): Promise<Map<string, string>> {
  const brands = new Map<string, string>()
  for (let offset = 0; ; offset += pageRows) {
    const { domains } = await server.json(`/api/v1/blacklist?limit=${pageRows}&offset=${offset}`)
    const entries: unknown[] = Array.isArray(domains) ? domains : []
    for (const entry of entries) {
      const { domain, target_brand: brand }: Record<string, unknown> = { ...Object(entry) }
      if (typeof domain === 'string' && typeof brand === 'string') brands.set(domain, brand)
    }
    if (entries.length < pageRows) return brands
  }
}

describe('brands', () => {
  test('are named on at least 300 indicators after a first start', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir, { WEIR_STARTER: 'on' })
    const brands = await indexBrands(server)
    expect(brands.size).toBeGreaterThanOrEqual(300)
    expect(new Set(brands.values()).size).toBeGreaterThan(10)
    const [[name, brand] = ['', '']] = brands
    expect(await server.json(checkPath(name))).toMatchObject({
      status: 'found',
      match: { target_brand: brand },
    })
    await named(dataDir)
  })

  test('are named at an import, while a server runs or not', async () => {
    using dataDir = new DataDir()
    const input = lines('paypal-login.example', 'plain.example')
    await importList(['-'], { dataDir, input })
    await using server = await Server.start(dataDir)
    expect(await indexBrands(server)).toEqual(new Map([['paypal-login.example', 'PayPal']]))
    const more = lines('netflix.com-account.example')
    await importList(['-', '--source', 'later'], { dataDir, input: more })
    await eventually('the server has heard of it', async () =>
      (await indexBrands(server)).size === 2 ? true : null,
    )
    expect((await indexBrands(server)).get('netflix.com-account.example')).toBe('Netflix')
  })
})

describe('a brand that a list names', () => {
  test('has one name, however its sources call it, and is found by any of them', async () => {
    using dataDir = new DataDir()
    const said = ['amex', 'American Express', 'americanexpress.com', 'AMEX', 'A Bank Nobody Knows']
    const rows = said.map((brand, index) => `https://a${index}.example/x,"${brand}"`)
    const list = await dataDir.file('list.csv', lines('url,brand', ...rows))
    await importList([list, '--source', 'list'], { dataDir })
    const named = dataDir.rows<{ target_brand: string }>(
      'SELECT target_brand FROM indicator ORDER BY value',
    )
    expect(named.map(({ target_brand: brand }) => brand)).toEqual([
      ...Array.from({ length: 4 }, () => 'American Express'),
      'A Bank Nobody Knows',
    ])
    await using server = await Server.start(dataDir)
    const count = async (campaign: string): Promise<number> => {
      const query = new URLSearchParams({ campaign }).toString()
      const text = await server.text(`/api/v1/export/stix?${query}`)
      return text.match(/"pattern":/g)?.length ?? 0
    }
    for (const campaign of ['Amex', 'american express', 'americanexpress.com', 'AmericanExpress']) {
      expect([campaign, await count(campaign)]).toEqual([campaign, 4])
    }
    expect(await count('a bank nobody knows')).toBe(1)
    expect(await count('paypal')).toBe(0)
  })
})

describe('a database of the version before', () => {
  const imitations = ['paypal-login.example', 'netflix.com-account.example', 'rnicrosoft.example']
  const expected = new Map([
    ['paypal-login.example', 'PayPal'],
    ['netflix.com-account.example', 'Netflix'],
    ['rnicrosoft.example', 'Microsoft'],
  ])

  test('gets its brands named by the first server, once', async () => {
    using dataDir = new DataDir()
    listedBefore(dataDir, [...imitations, 'plain.example'])
    const first = await Server.start(dataDir)
    const progress = await named(dataDir)
    await eventually('the server says so', async () =>
      (await indexBrands(first)).size === expected.size ? true : null,
    )
    expect(await indexBrands(first)).toEqual(expected)
    expect(await first.stop()).toEqual({ code: 0, err: '' })
    await using second = await Server.start(dataDir)
    expect(await indexBrands(second)).toEqual(expected)
    expect(await named(dataDir)).toEqual(progress)
  })

  test('is named again when the operator sets another threshold', async () => {
    using dataDir = new DataDir()
    listedBefore(dataDir, [...imitations, 'plain.example'])
    const first = await Server.start(dataDir)
    const { brand_rules: rules } = await named(dataDir)
    await first.stop()
    await using second = await Server.start(dataDir, { WEIR_SUSPICIOUS_AT: '100' })
    await named(dataDir, rules)
    const left = await eventually('the server says so', async () => {
      const brands = await indexBrands(second)
      return brands.size < expected.size ? brands : null
    })
    expect(left.has('paypal-login.example')).toBe(false)
  })

  test('is named to its end by the next start when the first is killed', async () => {
    using dataDir = new DataDir()
    const names = Array.from({ length: 20_000 }, (_, n) => `paypal-login${n}.example`)
    listedBefore(dataDir, names)
    const first = await Server.start(dataDir)
    await eventually('some are named', () => {
      const progress = progressOf(dataDir)
      return progress !== null && progress.brands_after !== 0 ? progress : null
    })
    first.signal('SIGKILL')
    await first.ended()
    await using server = await Server.start(dataDir)
    await named(dataDir)
    expect(server.url).toStartWith('http')
    expect(
      dataDir.rows(`SELECT target_brand, target_brand_origin, COUNT(*) AS n FROM indicator
        GROUP BY target_brand, target_brand_origin`),
    ).toEqual([{ target_brand: 'PayPal', target_brand_origin: 'rules', n: names.length }])
  })
})
