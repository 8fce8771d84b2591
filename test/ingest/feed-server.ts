/** A publisher: a local HTTP server that serves lists with ETags, and other configured answers. */

import { Outbound } from '../../src/net/outbound.ts'

/** How a path is answered. */
export interface Answer {
  readonly status?: number
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
  /** Whether to answer conditional requests; true by default. */
  readonly hasEtag?: boolean
}

/** A request that the publisher received. */
export interface Seen {
  readonly path: string
  readonly headers: Headers
  /** The status of its answer. */
  readonly status: number
}

export class FeedServer implements AsyncDisposable {
  readonly #answers = new Map<string, Answer>()
  readonly seen: Seen[] = []
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => this.#answer(request),
  })

  /** Sets how a path is answered from now on. */
  serve(path: string, answer: Answer): void {
    this.#answers.set(path, answer)
  }

  url(path: string): string {
    return new URL(path, this.#server.url).href
  }

  /** An HTTP client that may connect to it, although its address is private. */
  readonly outbound = new Outbound({
    resolver: { addresses: async () => ({ ok: true, value: ['127.0.0.1'] }) },
    proxy: null,
    userAgent: 'weir/test',
    testing: { allowLoopback: true },
  })

  #answer(request: Request): Response {
    const { pathname, search } = new URL(request.url)
    const path = `${pathname}${search}`
    const {
      status = 200,
      body = '',
      headers = {},
      hasEtag = true,
    } = this.#answers.get(path) ?? {
      status: 404,
    }
    const etag = `"${Bun.hash(body).toString(16)}"`
    const isKnown = hasEtag && status === 200 && request.headers.get('if-none-match') === etag
    const answered = isKnown ? 304 : status
    this.seen.push({ path, headers: request.headers, status: answered })
    return new Response(isKnown ? null : body, {
      status: answered,
      headers: { ...headers, ...(hasEtag ? { etag } : {}) },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
  }
}
