/**
 * Compression of large answers by what the client accepts (RFC 9110, 12.5.3), on the thread pool so
 * that the serving thread does not wait.
 */

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'

/** Shorter texts fit into a few packets as they are. */
const compressedBytesMin = 4096

/** What an answer is made of. */
export type Content = string | Uint8Array<ArrayBuffer>

const brotli = promisify(brotliCompress)
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** Best first: how small a list becomes, then how little time it takes. */
const codings = {
  zstd: promisify(zstdCompress),
  br: (content: Content) => brotli(content, brotliOptions),
  gzip: promisify(gzip),
} as const

/** A content coding that weir writes. */
export type Coding = keyof typeof codings

const codingNames = ['zstd', 'br', 'gzip'] as const satisfies readonly Coding[]

/** Reads `Accept-Encoding` into the codings that are accepted, `*` included. */
function acceptedCodings(header: string): ReadonlySet<string> {
  const accepted = new Set<string>()
  const refused = new Set<string>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    const names = isRefused ? refused : accepted
    names.add(name)
  }
  if (!accepted.has('*')) return accepted
  return new Set(codingNames.filter((name) => accepted.has(name) || !refused.has(name)))
}

/** Returns the best coding that `Accept-Encoding` allows, or null for none. */
export function chooseCoding(header: string | null): Coding | null {
  if (header === null) return null
  const accepted = acceptedCodings(header)
  return codingNames.find((name) => accepted.has(name)) ?? null
}

/** Returns the best coding for an answer of this size to a request, or null for none. */
export function codingFor(request: Request, bytes: number): Coding | null {
  return bytes < compressedBytesMin ? null : chooseCoding(request.headers.get('accept-encoding'))
}

/** Compresses on the thread pool. */
export async function compress(content: Content, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  return await codings[coding](content)
}

/**
 * Answers 200 with `content`, compressed when it is long and the request allows it. That the answer
 * varies by `Accept-Encoding` is for the caller to say, since a 304 must say it too.
 */
export async function compressedAnswer(
  request: Request,
  content: Content,
  headers: Headers,
): Promise<Response> {
  const coding = codingFor(request, content.length)
  if (coding === null) return new Response(content, { headers })
  headers.set('content-encoding', coding)
  return new Response(await compress(content, coding), { headers })
}
