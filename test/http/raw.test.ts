/**
 * Requests that no client library sends, byte by byte (safety, "HTTP robustness"): smuggling, odd
 * headers, endless parts. Each gets one answer and no second: either weir's own, in its one shape, or
 * the bare refusal of the server beneath it, which closes the connection.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { RawConnection } from '../commands/raw-connection.ts'
import { checkRawAnswer } from './checked-answers.ts'
import { startWeir, type WeirProcess } from './harness.ts'
import { everywhere, expectProblem } from './scenario.ts'

/** Machines are shared. */
setDefaultTimeout(60_000)

const close = 'Host: weir.test\r\nConnection: close\r\n'
const get = (target: string, headers = close): string => `GET ${target} HTTP/1.1\r\n${headers}\r\n`
/** Asks for something that shows in the answer, in whatever would be read as a second request. */
const hidden = get('/ready')
const bulk = `POST /api/v1/check/bulk HTTP/1.1\r\n${close}Content-Type: application/json\r\n`
const body = '{"domains":["evil.test"]}'
const sized = (length: string, text = body): string =>
  `${bulk}Content-Length: ${length}\r\n\r\n${text}`
const coded = (
  coding: string,
  text = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
): string => `${bulk}Transfer-Encoding: ${coding}\r\n\r\n${text}`
const chunked = (text: string): string => coded('chunked', text)
const check = '/api/check-url?url=found.weir.test'

type Bytes = string | Uint8Array

/** Refused before weir sees them. */
const bare: readonly (readonly [string, Bytes, number])[] = [
  [
    'both Content-Length and Transfer-Encoding',
    sized('5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${hidden}`),
    400,
  ],
  [
    'the same the other way round',
    coded('chunked\r\nContent-Length: 5', `0\r\n\r\n${hidden}`),
    400,
  ],
  ['two lengths that differ', sized('2\r\nContent-Length: 40', `{}${hidden}`), 400],
  ['a list of lengths', sized('2, 2', '{}'), 400],
  ['two lengths in one', sized('2 2', '{}'), 400],
  ['a negative length', sized('-1'), 400],
  ['a length with a sign', sized('+25'), 400],
  ['a length in hexadecimal', sized('0x19'), 400],
  ['an empty length', sized(''), 400],
  ['a length past 64 bits', sized('99999999999999999999'), 400],
  ['a length before a space', sized('25').replace('Length:', 'Length :'), 400],
  ['a coding before a space', coded('chunked').replace('Encoding:', 'Encoding :'), 400],
  ['gzip under chunked', coded('gzip, chunked'), 400],
  ['a coding that is none', coded('xchunked'), 400],
  ['the coding identity', coded('identity'), 400],
  ['chunked twice', coded('chunked, chunked'), 400],
  ['chunked on two lines', coded('chunked\r\nTransfer-Encoding: chunked'), 400],
  ['chunked after a vertical tab', coded('\vchunked'), 400],
  ['chunked in HTTP/1.0', coded('chunked').replace('1.1', '1.0'), 400],
  ['a chunk size that is no number', chunked(`ZZ\r\n${body}\r\n0\r\n\r\n`), 400],
  ['a negative chunk size', chunked(`-1\r\n${body}\r\n0\r\n\r\n`), 400],
  ['a chunk size past 64 bits', chunked(`FFFFFFFFFFFFFFFFF\r\n${body}\r\n0\r\n\r\n`), 400],
  ['a chunk without its line end', chunked(`2\r\n{}0\r\n\r\n${hidden}`), 400],
  ['a chunk that ends in a line feed', chunked(`2\n{}\n0\n\n${hidden}`), 400],
  ['an endless chunk extension', chunked(`2;${'a'.repeat(20_000)}`), 413],
  ['a folded header', get('/health', `${close}X-A: b\r\n c\r\n`), 400],
  ['a folded first header', get('/health', ` X-A: b\r\n${close}`), 400],
  ['a space before the colon', get('/health', `${close}A : b\r\n`), 400],
  ['a header without a colon', get('/health', `${close}A\r\n`), 400],
  ['a header without a name', get('/health', `${close}: b\r\n`), 400],
  ['NUL in a header', get('/health', `${close}A: b\0c\r\n`), 400],
  ['a lone carriage return in a header', get('/health', `${close}A: b\rc\r\n`), 400],
  ['lines that end in a line feed', get('/health').replaceAll('\r\n', '\n'), 505],
  ['no Host', get('/health', 'Connection: close\r\n'), 400],
  ['a target without a slash', get('health'), 400],
  ['the target *', get('*'), 400],
  ['a target of another scheme', get('ftp://weir.test/health'), 400],
  ['NUL in the target', get('/hea\0lth'), 505],
  ['a space in the target', get('/hea lth'), 505],
  ['a tab in the target', get('/hea\tlth'), 505],
  ['a carriage return in the target', get('/hea\rlth'), 505],
  ['NUL in the method', get('/health').replace('GET', 'G\0T'), 505],
  ['a method with a sign', get('/health').replace('GET', 'G@T'), 400],
  ['another version', get('/health').replace('HTTP/1.1', 'HTTP/1.2'), 505],
  ['HTTP/2 by itself', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['no version', 'GET /health\r\n\r\n', 505],
  ['TLS', Buffer.from('16030100b5010000b10303', 'hex'), 400],
  ['17 KB of URL', get(`${check}&x=${'a'.repeat(17_000)}`), 431],
  ['20 KB of header', get('/health', `${close}A: ${'a'.repeat(20_000)}\r\n`), 431],
  ['203 headers', get('/health', close + 'A: b\r\n'.repeat(201)), 431],
  ['a method of 20 KB', get('/health').replace('GET', 'G'.repeat(20_000)), 431],
]

/** Answered by weir as anything else is. */
const odd: readonly (readonly [string, Bytes, number, string])[] = [
  ['a body of 10 GiB, before any of it', sized('10737418240', ''), 413, '5242880'],
  ['another host in the target', get(`http://other.test${check}`), 200, '"found"'],
  ['a user in the target', get(`http://a:b@other.test${check}`), 200, '"found"'],
  ['two hosts', get(check, `${close}Host: other.test\r\n`), 200, '"found"'],
  ['a host that is none', get(check, close.replace('weir.test', 'a b/c?d#e')), 200, '"found"'],
  ['an empty host', get(check, close.replace('weir.test', '')), 200, '"found"'],
  ['150 headers', get(check, close + 'A: b\r\n'.repeat(148)), 200, '"found"'],
  ['raw UTF-8 in the target', get('/api/check-url?url=bücher.weir.test'), 200, 'xn--bcher-kva'],
  ['raw Latin-1 in the target', Buffer.from(get(`${check}&url=ü`), 'latin1'), 400, 'url'],
  [
    'the same length twice',
    sized(`${body.length}\r\nContent-Length: ${body.length}`),
    200,
    '"total":1',
  ],
  ['chunked in capitals', coded('CHUNKED'), 200, '"total":1'],
  ['chunks with extensions', chunked(`19;a=b\r\n${body}\r\n0;c\r\n\r\n`), 200, '"total":1'],
  [
    'no content type',
    `${sized(String(body.length)).replace(/Content-Type.*\r\n/, '')}`,
    415,
    'json',
  ],
  ['a body that is announced', sized(`${body.length}\r\nExpect: 100-continue`), 200, '"total":1'],
  ['a long body that is announced', sized('6291456\r\nExpect: 100-continue', ''), 413, '5242880'],
  ['an upgrade', get(check, `${close}Upgrade: websocket\r\n`), 200, '"found"'],
  ['CONNECT', get('other.test:443').replace('GET', 'CONNECT'), 404, 'Not found'],
  ['TRACE', get(check).replace('GET', 'TRACE'), 405, 'GET, HEAD'],
  ['PUT', get(check).replace('GET', 'PUT'), 405, 'GET, HEAD'],
  [
    'a body under GET that looks like a request',
    get(check, `${close}Content-Length: ${hidden.length}\r\n`) + hidden,
    200,
    '"found"',
  ],
  [
    'a body that is not read and looks like one',
    sized(String(hidden.length), hidden).replace('json', 'jsonp'),
    415,
    'json',
  ],
  [
    'a chunk that looks like one',
    chunked(`${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`),
    400,
    'not valid JSON',
  ],
]

describe('byte by byte', () => {
  let weir: WeirProcess
  beforeAll(async () => {
    weir = await startWeir()
  })
  afterAll(async () => {
    expect((await fetch(`${weir.url}/health`)).status).toBe(200)
    await weir.stop()
  })

  /** Sends bytes on a connection of their own and returns all that comes back. */
  async function answerTo(bytes: Bytes): Promise<string> {
    const connection = await RawConnection.open(weir.url)
    connection.send(bytes)
    const answer = await connection.closed
    checkRawAnswer(String(bytes), Buffer.from(answer))
    return answer
  }

  test.each(bare)('refuses %s', async (_name, bytes, status) => {
    const answer = await answerTo(bytes)
    expect(answer).toMatch(/^HTTP\/1\.1 \d+ [A-Z][^\r\n]*\r\n(?:Connection: close\r\n)?\r\n$/)
    expect(Number(answer.slice(9, 12))).toBe(status)
  })

  test.each(odd)('answers %s', async (_name, bytes, status, text) => {
    const answer = (await answerTo(bytes)).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
    const endOfHead = answer.indexOf('\r\n\r\n')
    const head = answer.slice(0, endOfHead)
    const content = answer.slice(endOfHead + 4)
    expect(head).toStartWith(`HTTP/1.1 ${status} `)
    for (const [name, value] of Object.entries(everywhere)) {
      expect(head.toLowerCase()).toContain(`\r\n${name}: ${value}`)
    }
    // One answer, and nothing of a second.
    expect(head.toLowerCase()).toContain(`\r\ncontent-length: ${Buffer.byteLength(content)}`)
    expect(content).toContain(text)
    expect(content).not.toContain('walBytes')
    expect(answer).not.toContain('other.test')
    if (status < 400) return
    expect(head.toLowerCase()).toContain('\r\ncontent-type: application/problem+json')
    expectProblem(status, content)
  })

  test('closes on methods that nobody knows', async () => {
    for (const method of ['BREW', 'get']) {
      expect(await answerTo(get('/health').replace('GET', method))).toBe('')
    }
  })

  test('answers what stands before a trailer, and takes nothing after it for a request', async () => {
    const answer = await answerTo(
      chunked(`19\r\n${body}\r\n0\r\n${hidden}`).replace('Connection: close\r\n', ''),
    )
    expect(answer).toStartWith('HTTP/1.1 200 OK\r\n')
    expect(answer).toContain('"total":1')
    expect(answer).toEndWith('}HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  })

  test('answers a client that has closed its half of the connection', async () => {
    const connection = await RawConnection.open(weir.url)
    connection.send(get(check).replace('Connection: close\r\n', ''))
    connection.sendNoMore()
    expect(await connection.closed).toContain('"found"')
  })
})
