/**
 * Asks the domain name system for addresses, with a deadline of its own.
 *
 * Asks servers and nothing else: `/etc/hosts` and the system's search list have no say, so that no
 * file of this machine turns a public name into an inner address. The runtime rounds its own
 * time-outs up to whole seconds and tries again after them, so every question races a timer.
 */

import { promises as dns } from 'node:dns'
import { parseDomainName } from '../model/domain.ts'
import type { Result } from '../model/result.ts'

/**
 * Why a name has no answer.
 *
 * `no_address` stands for a name that does not exist too: the runtime does not tell the two apart.
 */
export type ResolveFailure =
  | 'invalid_name'
  | 'no_address'
  | 'server_failed'
  | 'timeout'
  | 'cancelled'

/** What a resolver is made of. */
export interface ResolverOptions {
  /** Servers to ask, each `address` or `address:port`; none: those of the system. */
  readonly servers: readonly string[]
  /** How long one call may take at most. */
  readonly deadlineMs?: number
}

const deadlineMsDefault = 2_000

/** More than one server can be asked within the default deadline. */
const attempts = { timeout: 1_000, tries: 2 } as const

/** Answers over this are left unread: no name needs more. */
const answersMax = 16

type Answer = Result<readonly string[], ResolveFailure>

function failureOf(error: unknown): ResolveFailure {
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return 'no_address'
    case 'ETIMEOUT':
      return 'timeout'
    case 'ECANCELLED':
      return 'cancelled'
    default:
      return 'server_failed'
  }
}

async function answerOf(question: Promise<string[]>): Promise<Answer> {
  try {
    return { ok: true, value: await question }
  } catch (error) {
    return { ok: false, reason: failureOf(error) }
  }
}

/** Which failure to tell of two: the one that may be gone when asked again, if there is one. */
function graver(first: ResolveFailure, second: ResolveFailure): ResolveFailure {
  return first === 'no_address' ? second : first
}

/** Asks for the addresses of names. */
export class Resolver {
  readonly #dns = new dns.Resolver(attempts)
  readonly #deadlineMs: number

  /** Throws a `TypeError` where one of the servers is no address. */
  constructor(options: ResolverOptions) {
    this.#deadlineMs = options.deadlineMs ?? deadlineMsDefault
    if (options.servers.length > 0) this.#dns.setServers(options.servers)
  }

  /**
   * Returns at most 16 addresses of a name, IPv4 before IPv6, or why there is none.
   *
   * One family is enough: what the other's servers fail to say cannot be dialled.
   */
  async addresses(name: string, signal?: AbortSignal): Promise<Answer> {
    const parsed = parseDomainName(name)
    if (!parsed.ok) return { ok: false, reason: 'invalid_name' }
    if (signal?.aborted) return { ok: false, reason: 'cancelled' }
    const given = Promise.withResolvers<Answer>()
    const giveUp = (reason: ResolveFailure) => () => given.resolve({ ok: false, reason })
    const onAbort = giveUp('cancelled')
    const timer = setTimeout(giveUp('timeout'), this.#deadlineMs)
    signal?.addEventListener('abort', onAbort)
    try {
      // The dot at the end makes the name absolute.
      const absolute = `${parsed.value}.`
      const [ipv4, ipv6] = await Promise.all([
        Promise.race([answerOf(this.#dns.resolve4(absolute)), given.promise]),
        Promise.race([answerOf(this.#dns.resolve6(absolute)), given.promise]),
      ])
      if (!ipv4.ok && !ipv6.ok) return { ok: false, reason: graver(ipv4.reason, ipv6.reason) }
      const found = [...(ipv4.ok ? ipv4.value : []), ...(ipv6.ok ? ipv6.value : [])]
      return { ok: true, value: found.slice(0, answersMax) }
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Ends every question under way; each is answered with `cancelled`. */
  cancel(): void {
    this.#dns.cancel()
  }
}
