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
    const received = { method: request.method, url: request.url, isCoded: true }
    // The server would drop the body of an answer to HEAD.
    check(received, request.method === 'HEAD' ? new Response(null, answer) : answer.clone())
    return answer
  }

interface Received {
  readonly method: string
  readonly url: string
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

async function complain({ method, url, isCoded }: Received, answer: Copy): Promise<void> {
  // A test that gives up an answer has not received it.
  const text = await textOf(answer, isCoded).catch(() => null)
  if (text === null) return
  const { Declarations: Loaded } = await import('./contract/declared.ts')
  declarations ??= new Loaded()
  const { status } = answer
  const headers = new Headers([...answer.headers])
  const { pathname } = new URL(url)
  for (const complaint of declarations.complaints(method, pathname, { status, headers, text })) {
    complaints.push(`${status} of ${method} ${pathname}: ${complaint}`)
  }
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
  check({ method, url, isCoded: init?.decompress === false }, answer.clone())
  return answer
}

globalThis.fetch = Object.assign(fetchChecked, plainFetch)

afterEach(async () => {
  await Promise.all(unchecked)
  expect(complaints.splice(0)).toEqual([])
})
