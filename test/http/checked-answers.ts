/**
 * Checks every answer that a test receives from weir against the definition of the endpoint: status, headers and body.
 * Loaded before all tests (`bunfig.toml`); a test fails when an answer that came during it is not as declared.
 *
 *   fetch ──▶ answer ──▶ test
 *               └ copy ──▶ declarations ──▶ complaints ──▶ afterEach
 *
 * Only servers that are named here are checked: tests have feeds and name servers of their own as well.
 */

import { afterEach, expect } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { App } from '../../src/http/app.ts'
import type { Declarations } from './contract/declared.ts'

const origins = new Set<string>()
const complaints: string[] = []
const unchecked = new Set<Promise<void>>()
let declarations: Declarations | null = null

/** Checks the answers of a server until it stops. */
export function checked<Server extends Bun.Server<undefined>>(server: Server): Server {
  const release = checkAnswersFrom(server.url.origin)
  const stop = server.stop.bind(server)
  server.stop = (isAtOnce) => {
    release()
    return stop(isAtOnce)
  }
  return server
}

/** Checks what is answered at an address, until the function that is returned is called. */
export function checkAnswersFrom(origin: string): () => void {
  origins.add(origin)
  return () => origins.delete(origin)
}

/** Serves an app on a free port of 127.0.0.1, and checks its answers. */
export const serveChecked = ({ serveOptions, fetch }: App): Bun.Server<undefined> =>
  checked(Bun.serve({ ...serveOptions, fetch, hostname: '127.0.0.1', port: 0 }))

/** Returns the `fetch` of an app that no server is between, with its answers checked. */
export const checkedFetch =
  ({ fetch: ask }: App) =>
  async (request: Request): Promise<Response> => {
    const answer = await ask(request)
    const received = { method: request.method, paths: [pathIn(request.url)], isCoded: true }
    // The server would drop the body of an answer to HEAD.
    check(received, request.method === 'HEAD' ? new Response(null, answer) : answer.clone())
    return answer
  }

/** Checks the first answer to what was sent on a connection; one without a length is not read. */
export function checkRawAnswer(sent: string, received: Buffer): void {
  const [, method, target = ''] = /^([A-Z]+) (\S+) HTTP/.exec(sent) ?? []
  const answer = received.toString('latin1').replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '')
  const [head = ''] = answer.split('\r\n\r\n', 1)
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((line) => splitHeader(line)))
  const length = headers.get('content-length')
  if (method === undefined || length === null) return
  const start = head.length + '\r\n\r\n'.length
  const body = Buffer.from(answer.slice(start, start + Number(length)), 'latin1')
  const status = Number(first.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
  // Without a usable host the target is not resolved.
  const [written = ''] = target.split('?', 1)
  const paths = [URL.parse(target, 'http://weir.test')?.pathname ?? written, written]
  const copy = new Response(body.length === 0 ? null : body, { status, headers })
  check({ method, paths, isCoded: true }, copy)
}

function splitHeader(line: string): [string, string] {
  const colonAt = line.indexOf(':')
  return [line.slice(0, colonAt), line.slice(colonAt + 1).trim()]
}

const pathIn = (url: string): string => new URL(url).pathname

interface Received {
  readonly method: string
  /** As what the server may have read the path. */
  readonly paths: readonly string[]
  /** Whether the body still has its content coding. */
  readonly isCoded: boolean
}

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
}

type Copy = ReturnType<Response['clone']>

async function textOf(answer: Copy, isCoded: boolean): Promise<string> {
  const bytes = await answer.bytes()
  const decode = isCoded ? decoders[answer.headers.get('content-encoding') ?? ''] : undefined
  return new TextDecoder().decode(
    decode === undefined || bytes.length === 0 ? bytes : decode(bytes),
  )
}

async function complain({ method, paths, isCoded }: Received, answer: Copy): Promise<void> {
  // A test that gives up an answer has not received it.
  const text = await textOf(answer, isCoded).catch(() => null)
  if (text === null) return
  const { Declarations: Loaded } = await import('./contract/declared.ts')
  declarations ??= new Loaded()
  const declared = declarations
  const { status } = answer
  const headers = new Headers([...answer.headers])
  const found = paths.map((path) => declared.complaints(method, path, { status, headers, text }))
  if (found.some((each) => each.length === 0)) return
  for (const each of found.flat()) complaints.push(`${status} of ${method} ${paths[0]}: ${each}`)
}

function check(received: Received, copy: Copy): void {
  const checking = complain(received, copy).catch((error: unknown) => {
    complaints.push(String(error))
  })
  unchecked.add(checking)
  void checking.finally(() => unchecked.delete(checking))
}

const plainFetch = globalThis.fetch

async function fetchChecked(
  input: string | URL | Request,
  init?: BunFetchRequestInit,
): Promise<Response> {
  const answer = await plainFetch(input, init)
  const url = input instanceof Request ? input.url : String(input)
  if (!origins.has(new URL(url).origin)) return answer
  const asked = input instanceof Request ? input.method : (init?.method ?? 'GET')
  // Unlike what was asked for, the method of a request is what is sent.
  const { method } = new Request(url, { method: asked })
  check({ method, paths: [pathIn(url)], isCoded: init?.decompress === false }, answer.clone())
  return answer
}

globalThis.fetch = Object.assign(fetchChecked, plainFetch)

afterEach(async () => {
  await Promise.all(unchecked)
  expect(complaints.splice(0)).toEqual([])
})
