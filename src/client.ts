/**
 * The typed client of weir, for programs in TypeScript:
 *
 *     import { createWeirClient } from 'weir/client'
 *
 *     const weir = createWeirClient('https://weir.example.org')
 *     const { data, error } = await weir.api['check-url'].get({ query: { url: 'found.weir.test' } })
 *     if (error === null) console.log(data.status)
 *
 * Paths, parameters, answers and refusals are typed by the API's contract. What weir answers is a value,
 * refusals and 304 included (`error.status`, `error.value`); only when it does not answer is an error
 * thrown. No part of the server is loaded.
 */

import { type Treaty, treaty } from '@elysiajs/eden/treaty2'
import type { WeirApi } from './http/contract/api.ts'

export type {
  BlacklistEntry,
  BlacklistPage,
  BulkItem,
  BulkVerdicts,
  Changes,
  EmailAssessment,
  Ioc,
  PhoneVerdict,
  Problem,
  Readiness,
  Reason,
  Removal,
  StixBundle,
  StixObject,
  TaxiiEnvelope,
  TaxiiError,
  UrlVerdict,
  VerdictStatus,
  WeirApi,
} from './http/contract/api.ts'

/**
 * One call for each path and method of the API. The block list is typed as a page or a text, since that
 * depends on `format`: `typeof data === 'string'` tells them apart.
 */
export type WeirClient = Treaty.Create<WeirApi>

/** How a client calls; each call may say otherwise by its own `headers` and `fetch`. */
export interface WeirClientOptions {
  /** How long an answer may take, its body included. */
  readonly timeoutMs?: number
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Enough for a whole list over a slow line. */
const defaultTimeoutMs = 30_000

/** weir did not answer: it cannot be reached, or it took too long. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(baseUrl: string, cause: Error) {
    const why = `${cause.name}: ${cause.message}`
    super(`${baseUrl} does not answer (${why}); see whether weir runs there and can be reached`, {
      cause,
    })
  }
}

/** Returns an address without a slash at its end; throws when it is none that can be called. */
function addressOf(baseUrl: string): string {
  const { protocol, origin, pathname } = URL.parse(baseUrl) ?? { protocol: '' }
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new TypeError(`${baseUrl} is no address; give one such as https://weir.example.org`)
  }
  return `${origin}${pathname}`.replace(/\/$/, '')
}

/** Returns a client of the weir at `baseUrl`. */
export function createWeirClient(baseUrl: string, options: WeirClientOptions = {}): WeirClient {
  const { timeoutMs = defaultTimeoutMs, headers = {} } = options
  const address = addressOf(baseUrl)
  return treaty<WeirApi>(address, {
    headers: { ...headers },
    // Times stay the texts that the types say they are.
    parseDate: false,
    onRequest: (_path, { signal }) => ({ signal: signal ?? AbortSignal.timeout(timeoutMs) }),
    onResponse: (response) => (response.ok ? bodyOf(response) : undefined),
    throwHttpError: ({ value }) => {
      // An answer's value is never an error: this one stands for no answer.
      if (value instanceof Error) throw new NoAnswerError(address, value)
      return false
    },
  })
}

/** JSON, and what is written in it: STIX and TAXII. */
const jsonForm = /^application\/(?:[a-z]+\+)?json(?:;|$)/

/** Reads a body as its media type says; left alone, Eden would take texts apart and read figures. */
function bodyOf(response: Response): Promise<unknown> {
  const mediaType = response.headers.get('content-type') ?? ''
  return jsonForm.test(mediaType) ? response.json() : response.text()
}
