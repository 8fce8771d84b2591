/**
 * Who calls in a soak, and what they remember from one call to the next.
 *
 * They come as many clients, in turn, so that limits count them all and refuse none but the greedy one.
 */

/** One call. */
export interface Call {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Every status that is right. */
  readonly expected: readonly number[]
  /** Hears of the answer, and says what is wrong with it, if anything is. */
  readonly take?: (answer: Answer) => string | null
  /** Hears that the call is over, however it ended. */
  readonly settled?: () => void
}

/** What came back; `text` reads a body that was not compressed. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  text(): string
}

/** How many clients the load comes from; with each kind's pace none of them comes near a limit. */
const clients = 2_000

const encodings = [
  '',
  'identity',
  'gzip',
  'br',
  'zstd',
  'gzip, deflate, br, zstd',
  'gzip;q=0.5, br;q=0.1',
  'br;q=0, *;q=0.1',
  '*',
  'deflate',
  'gzip;q=nonsense',
] as const

/** Every second client has an IPv6 address. */
function clientAt(index: number): string {
  const number = index % clients
  return number % 2 === 0
    ? `198.18.${number >>> 8}.${number & 255}`
    : `2001:db8:0:${number.toString(16)}::1`
}

/** Returns the header by which a call comes from the `index`th client. */
export const from = (index: number): Record<string, string> => ({
  'x-forwarded-for': clientAt(index),
})

/** Returns an element by turns. */
export function turn<Value>(values: readonly [Value, ...Value[]], index: number): Value {
  return values[index % values.length] ?? values[0]
}

/** Where the block list is. */
export const blacklistPath = '/api/v1/blacklist'

/** The newest ETag of each path that is asked with conditions; there are as many as such paths. */
export class Tags {
  readonly #tags = new Map<string, string>()

  /** Makes every second call conditional, in every encoding by turns. */
  call(path: string, index: number): Call {
    const tag = index % 2 === 0 ? undefined : this.#tags.get(path)
    const encoding = turn(encodings, index)
    return {
      path,
      headers: {
        ...from(index),
        ...(encoding === '' ? {} : { 'accept-encoding': encoding }),
        ...(tag === undefined ? {} : { 'if-none-match': tag }),
      },
      expected: tag === undefined ? [200] : [200, 304],
      take: ({ headers }) => {
        const newest = headers.get('etag')
        if (newest === null) return 'it has no ETag'
        this.#tags.set(path, newest)
        return null
      },
    }
  }
}

/** Follows the links of the block list to its end, and begins again. */
export class Walker {
  #path: string = `${blacklistPath}?limit=1000`

  call(index: number): Call {
    return {
      path: this.#path,
      headers: { ...from(index), 'accept-encoding': turn(encodings, index) || 'identity' },
      expected: [200],
      take: ({ headers }) => {
        const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
        const url = URL.parse(next ?? '')
        this.#path = url === null ? `${blacklistPath}?limit=1000` : `${url.pathname}${url.search}`
        return null
      },
    }
  }
}

/** Follows the changes by their cursor, one call after the other, as a copy of the list is kept. */
export class ChangesFollower {
  #cursor: string | null = null
  #isAsking = false

  call(index: number): Call | null {
    if (this.#isAsking) return null
    this.#isAsking = true
    const cursor = this.#cursor === null ? '' : `&cursor=${encodeURIComponent(this.#cursor)}`
    return {
      path: `${blacklistPath}/changes?limit=1000${cursor}`,
      headers: { ...from(index), 'accept-encoding': 'identity' },
      expected: [200],
      take: (answer) => {
        const { cursor: next } = JSON.parse(answer.text())
        if (typeof next !== 'string') return 'it has no cursor'
        this.#cursor = next
        return null
      },
      settled: () => {
        this.#isAsking = false
      },
    }
  }
}
