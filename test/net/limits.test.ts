/** Servers that never finish an answer, and the limits that stop them. */

import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import type { OutboundRequest } from '../../src/net/outbound.ts'
import type { OutboundFailure } from '../../src/net/outbound-error.ts'
import { DnsServer } from './dns-server.ts'
import { createOutbound, failure, fetchText, wide } from './fixture.ts'
import { type Answerer, RawServer, says, saysForever } from './raw-server.ts'

const zone = { 'feed.test': { a: ['127.0.0.1'] } }

/** Bytes that the buffers of a socket may hold before the sender notices that no one reads. */
const buffersMax = 32 * 1024 ** 2

/** Sends `head`, then a byte now and then. */
function drips(head: string): Answerer {
  return (socket) => {
    socket.write(head, 'latin1')
    const timer = setInterval(() => socket.write('a'), 2)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Limits of these tests: little time, or a small body. */
const hurried = { timeoutMs: 60 }
const small = { bodyBytesMax: 10_000 }

const head = 'HTTP/1.1 200 OK\r\n'
const gzipHead = `${head}content-encoding: gzip\r\n\r\n`
const chunkedHead = `${head}transfer-encoding: chunked\r\n\r\n`
const chunk = `1000\r\n${'a'.repeat(0x1000)}\r\n`
const block = Buffer.alloc(64 * 1024)
const letters = Buffer.alloc(64 * 1024, 'b')

/** The start of the file name in a gzip header, which all that follows continues. */
const endlessName = '\x1f\x8b\x08\x08\0\0\0\0\0\x03'

type Limits = Partial<OutboundRequest>

const endless: readonly (readonly [string, Answerer, Limits, OutboundFailure])[] = [
  ['a silent server', () => {}, hurried, 'timeout'],
  ['dripping headers', drips(`${head}x-a: `), hurried, 'timeout'],
  ['a dripping body', drips(`${head}\r\n`), hurried, 'timeout'],
  ['a dripping body of a length', drips(`${head}content-length: 9999\r\n\r\n`), hurried, 'timeout'],
  ['a dripping gzip body', drips(`${gzipHead}${endlessName}`), hurried, 'timeout'],
  ['an endless body', saysForever(`${head}\r\n`, block), small, 'too_large'],
  ['an endless body in chunks', saysForever(chunkedHead, chunk), small, 'too_large'],
  ['gzip that inflates to nothing', saysForever(gzipHead, gzipSync('')), small, 'too_large'],
  ['endless headers', saysForever(head, 'x-a: b\r\n'.repeat(99)), {}, 'bad_answer'],
  ['one endless header', saysForever(`${head}x-a: `, letters), {}, 'bad_answer'],
  ['an endless status line', saysForever('HTTP/1.1 200 ', letters), {}, 'bad_answer'],
  ['interim answers', saysForever('', 'HTTP/1.1 100 Go on\r\n\r\n'.repeat(99)), {}, 'bad_answer'],
  ['trailers', saysForever(`${chunkedHead}0\r\n`, 'x-a: b\r\n'.repeat(99)), {}, 'damaged_body'],
]

describe('Outbound', () => {
  test.each(endless)('ends %s', async (_, answer, limits, reason) => {
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(answer)
    const work = fetchText(createOutbound(dns), `http://feed.test:${server.port}/`, limits)
    expect((await failure(work)).reason).toBe(reason)
    await server.idle()
    expect(server.bytesSent).toBeLessThan(buffersMax)
  })

  test('a compression bomb is cut at the limit, and comes in small pieces until then', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 ** 2), { level: 1 })
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(says(gzipHead, bomb))
    const { body } = await createOutbound(dns).get({
      ...wide,
      url: `http://feed.test:${server.port}/`,
      bodyBytesMax: 64 * 1024 ** 2,
    })
    let bytes = 0
    let largest = 0
    const read = async (): Promise<void> => {
      for await (const chunk of body) {
        bytes += chunk.length
        largest = Math.max(largest, chunk.length)
      }
    }
    expect((await failure(read())).reason).toBe('too_large')
    expect(bytes).toBeLessThanOrEqual(64 * 1024 ** 2)
    // The memory of a process depends on what else it runs; the size of a chunk does not.
    expect(largest).toBeLessThanOrEqual(1024 ** 2)
    await server.idle()
  })

  test('reads from the connection only on demand', async () => {
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(saysForever(`${head}\r\n`, block))
    const url = `http://feed.test:${server.port}/`
    const { body } = await createOutbound(dns).get({
      ...wide,
      url,
      bodyBytesMax: 1024 ** 4,
      timeoutMs: 1_000,
    })
    const reader = body.getReader()
    await reader.read()
    // Until the time-out.
    await server.idle()
    expect(server.bytesSent).toBeLessThan(buffersMax)
    expect((await failure(reader.read())).reason).toBe('timeout')
  })

  test('a body of exactly the limit passes, plain and inflated; one byte more does not', async () => {
    const text = 'a'.repeat(1000)
    await using dns = await DnsServer.start(zone)
    await using plain = await RawServer.start(says('HTTP/1.1 200 OK\r\n\r\n', text))
    await using packed = await RawServer.start(says(gzipHead, gzipSync(text)))
    for (const { port } of [plain, packed]) {
      const url = `http://feed.test:${port}/`
      const answer = await fetchText(createOutbound(dns), url, { bodyBytesMax: 1000 })
      expect(answer.text).toBe(text)
      const work = fetchText(createOutbound(dns), url, { bodyBytesMax: 999 })
      expect((await failure(work)).reason).toBe('too_large')
    }
  })

  test('an announced length over the limit is refused before the body', async () => {
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10001\r\n\r\n')
    })
    const url = `http://feed.test:${server.port}/`
    const error = await failure(createOutbound(dns).get({ ...wide, ...small, url }))
    expect(error.message).toContain('the answer has 10001 bytes, but at most 10000 are allowed')
    await server.idle()
  })

  test('a cancelled body closes the connection', async () => {
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(saysForever(`${head}\r\n`, block))
    const url = `http://feed.test:${server.port}/`
    for (const reads of [0, 1]) {
      const reader = (await createOutbound(dns).get({ ...wide, url })).body.getReader()
      for (let n = 0; n < reads; n++) await reader.read()
      await reader.cancel()
      await server.idle()
    }
    expect(server.connections).toBe(2)
  })
})
