/**
 * Asks the domain name system for addresses and mail servers, with a deadline of its own.
 *
 * Asks servers and nothing else: `/etc/hosts` and the system's search list have no say, so that no
 * file of this machine turns a public name into an inner address. The runtime rounds its own
 * time-outs up to whole seconds and tries again after them, so every question races a timer.
 */

import { promises as dns } from 'node:dns'
import { type DomainName, parseDomainName, registrableDomain } from '../model/domain.ts'
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

/** A server that takes a domain's mail. */
export interface MailServer {
  /** Servers with lower numbers are tried first. */
  readonly priority: number
  readonly exchange: string
}

/**
 * How a domain takes mail: by servers it names (`ok`); by its address, since it names none
 * (`implicit`, RFC 5321 §5.1); not, as it says itself (`null`, RFC 7505); not, since it has neither
 * (`none`), or is not even registered (`no_domain`). `unknown`: nobody could tell.
 */
export type MailStatus = 'ok' | 'implicit' | 'none' | 'null' | 'no_domain' | 'unknown'

/** How a domain takes mail, and the servers it names, the first to be tried first. */
export interface MailRoute {
  readonly status: MailStatus
  readonly records: readonly MailServer[]
}

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

type Answer<Value> = Result<Value, ResolveFailure>
type Addresses = Answer<readonly string[]>

/** Asks a question and waits for its answer until the call's time is over; then it asks no more. */
type Ask = <Value>(question: () => Promise<Value>) => Promise<Answer<Value>>

function toFailure(error: unknown): ResolveFailure {
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

async function toAnswer<Value>(question: () => Promise<Value>): Promise<Answer<Value>> {
  try {
    return { ok: true, value: await question() }
  } catch (error) {
    return { ok: false, reason: toFailure(error) }
  }
}

/** Which failure to tell of two: the one that may be gone when asked again, if there is one. */
function moreTransient(first: ResolveFailure, second: ResolveFailure): ResolveFailure {
  return first === 'no_address' ? second : first
}

/** Returns the route by servers: sorted, at most 16, names in lower case. */
function routeBy(answers: readonly MailServer[]): MailRoute {
  const named = answers.filter(({ exchange }) => exchange !== '' && exchange !== '.')
  // The word that there is no mail counts only when nothing else is said.
  if (named.length === 0) return { status: 'null', records: [] }
  const records = named
    .map(({ priority, exchange }) => ({ priority, exchange: exchange.toLowerCase() }))
    .sort((a, b) => a.priority - b.priority || (a.exchange < b.exchange ? -1 : 1))
  return { status: 'ok', records: records.slice(0, answersMax) }
}

/** Asks for the addresses and the mail servers of names. */
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
  async addresses(name: string, signal?: AbortSignal): Promise<Addresses> {
    const parsed = parseDomainName(name)
    if (!parsed.ok) return { ok: false, reason: 'invalid_name' }
    return await this.#beforeDeadline(signal, (ask) => this.#findAddresses(parsed.value, ask))
  }

  /**
   * Returns how a domain takes mail.
   *
   * Decision: whether a name exists is told by its registered domain, since the runtime does not tell
   * a name without records from a name that is not there.
   */
  async mail(name: string, signal?: AbortSignal): Promise<MailRoute> {
    const parsed = parseDomainName(name)
    if (!parsed.ok) return { status: 'no_domain', records: [] }
    return await this.#beforeDeadline(signal, (ask) => this.#findMailRoute(parsed.value, ask))
  }

  async #findAddresses(name: DomainName, ask: Ask): Promise<Addresses> {
    // The dot at the end makes the name absolute.
    const absolute = `${name}.`
    const [ipv4, ipv6] = await Promise.all([
      ask(() => this.#dns.resolve4(absolute)),
      ask(() => this.#dns.resolve6(absolute)),
    ])
    if (!ipv4.ok && !ipv6.ok) return { ok: false, reason: moreTransient(ipv4.reason, ipv6.reason) }
    const found = [...(ipv4.ok ? ipv4.value : []), ...(ipv6.ok ? ipv6.value : [])]
    return { ok: true, value: found.slice(0, answersMax) }
  }

  async #findMailRoute(name: DomainName, ask: Ask): Promise<MailRoute> {
    const servers = await ask(() => this.#dns.resolveMx(`${name}.`))
    if (servers.ok && servers.value.length > 0) return routeBy(servers.value)
    if (!servers.ok && servers.reason !== 'no_address') return { status: 'unknown', records: [] }
    const [addresses, delegation] = await Promise.all([
      this.#findAddresses(name, ask),
      ask(() => this.#dns.resolveNs(`${registrableDomain(name) ?? name}.`)),
    ])
    return { status: statusWithoutServers(addresses, delegation), records: [] }
  }

  /** Answers with `cancelled` or `timeout` whatever is asked and not yet answered when time is up. */
  async #beforeDeadline<Value>(
    signal: AbortSignal | undefined,
    work: (ask: Ask) => Promise<Value>,
  ): Promise<Value> {
    const given = Promise.withResolvers<Answer<never>>()
    let isOver = false
    const giveUp = (reason: ResolveFailure) => () => {
      isOver = true
      given.resolve({ ok: false, reason })
    }
    const onAbort = giveUp('cancelled')
    if (signal?.aborted) onAbort()
    const timer = setTimeout(giveUp('timeout'), this.#deadlineMs)
    signal?.addEventListener('abort', onAbort)
    try {
      return await work((question) =>
        isOver ? given.promise : Promise.race([given.promise, toAnswer(question)]),
      )
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

function statusWithoutServers(addresses: Addresses, delegation: Answer<string[]>): MailStatus {
  if (addresses.ok) return 'implicit'
  if (addresses.reason !== 'no_address') return 'unknown'
  if (delegation.ok) return 'none'
  return delegation.reason === 'no_address' ? 'no_domain' : 'unknown'
}
