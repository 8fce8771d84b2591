/**
 * What people look up is never logged or stored. One word is sent to a server in every part of every
 * kind of request, at its most verbose level; then it is searched for in all the server has said and
 * written.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DataDir, importList, Server } from './process.ts'

const canary = 'Zq7Canary9xK'
const addresses = ['203.0.113.199', '2001:db8:7e57::51']

/** Returns what of a text's base64 does not depend on what surrounds it, `before` bytes in. */
function base64Core(text: string, before: number): string {
  const encoded = Buffer.from('?'.repeat(before) + text).toString('base64')
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6))
}

const hexOf = (text: string): string => Buffer.from(text).toString('hex')
const cases = [canary, canary.toLowerCase(), canary.toUpperCase()]

/** Each way of writing it, as it appears in a text of lower case; base64 in a text as it is. */
const spellings: readonly (readonly [string, string])[] = [
  ['plain', canary],
  ['percent', hexOf(canary).replace(/../g, '%$&')],
  ['twice percent', hexOf(canary).replace(/../g, '%25$&')],
  ['hex', hexOf(canary)],
  ['hex of lower case', hexOf(canary.toLowerCase())],
  ['UTF-16', [...canary].join('\0')],
  ['backwards', [...canary].reverse().join('')],
  ...addresses.map((address) => ['address', address] as const),
]
const encodings = cases.flatMap((text) => [0, 1, 2].map((before) => base64Core(text, before)))

/** Names every way in which bytes hold the word. */
function findings(bytes: Buffer | string): string[] {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1')
  const lower = text.toLowerCase()
  const found = spellings.filter(([, spelling]) => lower.includes(spelling.toLowerCase()))
  const isEncoded = encodings.some((encoding) => text.includes(encoding))
  return [...found.map(([name]) => name), ...(isEncoded ? ['base64'] : [])]
}

/** Returns the files of a directory that hold the word, with the ways in which they do. */
function findingsIn(directory: string): string[] {
  const files = readdirSync(directory, { withFileTypes: true, recursive: true })
  return files
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => findings(readFileSync(path)).map((way) => `${path}: ${way}`))
}

const percent = (text: string): string => hexOf(text).replace(/../g, '%$&')
const names = [
  ...['User-Agent', 'Referer', 'Cookie', 'Authorization', 'Origin', 'If-None-Match', 'Accept'],
  ...['X-Request-Id', 'Forwarded', `X-${canary}`],
]
const headers = [
  `Host: ${canary}.example`,
  ...names.map((name) => `${name}: "${canary}"`),
  `X-Forwarded-For: ${canary}, ${addresses.join(', ')}`,
].join('\r\n')

const request = (start: string, ...more: readonly string[]): string =>
  `${[`${start} HTTP/1.1`, headers, 'Connection: close', ...more].join('\r\n')}\r\n\r\n`

const get = (target: string): string => request(`GET ${target}`)
const check = (url: string): string => get(`/api/check-url?url=${encodeURIComponent(url)}`)

function post(body: string, contentType = 'application/json'): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`
  return `${request('POST /api/v1/check/bulk', `Content-Type: ${contentType}`, length)}${body}`
}

function chunked(body: string, size = body.length.toString(16)): string {
  const coding = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
  const chunks = `${size}\r\n${body}\r\n0\r\n\r\n`
  return `${request('POST /api/v1/check/bulk', ...coding)}${chunks}`
}

/** What is sent, and the status that comes back. */
const requests: readonly (readonly [string, string, number])[] = [
  ['a URL of a name', check(`https://${canary}.example/`), 200],
  ['a URL under a listed name', check(`https://${canary}.listed.example/${canary}`), 200],
  [
    'a URL next to a listed page',
    check(`https://pages.example/${canary}?${canary}#${canary}`),
    200,
  ],
  ['a URL in a URL', check(`https://a.example/?to=https://${canary}.listed.example`), 200],
  ['a defanged URL', check(`hxxps://${canary}[.]example`), 200],
  ['a URL with a password', check(`https://${canary}:${canary}@a.example/`), 200],
  ['an encoded URL', get(`/api/check-url?url=${percent(`https://${canary}.example`)}`), 200],
  ['another parameter', get(`/api/check-url?url=a.example&${canary}=${canary}`), 200],
  ['a wrong scheme', check(`javascript:alert('${canary}')`), 400],
  ['a wrong port', check(`http://${canary}.example:99999999/`), 400],
  ['a wrong host', check(`http://[${canary}]/`), 400],
  ['a single label', check(`http://${canary}/`), 400],
  ['a wrong escape', get(`/api/check-url?url=%FF%00${canary}%zz`), 400],
  ['two URLs', get(`/api/check-url?url=${canary}&url=${canary}`), 400],
  ['a long URL', check(`https://a.example/${canary.repeat(700)}`), 400],
  ['a URL longer than Bun reads', check(`https://a.example/${canary.repeat(2_000)}`), 431],
  ['many', post(JSON.stringify({ urls: [`https://${canary}.example`], hashes: [canary] })), 200],
  ['listed ones', post(JSON.stringify({ domains: [`${canary}.listed.example`] })), 200],
  ['an unknown field', post(JSON.stringify({ [canary]: [canary] })), 400],
  ['a wrong type', post(JSON.stringify({ urls: canary })), 400],
  ['broken JSON', post(`{"urls":["${canary}`), 400],
  ['no JSON', post(canary), 400],
  ['another content type', post(`url=${canary}`, `text/${canary}`), 415],
  ['a large body', post(JSON.stringify({ urls: [canary.repeat(450_000)] })), 413],
  ['chunks', chunked(`{"domains":["${canary}.x.test"]}`), 200],
  ['wrong chunks', chunked('', canary), 400],
  [
    'a body where none belongs',
    `${request('GET /api/check-url?url=x', 'Content-Length: 12')}${canary}`,
    400,
  ],
  ['a page of the list', get(`/api/v1/blacklist?${canary}=${canary}`), 200],
  [
    'a wrong format',
    get(`/api/v1/blacklist?format=${canary}&since=${canary}&limit=${canary}`),
    400,
  ],
  ['a wrong cursor', get(`/api/v1/blacklist?cursor=${canary}`), 400],
  ['a wrong cursor of changes', get(`/api/v1/blacklist/changes?cursor=${canary}`), 400],
  [
    'a preflight',
    request('OPTIONS /api/check-url', `Access-Control-Request-Headers: ${canary}`),
    405,
  ],
  [
    'a preflight with CORS',
    request('OPTIONS /api/v1/blacklist', `Access-Control-Request-Method: ${canary}`),
    204,
  ],
  ['an unknown path', get(`/${canary}`), 404],
  ['an unknown path below', get(`/api/v1/${canary}/${percent(canary)}?${canary}`), 404],
  ['an unknown list', get(`/lists/${canary}`), 404],
  ['a path above', get(`/../${canary}/%2e%2e/`), 404],
  ['a wrong method', request(`DELETE /api/check-url?url=${canary}`), 405],
  ['a method of its own', request(`${canary.toUpperCase()} /health`), 400],
  ['readiness', get(`/ready?${canary}`), 200],
  ['another version', `GET /${canary} HTTP/9.9\r\nHost: ${canary}\r\n\r\n`, 505],
  ['no host', `GET /${canary} HTTP/1.1\r\nX: ${canary}\r\n\r\n`, 400],
  ['no colon', `GET / HTTP/1.1\r\nHost: a\r\n${canary}\r\n\r\n`, 400],
  ['no line', `${canary}\r\n\r\n`, 400],
  ['two lengths', request('POST /', 'Content-Length: 1', `Content-Length: ${canary}`), 400],
  ['two codings', request('POST /', `Transfer-Encoding: ${canary}`, 'Content-Length: 5'), 400],
  ['a large header', request('GET /health', `X: ${canary.repeat(2_000)}`), 431],
  ['many headers', request('GET /health', ...Array(300).fill(`X: ${canary}`)), 431],
]

/** Sends bytes on a connection of their own; resolves with the status of the first answer. */
function statusOf(url: string, bytes: string): Promise<number | null> {
  const { hostname, port } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const socket = connect(Number(port), hostname, () => socket.write(bytes))
  socket.on('data', (said) => {
    resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(said.toString('latin1'))?.[1]))
    socket.destroy()
  })
  socket.on('close', () => resolve(null))
  // A server that has refused does not read what is still on its way.
  socket.on('error', () => resolve(null))
  return promise
}

/** Sends the beginning of a request and goes away. */
async function leaveAfter(url: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(Number(port), hostname, () => socket.end(bytes))
  socket.on('close', () => resolve())
  socket.on('error', () => resolve())
  socket.resume()
  await promise
}

describe('the search for the word', () => {
  const hidden = [
    canary,
    canary.toUpperCase(),
    `x${canary.toLowerCase()}x`,
    percent(canary),
    percent(canary).toUpperCase(),
    ...['', 'a', 'ab'].map((before) => Buffer.from(`${before}${canary}!`).toString('base64')),
    Buffer.from(`{"cursor":"${canary.toLowerCase()}"}`).toString('base64url'),
    Buffer.from(canary, 'utf16le'),
    Buffer.from(canary).toString('hex'),
    `client ${addresses[0]} called`,
  ]

  test.each(hidden)('finds it in %p', (bytes) => {
    expect(findings(bytes)).not.toEqual([])
  })

  test('finds nothing in what does not hold it', () => {
    expect(findings('canary9 Zq7 https://listed.example/ 203.0.113.1')).toEqual([])
  })
})

describe('a word in every part of every kind of request', () => {
  const dataDir = new DataDir()
  let server: Server

  beforeAll(async () => {
    await importList(['-', '--source', 'list'], {
      dataDir,
      input: 'listed.example\nhttps://pages.example/login\n',
    })
    server = await Server.start(dataDir, {
      WEIR_LOG: 'trace',
      // The client's address is then what the header says, and is counted.
      WEIR_TRUSTED_PROXIES: '127.0.0.1',
      WEIR_LIMIT_EXEMPT: '',
      WEIR_LIMIT_CHECK_URL: '100000/1m',
      WEIR_LIMIT_BULK: '100000/1m',
      WEIR_LIMIT_BLACKLIST: '100000/1m',
    })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    dataDir[Symbol.dispose]()
  })

  test.each(requests)('is sent as %s', async (_what, bytes, status) => {
    expect(await statusOf(server.url, bytes)).toBe(status)
  })

  test('is sent by callers who leave in the middle', async () => {
    const whole = post(JSON.stringify({ urls: Array(500).fill(`https://${canary}.example`) }))
    for (const length of [10, 200, headers.length + 200, whole.length - 1]) {
      await leaveAfter(server.url, whole.slice(0, length))
    }
  })

  test('is in no metric', async () => {
    expect(findings(await server.text('/metrics'))).toEqual([])
    expect(findings(await server.text('/ready'))).toEqual([])
  })

  test('is in no file of a running server', () => {
    expect(readdirSync(dataDir.path)).toContain('weir.db')
    expect(findingsIn(dataDir.path)).toEqual([])
  })

  test('is in nothing the server has logged or left behind', async () => {
    const { code, err } = await server.stop()
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const said = await server.said()
    const answered = server.logged().filter(({ msg }) => msg === 'answered')
    const statuses = new Set(answered.map(({ status }) => Number(status)))
    expect([...statuses].toSorted()).toEqual([200, 204, 400, 404, 405, 413, 415])
    expect(findings(said)).toEqual([])
    expect(findingsIn(dataDir.path)).toEqual([])
  })
})
