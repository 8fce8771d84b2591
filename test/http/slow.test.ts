/**
 * Clients that take their time (safety, §0.7): whoever sends a request byte by byte, or reads nothing
 * of an answer, is cut off, and disturbs nobody until then. All of them wait side by side, and each
 * test for the end of its own connection.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createApp } from '../../src/http/app.ts'
import { parseNetworks } from '../../src/setting-values.ts'
import { RawConnection } from '../commands/raw-connection.ts'
import { startWeir, type WeirProcess } from './harness.ts'
import { standIns } from './stand-ins.ts'

/** Machines are shared. */
setDefaultTimeout(60_000)

/** What is sent, what follows it again and again, and what the server says before it closes. */
interface SlowClient {
  readonly name: string
  readonly first?: string
  readonly drip?: string
  readonly said: string | RegExp
}

const dripMs = 100

/** Opens a connection for a client; resolves with what the server says until it closes. */
async function cutOff(url: string, { first = '', drip = '' }: SlowClient): Promise<string> {
  const connection = await RawConnection.open(url)
  connection.send(first)
  const timer = setInterval(() => connection.send(drip), dripMs)
  return connection.closed.finally(() => clearInterval(timer))
}

/** Opens a connection for a client that reads nothing of what it asks for. */
async function openUnread(url: string, requests: string): Promise<RawConnection> {
  const connection = await RawConnection.open(url)
  connection.readNoMore()
  connection.send(requests)
  return connection
}

const head = 'GET /health HTTP/1.1\r\nHost: weir.test\r\n'
const bulk =
  'POST /api/v1/check/bulk HTTP/1.1\r\nHost: weir.test\r\nContent-Type: application/json\r\n'
const chunked = `${bulk}Transfer-Encoding: chunked\r\n\r\n`

/** How long a head may take is fixed in Bun: ten seconds and a little, whatever the setting. */
const slowHeads: readonly SlowClient[] = [
  { name: 'says nothing', said: '' },
  { name: 'stops in its first line', first: 'GET /hea', said: '' },
  { name: 'sends its first line byte by byte', drip: 'G', said: '' },
  { name: 'stops in a header', first: `${head}X-A: `, said: '' },
  { name: 'sends a header byte by byte', first: `${head}X-A: `, drip: 'a', said: '' },
]

const slowBodies: readonly SlowClient[] = [
  { name: 'sends no body', first: `${bulk}Content-Length: 100\r\n\r\n`, said: '' },
  {
    name: 'sends a body byte by byte',
    first: `${bulk}Content-Length: 9000\r\n\r\n`,
    drip: ' ',
    said: '',
  },
  { name: 'sends a chunk now and then', first: chunked, drip: '1\r\n \r\n', said: '' },
  { name: 'never ends the size of a chunk', first: chunked, drip: '0', said: '' },
  {
    name: 'sends no body that it got leave for',
    first: `${bulk}Content-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
    said: 'HTTP/1.1 100 Continue\r\n\r\n',
  },
  {
    name: 'sends a body that nobody reads',
    first: 'POST /health HTTP/1.1\r\nHost: weir.test\r\nContent-Length: 9000\r\n\r\n',
    drip: ' ',
    said: /^HTTP\/1\.1 405 /,
  },
  { name: 'asks nothing any more', first: `${head}\r\n`, said: /^HTTP\/1\.1 200 .*"ok"}$/s },
]

/** An item that is told back as it came, so that the answer is as long. */
const long = `{"urls":["${'a'.repeat(4.9 * 2 ** 20)}"]}`
const manyRequests = 5_000
const often = `GET /api/v1/blacklist HTTP/1.1\r\nHost: weir.test\r\nX-Reader: often\r\n\r\n`.repeat(
  manyRequests,
)

function expectSaid(actual: string, expected: string | RegExp): void {
  if (expected instanceof RegExp) expect(actual).toMatch(expected)
  else expect(actual).toBe(expected)
}

describe('a client of weir that', () => {
  const idleCount = 300
  let weir: WeirProcess
  let ends: readonly Promise<string>[]

  beforeAll(async () => {
    weir = await startWeir()
    ends = slowHeads.map((client) => cutOff(weir.url, client))
  })
  afterAll(() => weir.stop())

  test(`has ${idleCount} half-open neighbours is answered all the same`, async () => {
    const neighbours = await Promise.all(
      Array.from({ length: idleCount }, () => RawConnection.open(weir.url)),
    )
    for (const neighbour of neighbours) neighbour.send(head)
    const { status } = await fetch(`${weir.url}/api/check-url?url=found.weir.test`)
    expect(status).toBe(200)
    for (const neighbour of neighbours) neighbour.end()
  })

  for (const [index, { name, said }] of slowHeads.entries()) {
    test(`${name} is cut off`, async () => expectSaid((await ends[index]) ?? 'nothing', said))
  }
})

describe('beside a server with little patience, a client that', () => {
  const exempt = parseNetworks('127.0.0.1')
  const app = createApp(standIns(exempt === undefined ? {} : { limitExempt: exempt }))
  /** Settles when an answer to somebody who reads nothing has been given up. */
  const given = { once: Promise.withResolvers<void>(), often: Promise.withResolvers<void>() }
  const calls = { once: 0, often: 0 }
  const server = Bun.serve({
    ...app.serveOptions,
    idleTimeout: 1,
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const reader = request.headers.get('x-reader')
      if (reader === 'once' || reader === 'often') {
        calls[reader]++
        request.signal.onabort = () => given[reader].resolve()
      }
      return app.fetch(request)
    },
  })
  let ends: readonly Promise<string>[]
  let readers: readonly RawConnection[]

  beforeAll(async () => {
    const url = server.url.origin
    ends = slowBodies.map((client) => cutOff(url, client))
    const once = `${bulk}X-Reader: once\r\nContent-Length: ${long.length}\r\n\r\n${long}`
    readers = await Promise.all([once, often].map((requests) => openUnread(url, requests)))
  })
  afterAll(async () => {
    for (const reader of readers) reader.end()
    await server.stop(true)
  })

  for (const [index, { name, said }] of slowBodies.entries()) {
    test(`${name} is cut off`, async () => expectSaid((await ends[index]) ?? 'nothing', said))
  }

  test('reads nothing of a long answer is cut off', async () => {
    await given.once.promise
    expect(calls.once).toBe(1)
  })

  test('asks for far more than it reads is cut off, and most of it is never looked at', async () => {
    await given.often.promise
    expect(calls.often).toBeLessThan(manyRequests / 2)
  })
})

test('the server itself is more patient than any answer takes', () => {
  expect(createApp(standIns()).serveOptions).toMatchObject({ idleTimeout: 30, development: false })
})
