/** GET /metrics: its values after calls whose outcome is known. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Readiness } from '../../src/http/endpoints/service.ts'
import { Metrics, type MetricsSources } from '../../src/http/metrics.ts'
import { parsePrometheus, sampleOf } from './prometheus.ts'
import { serveStandIns } from './stand-ins.ts'

const state: Readiness = {
  status: 'degraded',
  seq: 8_193,
  indicators: 1_234_567,
  viewLag: { rows: 12, seconds: 0.25 },
  searchLag: { rows: 12, seconds: 0.25 },
  sources: [
    { name: 'fresh', ageSeconds: 61, overdue: false },
    { name: 'late "one"\\', ageSeconds: 90_000, overdue: true },
    { name: 'never', ageSeconds: null, overdue: true },
  ],
  walBytes: 4_194_304,
  version: '1.2.3',
}

function createMetrics(changes: Partial<MetricsSources> = {}): Metrics {
  return new Metrics({
    readiness: () => state,
    occupancy: () => ({
      policies: [
        { policy: 'CHECK_URL', clients: 7, clientsMax: 100 },
        { policy: 'BULK', clients: 0, clientsMax: 100 },
      ],
      inFlight: [{ class: 'bulk', count: 3, max: 32 }],
    }),
    publishedDomains: () => 1_000_000,
    ...changes,
  })
}

const readMetrics = async (metrics: Metrics) => parsePrometheus(await metrics.render())

describe('parsePrometheus', () => {
  const head = '# HELP a_total A.\n# TYPE a_total counter\n'
  const wrong: readonly (readonly [string, string])[] = [
    ['no newline at the end', `${head}a_total 1`],
    ['a sample without a family', 'a_total 1\n'],
    ['a type without help', '# TYPE a_total counter\na_total 1\n'],
    ['a sample twice', `${head}a_total 1\na_total 1\n`],
    ['a family twice', `${head}${head}`],
    ['a sample of another family', `${head}b_total 1\n`],
    ['a counter without its suffix', '# HELP a A.\n# TYPE a counter\n'],
    ['a wrong value', `${head}a_total one\n`],
    ['no value', `${head}a_total\n`],
    ['a quote in a label', `${head}a_total{x="a"b"} 1\n`],
    ['a label twice', `${head}a_total{x="a",x="b"} 1\n`],
    ['a wrong escape', `${head}a_total{x="\\t"} 1\n`],
    ['a histogram that falls', histogramOf('a_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\n', 1)],
    ['a histogram that ends early', histogramOf('a_bucket{le="1"} 1\n', 1)],
    ['a histogram with a different count', histogramOf('a_bucket{le="+Inf"} 1\n', 2)],
  ]

  function histogramOf(buckets: string, count: number): string {
    return `# HELP a A.\n# TYPE a histogram\n${buckets}a_sum 1\na_count ${count}\n`
  }

  test.each(wrong)('refuses %s', (_what, text) => {
    expect(() => parsePrometheus(text)).toThrow()
  })

  test('reads names, labels, escapes and numbers', () => {
    const families = parsePrometheus(`${head}a_total{x="a\\"\\\\\\n,}",y=""} 1.5e-7\n`)
    expect(sampleOf(families, 'a_total', { x: 'a"\\\n,}', y: '' })).toBe(1.5e-7)
    const histogram = parsePrometheus(histogramOf('a_bucket{le="+Inf"} 3\n', 3))
    expect(sampleOf(histogram, 'a_bucket', { le: '+Inf' })).toBe(3)
  })
})

describe('Metrics', () => {
  test('writes the state at the time of the reading', async () => {
    const families = await readMetrics(createMetrics())
    const expected: readonly (readonly [string, Record<string, string>, number | null])[] = [
      ['weir_build_info', { version: '1.2.3', bun: Bun.version }, 1],
      ['weir_status', { status: 'degraded' }, 1],
      ['weir_status', { status: 'ready' }, 0],
      ['weir_status', { status: 'stopping' }, 0],
      ['weir_indicators', {}, 1_234_567],
      ['weir_published_domains', {}, 1_000_000],
      ['weir_sequence_number', {}, 8_193],
      ['weir_view_lag_rows', {}, 12],
      ['weir_view_lag_seconds', {}, 0.25],
      ['weir_search_lag_rows', {}, 12],
      ['weir_search_lag_seconds', {}, 0.25],
      ['weir_wal_bytes', {}, 4_194_304],
      ['weir_source_age_seconds', { source: 'fresh' }, 61],
      ['weir_source_age_seconds', { source: 'late "one"\\' }, 90_000],
      ['weir_source_age_seconds', { source: 'never' }, null],
      ['weir_source_overdue', { source: 'fresh' }, 0],
      ['weir_source_overdue', { source: 'never' }, 1],
      ['weir_limit_clients', { policy: 'CHECK_URL' }, 7],
      ['weir_limit_clients_max', { policy: 'CHECK_URL' }, 100],
      ['weir_calls_in_flight', { class: 'bulk' }, 3],
      ['weir_calls_in_flight_max', { class: 'bulk' }, 32],
    ]
    for (const [name, labels, value] of expected) {
      expect([name, labels, sampleOf(families, name, labels)]).toEqual([name, labels, value])
    }
  })

  test('writes the memory and the uptime of the process', async () => {
    const families = await readMetrics(createMetrics())
    const resident = sampleOf(families, 'weir_resident_memory_bytes') ?? 0
    const heap = sampleOf(families, 'weir_heap_bytes') ?? 0
    expect(resident).toBeGreaterThan(10_000_000)
    expect(heap).toBeGreaterThan(100_000)
    expect(heap).toBeLessThan(resident)
    expect(sampleOf(families, 'weir_uptime_seconds')).toBeGreaterThan(0)
  })

  test('watches the event loop from the first reading on', async () => {
    const metrics = createMetrics()
    expect(sampleOf(await readMetrics(metrics), 'weir_event_loop_delay_seconds')).toBe(0)
    expect(sampleOf(await readMetrics(metrics), 'weir_event_loop_delay_seconds')).not.toBeNull()
  })

  test('forgets a source that has gone, and names at most 500', async () => {
    let sources = state.sources
    const metrics = createMetrics({ readiness: () => ({ ...state, sources }) })
    await metrics.render()
    sources = Array.from({ length: 501 }, (_, n) => ({
      name: `source-${n}`,
      ageSeconds: n,
      overdue: false,
    }))
    const families = await readMetrics(metrics)
    for (const name of ['weir_source_age_seconds', 'weir_source_overdue']) {
      expect(families.get(name)?.samples).toHaveLength(500)
      expect(sampleOf(families, name, { source: 'fresh' })).toBeNull()
    }
  })

  test('counts answers by route and class of status, and refusals by status', async () => {
    const metrics = createMetrics()
    const { answers } = metrics
    for (const status of [200, 204, 304, 400, 404, 413, 429, 429, 500, 503]) {
      answers.noteAnswer('/a', 'GET', status, 0)
    }
    answers.noteAnswer('/b', 'POST', 200, 0)
    const families = await readMetrics(metrics)
    const counted = (status: string) =>
      sampleOf(families, 'weir_answers_total', { route: '/a', status })
    expect(['2xx', '3xx', '4xx', '5xx'].map(counted)).toEqual([2, 1, 5, 2])
    expect(sampleOf(families, 'weir_answers_total', { route: '/b', status: '2xx' })).toBe(1)
    const refused = (status: string) =>
      sampleOf(families, 'weir_refusals_total', { route: '/a', status })
    expect(['413', '429', '503'].map(refused)).toEqual([1, 2, 1])
    expect(families.get('weir_refusals_total')?.samples).toHaveLength(6)
  })

  test('counts how long answers take, in buckets that include their bound', async () => {
    const metrics = createMetrics()
    for (const seconds of [0, 0.00004, 0.0001, 0.00011, 0.3, 5, 5.1]) {
      metrics.answers.noteAnswer('/a', 'GET', 200, seconds)
    }
    const families = await readMetrics(metrics)
    const upTo = (le: string) =>
      sampleOf(families, 'weir_answer_seconds_bucket', { le, route: '/a' })
    expect(['0.0001', '0.00025', '0.25', '1', '5', '+Inf'].map(upTo)).toEqual([3, 4, 4, 5, 6, 7])
    expect(sampleOf(families, 'weir_answer_seconds_count', { route: '/a' })).toBe(7)
    expect(sampleOf(families, 'weir_answer_seconds_sum', { route: '/a' })).toBeCloseTo(10.40025)
  })

  test('keeps a bounded number of routes', async () => {
    const metrics = createMetrics()
    for (let n = 0; n < 1_000; n++) metrics.answers.noteAnswer(`/${n}`, 'GET', 200, 0)
    const families = await readMetrics(metrics)
    const samples = families.get('weir_answers_total')?.samples ?? []
    expect(samples).toHaveLength(101)
    expect(sampleOf(families, 'weir_answers_total', { route: 'other', status: '2xx' })).toBe(900)
  })

  test('writes the same values when it is read again', async () => {
    const metrics = createMetrics()
    metrics.answers.noteAnswer('/a', 'GET', 200, 0)
    metrics.lookups.url.found += 2
    await metrics.render()
    const families = await readMetrics(metrics)
    expect(sampleOf(families, 'weir_lookups_total', { kind: 'url', verdict: 'found' })).toBe(2)
    expect(sampleOf(families, 'weir_answers_total', { route: '/a', status: '2xx' })).toBe(1)
  })
})

describe('GET /metrics', () => {
  let server: ReturnType<typeof serveStandIns>
  beforeAll(() => {
    server = serveStandIns()
  })
  afterAll(() => server.stop(true))

  const get = (path: string, init: RequestInit = {}) => fetch(new URL(path, server.url), init)
  const bulk = (body: unknown) =>
    get('/api/v1/check/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const reading = async () => parsePrometheus(await (await get('/metrics')).text())

  test('answers GET and HEAD in the format of Prometheus, not to be cached', async () => {
    const response = await get('/metrics')
    const headers = {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    }
    parsePrometheus(await response.text())
    const head = await get('/metrics', { method: 'HEAD' })
    for (const { status, headers: answered } of [response, head]) {
      expect(status).toBe(200)
      for (const [name, value] of Object.entries(headers)) expect(answered.get(name)).toBe(value)
      expect(answered.get('access-control-allow-origin')).toBeNull()
    }
    expect(await head.text()).toBe('')
    expect((await get('/metrics', { method: 'POST' })).status).toBe(405)
  })

  test('counts every call by how it was answered', async () => {
    const before = await reading()
    const calls = [
      get('/api/check-url?url=evil.test'),
      get('/api/check-url?url=suspicious.weir.test'),
      get('/api/check-url?url=shared.weir.test'),
      get('/api/check-url/?url=good.test'),
      get('/api/check-url?url=javascript:alert(1)'),
      get('/api/check-url'),
      bulk({ urls: ['evil.test', 'good.test'], domains: ['a b'], hashes: ['00'] }),
      bulk([]),
      get('/api/v1/blacklist?limit=1'),
      get('/api/v1/blacklist', { method: 'OPTIONS' }),
      get('/api/v1/blacklist?limit=x'),
      get('/api/v1/nowhere/at/all'),
      get('/canary'),
    ]
    for (const call of calls) await (await call).text()
    const after = await reading()
    const grown = (name: string, labels: Record<string, string>): number =>
      (sampleOf(after, name, labels) ?? 0) - (sampleOf(before, name, labels) ?? 0)

    const answered = (route: string, status: string) =>
      grown('weir_answers_total', { route, status })
    expect(answered('/api/check-url', '2xx')).toBe(4)
    expect(answered('/api/check-url', '4xx')).toBe(2)
    expect(answered('/api/v1/check/bulk', '2xx')).toBe(1)
    expect(answered('/api/v1/check/bulk', '4xx')).toBe(1)
    expect(answered('/api/v1/blacklist', '2xx')).toBe(2)
    expect(answered('/api/v1/blacklist', '4xx')).toBe(1)
    expect(answered('other', '4xx')).toBe(2)
    expect(answered('/metrics', '2xx')).toBe(1)
    expect(grown('weir_answer_seconds_count', { route: '/api/check-url' })).toBe(6)

    const looked = (kind: string, verdict: string) => grown('weir_lookups_total', { kind, verdict })
    const verdicts = ['found', 'suspicious', 'shared_infrastructure', 'not_found', 'invalid']
    expect(verdicts.map((verdict) => looked('url', verdict))).toEqual([1, 1, 1, 1, 1])
    expect(verdicts.map((verdict) => looked('bulk', verdict))).toEqual([1, 0, 0, 1, 2])
  })

  test('contains nothing that a client sent', async () => {
    const canary = 'canary7f3a'
    await get(`/${canary}`)
    await get(`/lists/${canary}`)
    await get(`/api/check-url?url=${canary}.example`, { headers: { 'user-agent': canary } })
    await get('/health', { method: canary })
    expect(await (await get('/metrics')).text()).not.toContain(canary)
  })
})
