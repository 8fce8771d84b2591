/**
 * Bodies: encodings, premature ends, and malformed answers.
 */

import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { OutboundError, type OutboundFailure } from '../../src/net/outbound-error.ts'
import { DnsServer } from './dns-server.ts'
import { createOutbound, failure, fetchText, wide } from './fixture.ts'
import { type Answerer, RawServer, says } from './raw-server.ts'

const { FUZZ_RUNS = '100' } = process.env

const zone = { 'feed.test': { a: ['127.0.0.1'] } }

const head = 'HTTP/1.1 200 OK\r\n'
const gzipHead = `${head}content-encoding: gzip\r\n\r\n`
const chunkedHead = `${head}transfer-encoding: chunked\r\n\r\n`

const damaged: readonly (readonly [string, Answerer])[] = [
  ['shorter than its length', says(`${head}content-length: 10\r\n\r\nabc`)],
  ['without its last chunk', says(`${chunkedHead}3\r\nabc\r\n`)],
  ['with a chunk of no length', says(`${chunkedHead}z\r\nabc\r\n`)],
  ['with its gzip cut', says(gzipHead, gzipSync('every line').subarray(0, -4))],
  ['that is not gzip', says(gzipHead, 'every line')],
  ['that is empty although gzip is announced', says(gzipHead)],
  [
    'reset before the connection that delimits it is closed',
    (socket) => {
      socket.write(`${head}\r\nabc`, () => socket.resetAndDestroy())
    },
  ],
]

const broken: readonly (readonly [string, string, OutboundFailure])[] = [
  ['of another protocol', 'SSH-2.0-Server\r\n', 'bad_answer'],
  ['of HTML without a head', '<html></html>\r\n\r\n', 'bad_answer'],
  ['with two lengths', `${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, 'bad_answer'],
  [
    'with a length and with chunks',
    `${head}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    'bad_answer',
  ],
  [
    'that switches protocols',
    'HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    'bad_answer',
  ],
  ['that switches to no protocol', 'HTTP/1.1 101 Go\r\n\r\n', 'bad_answer'],
  ['with a NUL in a header', `${head}x-a: a\0b\r\n\r\n`, 'bad_answer'],
  ['that never comes', '', 'unreachable'],
  ['that ends in its headers', `${head}x-a`, 'unreachable'],
]

describe('a body', () => {
  test.each([
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['identity', 'identity'],
  ])('in %s is returned decoded', async (encoding, kind) => {
    const bytes = kind === 'gzip' ? gzipSync('every line') : Buffer.from('every line')
    const fields = `content-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n`
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(says(`${head}${fields}\r\n`, bytes))
    const answer = await fetchText(createOutbound(dns), `http://feed.test:${server.port}/`)
    expect(answer.text).toBe('every line')
    expect(answer.headers.has('content-length')).toBe(kind === 'identity')
  })

  test('of two gzip members is returned whole', async () => {
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(says(gzipHead, gzipSync('every '), gzipSync('line')))
    const answer = await fetchText(createOutbound(dns), `http://feed.test:${server.port}/`)
    expect(answer.text).toBe('every line')
  })

  test('that is a gzip file stays one', async () => {
    const file = gzipSync('every line')
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(
      says(`${head}content-type: application/gzip\r\n\r\n`, file),
    )
    const { body } = await createOutbound(dns).get({
      ...wide,
      url: `http://feed.test:${server.port}/`,
    })
    expect(Buffer.from(await new Response(body).bytes())).toEqual(file)
  })

  test.each([['br'], ['deflate'], ['zstd'], ['gzip, gzip'], ['identity, gzip'], ['x']])(
    'in %s is refused',
    async (encoding) => {
      await using dns = await DnsServer.start(zone)
      await using server = await RawServer.start(
        says(`${head}content-encoding: ${encoding}\r\n\r\nabc`),
      )
      const work = fetchText(createOutbound(dns), `http://feed.test:${server.port}/`)
      expect((await failure(work)).reason).toBe('unsupported_encoding')
      await server.idle()
    },
  )

  test.each(damaged)('%s is damaged', async (_, answer) => {
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(answer)
    const work = fetchText(createOutbound(dns), `http://feed.test:${server.port}/`)
    expect((await failure(work)).reason).toBe('damaged_body')
  })
})

describe('an answer', () => {
  test.each(broken)('%s is a failure', async (_, said, reason) => {
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start(says(said))
    const work = fetchText(createOutbound(dns), `http://feed.test:${server.port}/`)
    expect((await failure(work)).reason).toBe(reason)
    await server.idle()
  })

  test('of any bytes is an answer, or an error with a reason', async () => {
    const part = fc.oneof(
      fc.constantFrom(head, 'HTTP/1.1 302 Found\r\n', 'HTTP/1.1 100 Go on\r\n', '\r\n', '\0', ':'),
      fc.constantFrom('content-length: 3\r\n', 'transfer-encoding: chunked\r\n', 'location: /\r\n'),
      fc.constantFrom('content-encoding: gzip\r\n', 'abc', '3\r\nabc\r\n', '0\r\n\r\n'),
      fc.constant(gzipSync('every line')),
      fc.uint8Array({ maxLength: 20 }),
    )
    let said = says('')
    await using dns = await DnsServer.start(zone)
    await using server = await RawServer.start((socket, asked) => said(socket, asked))
    const url = `http://feed.test:${server.port}/`
    const outbound = createOutbound(dns)
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        said = says(...parts)
        const work = fetchText(outbound, url, { redirectsMax: 1 })
        const outcome = await work.catch((error: unknown) => error)
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(OutboundError)
        else expect(outcome).toHaveProperty('status')
      }),
      { numRuns: Number(FUZZ_RUNS) },
    )
    await server.idle()
  })
})
