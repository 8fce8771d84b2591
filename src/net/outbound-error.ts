/**
 * Failures of an outbound request, each with what to do next.
 *
 * Messages name the host, never the rest of the URL or a header: both may hold keys.
 */

/** What to do next for each failure, as the end of a sentence. */
const hints = {
  bad_url: 'give an http or https URL without a user name or password',
  bad_header: 'remove line breaks and non-ASCII letters from the key or header',
  bad_proxy: 'write the proxy as http://host:port',
  proxy_refused: 'check what the proxy allows',
  not_resolved: 'check the name, and the name servers that weir asks',
  address_refused: 'weir connects to public addresses only; import internal data from a file',
  unreachable: 'check that the host is up and that weir may reach it',
  tls_failed: 'check the URL; the host must have a valid certificate',
  timeout: 'try again later, or allow more time',
  cancelled: 'try again while weir is running',
  bad_answer: 'check the URL; a web server must answer there',
  redirect_refused: 'use the URL it redirects to, if you trust it',
  too_large: 'check what the URL returns, or allow a larger body',
  unsupported_encoding: 'check the URL; the server sends an encoding that weir did not accept',
  damaged_body: 'try again later',
} as const

/** Why an outbound request failed. */
export type OutboundFailure = keyof typeof hints

/** A failed request, with what to do next. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundFailure
  /** The host that was to be reached. */
  readonly host: string
  readonly hint: string

  /** `what` is what happened, as the end of "the request to … failed:". */
  constructor(reason: OutboundFailure, host: string, what: string, cause?: unknown) {
    const hint = hints[reason]
    super(`the request to ${host} failed: ${what}; ${hint}`, { cause })
    this.reason = reason
    this.host = host
    this.hint = hint
  }
}

/** Returns the code of an error of the system or the HTTP parser, such as `ECONNREFUSED`. */
export function findErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no code'
}
