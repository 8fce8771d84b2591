/** Costly calls in flight: counted while their answers are awaited, and only then. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Handler } from '../../src/http/endpoint.ts'
import { createGate, type Gate, type GateServices } from '../../src/http/gate.ts'
import { clientInFlightMax, InFlight } from '../../src/http/in-flight.ts'
import { parseNetworks } from '../../src/setting-values.ts'
import { eventually } from '../commands/process.ts'
import { RawConnection } from '../commands/raw-connection.ts'
import { expectProblem } from './scenario.ts'
import { limitsOf, serving, standIns } from './stand-ins.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)

describe('InFlight', () => {
  test('settles as the call does, and stops counting it', async () => {
    const inFlight = new InFlight([{ class: 'a', inFlightMax: 1 }])
    expect(await inFlight.during('a', 'client', Promise.resolve('answer'))).toBe('answer')
    const failed = inFlight.during('a', 'client', Promise.reject(new Error('it failed')))
    expect(inFlight.fullGate('a', 'other')).toBe('class')
    expect(await failed.catch(String)).toBe('Error: it failed')
    expect(inFlight.fullGate('a', 'client')).toBeNull()
  })

  test('throws for two maxima of one class', () => {
    const list = { class: 'lists', inFlightMax: 32 }
    expect(() => new InFlight([list, { ...list, inFlightMax: 4 }])).toThrow(
      'give the class lists one maximum, not two',
    )
    expect(new InFlight([list, list]).occupancy()).toEqual([{ class: 'lists', count: 0, max: 32 }])
  })

  test('agrees with a naive model, however calls end, and forgets clients that have none', async () => {
    const maxima: Readonly<Record<string, number>> = { small: 2, large: 9 }
    /** Of one client in the class `large`. */
    const ownMax = 3
    const step = fc.record({
      name: fc.constantFrom('small', 'large'),
      client: fc.constantFrom('a', 'b', 'c', null),
      /** The index of the call in flight that ends first, if there is one, and how it ends. */
      ends: fc.nat({ max: 12 }),
      fails: fc.boolean(),
    })
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const inFlight = new InFlight(
        Object.entries(maxima).map(([name, inFlightMax]) => ({
          class: name,
          inFlightMax,
          ...(name === 'large' ? { clientInFlightMax: ownMax } : {}),
        })),
      )
      const calls: { name: string; client: string | null; end: () => Promise<unknown> }[] = []
      for (const { name, client, ends, fails } of steps) {
        const [ended] = calls.splice(ends, 1)
        await ended?.end()
        const ofClass = calls.filter((call) => call.name === name).length
        const ofClient = calls.filter((call) => call.client === client).length
        const ofBoth = calls.filter((call) => call.client === client && call.name === name).length
        const isOwnFull = name === 'large' && ofBoth === ownMax
        const isClientFull = client !== null && (ofClient === clientInFlightMax || isOwnFull)
        const full = isClientFull ? 'client' : ofClass === maxima[name] ? 'class' : null
        expect(inFlight.fullGate(name, client)).toBe(full)
        if (full !== null) continue
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        const call = inFlight.during(name, client, promise).catch(String)
        const end = (): Promise<unknown> => {
          if (fails) reject(new Error('it failed'))
          else resolve()
          return call
        }
        calls.push({ name, client, end })
        const counters = calls.flatMap((under) => {
          if (under.client === null) return [under.name]
          return [under.name, under.client, `${under.name} ${under.client}`]
        })
        expect(inFlight.size).toBe(new Set(counters).size)
      }
      for (const { end } of calls) await end()
      expect(inFlight.size).toBe(0)
      expect(inFlight.occupancy().map(({ count }) => count)).toEqual([0, 0])
    })
    await fc.assert(property, { numRuns })
  })
})

/** A gate whose POST calls are answered when the test ends them, and whose GET calls at once. */
class HeldGate {
  readonly gate: Gate
  readonly #handlers: ReadonlyMap<string, Handler>
  readonly #held: PromiseWithResolvers<Response>[] = []
  readonly #answers: Promise<Response>[] = []

  constructor(changes: Partial<GateServices> = {}) {
    const classes = ['a', 'b'].map((name) => ({ class: name, inFlightMax: 6 }))
    const inner = ({ method }: Request): Response | Promise<Response> => {
      if (method === 'GET') return new Response('at once')
      const held = Promise.withResolvers<Response>()
      this.#held.push(held)
      return held.promise
    }
    const addressOf = (request: Request): string | null => request.headers.get('peer')
    this.gate = createGate(classes, { ...standIns(), addressOf, ...changes })
    this.#handlers = new Map([
      ['/cheap', this.gate.before({ policy: 'CHECK_URL' }, inner)],
      ...classes.map((costly): [string, Handler] => [
        `/${costly.class}`,
        this.gate.before({ policy: 'BULK', costly }, inner),
      ]),
    ])
  }

  /** Sends a call and returns its answer if it comes at once; null when the call is in flight. */
  ask(path: string, headers: Readonly<Record<string, string>>, method = 'POST'): Response | null {
    const request = new Request(`http://weir.test${path}`, { method, headers })
    const answer = this.#handlers.get(path)?.(request, {}) ?? new Response(null, { status: 404 })
    if (!(answer instanceof Promise)) return answer
    this.#answers.push(answer)
    return null
  }

  /** Sends `count` calls from `peer` and returns the status of those not in flight. */
  send(count: number, path: string, peer: string): number[] {
    const answers = Array.from({ length: count }, () => this.ask(path, { peer }))
    return answers.flatMap((answer) => answer?.status ?? [])
  }

  /** Ends every call and returns the status of the late answers; null for calls that failed. */
  async end(how: 'answer' | 'fail' = 'answer'): Promise<(number | null)[]> {
    for (const { resolve, reject } of this.#held.splice(0)) {
      if (how === 'answer') resolve(new Response('late'))
      else reject(new Error('it failed'))
    }
    const settled = await Promise.allSettled(this.#answers.splice(0))
    return settled.map((result) => (result.status === 'fulfilled' ? result.value.status : null))
  }

  get counts(): readonly number[] {
    return this.gate.occupancy().inFlight.map(({ count }) => count)
  }
}

function networks(text: string) {
  const parsed = parseNetworks(text)
  if (parsed === undefined) throw new Error(`no networks: ${text}`)
  return parsed
}

describe('the gate', () => {
  const one = '203.0.113.1'

  test('answers the fifth costly call of a client with 503, over all classes', async () => {
    const held = new HeldGate()
    expect(held.send(3, '/a', one)).toEqual([])
    expect(held.send(1, '/b', one)).toEqual([])
    const refused = held.ask('/b', { peer: one })
    expect(refused?.status).toBe(503)
    expect(refused?.headers.get('retry-after')).toBe('1')
    expectProblem(503, (await refused?.text()) ?? '', [])
    expect(held.send(1, '/a', '203.0.113.2')).toEqual([])
    expect(held.counts).toEqual([4, 1])
    expect(await held.end()).toEqual([200, 200, 200, 200, 200])
    expect(held.counts).toEqual([0, 0])
    expect(held.send(1, '/a', one)).toEqual([])
  })

  test('a full class refuses every client, and other classes admit calls', async () => {
    const held = new HeldGate()
    for (let i = 0; i < 6; i++) expect(held.send(1, '/a', `203.0.113.${i}`)).toEqual([])
    expect(held.send(1, '/a', '198.51.100.1')).toEqual([503])
    expect(held.send(1, '/b', '198.51.100.1')).toEqual([])
    expect(held.gate.occupancy().inFlight).toEqual([
      { class: 'a', count: 6, max: 6 },
      { class: 'b', count: 1, max: 6 },
    ])
    await held.end()
  })

  test('calls answered at once are never in flight, and cheap ones have no gate', async () => {
    const held = new HeldGate()
    for (let i = 0; i < 9; i++) expect(held.ask('/a', { peer: one }, 'GET')?.status).toBe(200)
    expect(held.send(9, '/cheap', one)).toEqual([])
    expect(held.counts).toEqual([0, 0])
    expect(held.send(5, '/a', one)).toEqual([503])
    expect(held.ask('/cheap', { peer: one }, 'GET')?.status).toBe(200)
    await held.end()
  })

  test('handlers that fail free their places', async () => {
    const held = new HeldGate()
    expect(held.send(5, '/a', one)).toEqual([503])
    expect(await held.end('fail')).toEqual([null, null, null, null])
    expect(held.counts).toEqual([0, 0])
    expect(held.send(5, '/a', one)).toEqual([503])
    await held.end()
  })

  test('a refusal is free of the limit, and a call over the limit takes no place', async () => {
    const held = new HeldGate({ limits: limitsOf({ quota: 5, windowMs: 1_000 }), now: () => 0 })
    expect(held.send(9, '/a', one)).toEqual([503, 503, 503, 503, 503])
    await held.end()
    const last = held.ask('/a', { peer: one }, 'GET')
    expect(last?.headers.get('ratelimit')).toBe('"bulk";r=0;t=1')
    expect(held.send(5, '/a', one)).toEqual([429, 429, 429, 429, 429])
    expect(held.counts).toEqual([0, 0])
  })

  test('distinguishes clients as limits do, and ignores what clients say about it', async () => {
    const held = new HeldGate({ trustedProxies: networks('192.0.2.1') })
    expect(held.send(4, '/a', '2001:db8:0:1::1')).toEqual([])
    expect(held.send(1, '/a', '2001:db8:0:1:ffff::2')).toEqual([503])
    await held.end()
    for (let i = 0; i < 4; i++) held.ask('/a', { peer: one, 'x-forwarded-for': `198.51.100.${i}` })
    const spoofed = { peer: one, 'x-forwarded-for': '198.51.100.99' }
    expect(held.ask('/a', spoofed)?.status).toBe(503)
    const forwarded = { peer: '192.0.2.1', 'x-forwarded-for': '198.51.100.99' }
    expect(held.ask('/a', forwarded)).toBeNull()
    await held.end()
  })

  test('exempt clients are limited by the class only', async () => {
    const held = new HeldGate({ limitExempt: networks(one) })
    expect(held.send(7, '/a', one)).toEqual([503])
    await held.end()
  })

  test('callers without an address, which may have hung up, are one client', async () => {
    const held = new HeldGate()
    const answers = Array.from({ length: 6 }, () => held.ask('/a', {})?.status)
    expect(answers.filter((status) => status === 503)).toHaveLength(2)
    expect(held.send(2, '/a', one)).toEqual([])
    await held.end()
  })

  test('reports how many clients each policy remembers', () => {
    const limit = { quota: 5, windowMs: 1_000 }
    const held = new HeldGate({ limits: { CHECK_URL: limit, GENERAL: limit }, now: () => 0 })
    for (const peer of ['203.0.113.1', '203.0.113.2', '2001:db8::1', '2001:db8::2']) {
      expect(held.ask('/cheap', { peer }, 'GET')?.status).toBe(200)
    }
    expect(held.gate.occupancy().policies).toMatchObject([
      { policy: 'CHECK_URL', clients: 3, clientsMax: 100_000 },
      { policy: 'GENERAL', clients: 3, clientsMax: 100_000 },
    ])
  })
})

describe('bodies that never come', () => {
  const head = [
    'POST /api/v1/check/bulk HTTP/1.1',
    'Host: weir.test',
    'Content-Type: application/json',
    'Content-Length: 100',
  ].join('\r\n')

  test('take four places of a client, and free them when the connection ends', async () => {
    await serving({}, async (base) => {
      const ask = (path: string): Promise<number> => {
        const headers = { 'content-type': 'application/json' }
        const init = path.endsWith('bulk') ? { method: 'POST', headers, body: '{}' } : {}
        return fetch(`${base}${path}`, init).then(({ status }) => status)
      }
      const until = (wanted: number) => async (): Promise<true | null> =>
        (await ask('/api/v1/check/bulk')) === wanted ? true : null
      const connections = await Promise.all(
        Array.from({ length: clientInFlightMax }, () => RawConnection.open(base)),
      )
      for (const connection of connections) connection.send(`${head}\r\n\r\n{"urls":`)
      await eventually('the gate is full', until(503))
      expect(await ask('/api/check-url?url=evil.test')).toBe(200)
      expect(await ask('/api/v1/blacklist')).toBe(200)
      connections[0]?.end()
      await eventually('there is room again', until(200))
      for (const connection of connections) connection.end()
      await Promise.all(connections.map(({ closed }) => closed))
    })
  })
})
