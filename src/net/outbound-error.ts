/**
 * Failures of a request to the outside, each with what to do next.
 *
 * Messages name the host and never the rest of the address nor a header: both may hold keys.
 */

/** What to do next, by why a request failed; each is the end of a sentence. */
const hints = {
  bad_url: 'give an http or https address without a user name and a password',
  bad_header: 'look for line breaks and letters outside ASCII in the key or header',
  bad_proxy: 'name the proxy as http://host:port',
  proxy_refused: 'check what the proxy allows',
  not_resolved: 'check the name, and the name servers that weir asks',
  address_refused: 'weir contacts public addresses only; import what lies inside from a file',
  unreachable: 'check that the host is up and that weir may reach it',
  tls_failed: 'check the address; its certificate has to be valid for the host today',
  timeout: 'try again later, or allow more time',
  cancelled: 'start it again when weir runs',
  bad_answer: 'check the address; a web server has to answer there',
  redirect_refused: 'give the address it leads to, if that can be trusted',
  too_large: 'check what the address answers, or allow a larger body',
  unsupported_encoding: 'check the address; the server sends what weir did not ask for',
  damaged_body: 'try again later',
} as const

/** Why a request to the outside failed. */
export type OutboundFailure = keyof typeof hints

/** A request that failed, with what to do next. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundFailure
  /** Whom it was to reach. */
  readonly host: string
  readonly hint: string

  /** `what` says what happened, as the end of "the request to … failed:". */
  constructor(reason: OutboundFailure, host: string, what: string, cause?: unknown) {
    const hint = hints[reason]
    super(`the request to ${host} failed: ${what}; ${hint}`, { cause })
    this.reason = reason
    this.host = host
    this.hint = hint
  }
}

/** Returns a system's or parser's code for an error, such as `ECONNREFUSED`. */
export function findErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code'
}
