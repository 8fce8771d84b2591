/**
 * Looks up addresses and mail servers in DNS, each lookup within a deadline.
 *
 * Asks name servers only: `/etc/hosts` and the system's search list are ignored, so that no file of this
 * machine turns a public name into an internal address. Bun rounds its own time-outs up to whole seconds
 * and retries after them, so every query races a timer.
 */

import { promises as dns } from 'node:dns'
import { type DomainName, parseDomainName, registrableDomain } from '../model/domain.ts'
import type { Result } from '../model/result.ts'

/** Why a name has no answer. `no_address` includes names that do not exist: Bun reports both alike. */
export type ResolveFailure =
  | 'invalid_name'
  | 'no_address'
  | 'server_failed'
  | 'timeout'
  | 'cancelled'

/** A server that receives a domain's mail. */
export interface MailServer {
  /** Servers with lower numbers are tried first. */
  readonly priority: number
  readonly exchange: string
}

/**
 * How a domain receives mail: by the servers it names (`ok`), or, naming none, at its address (`implicit`,
 * RFC 5321 §5.1). Not at all: because it says so (`null`, RFC 7505), has neither servers nor an address
 * (`none`), or is not registered (`no_domain`). `unknown` when the lookup failed.
 */
export type MailStatus = 'ok' | 'implicit' | 'none' | 'null' | 'no_domain' | 'unknown'

/** How a domain receives mail, and the servers it names, in the order to try them. */
export interface MailRoute {
  readonly status: MailStatus
  readonly records: readonly MailServer[]
}

/** The settings of a resolver. */
export interface ResolverOptions {
  /** Name servers, each `address` or `address:port`; when empty, those of the system. */
  readonly servers: readonly string[]
  /** Maximum duration of one call. */
  readonly deadlineMs?: number
}

const deadlineMsDefault = 2_000

/** Within the default deadline, more than one server can be asked. */
const attempts = { timeout: 1_000, tries: 2 } as const

/** More answers are ignored: no name needs them. */
const answersMax = 16

type Answer<Value> = Result<Value, ResolveFailure>
type Addresses = Answer<readonly string[]>

/** Runs a query and returns its answer, until the deadline of the call; runs none after that. */
type Ask = <Value>(query: () => Promise<Value>) => Promise<Answer<Value>>

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

async function toAnswer<Value>(query: () => Promise<Value>): Promise<Answer<Value>> {
  try {
    return { ok: true, value: await query() }
  } catch (error) {
    return { ok: false, reason: toFailure(error) }
  }
}

/** Returns which of two failures to report: one that may pass, if there is one. */
function moreTransient(first: ResolveFailure, second: ResolveFailure): ResolveFailure {
  return first === 'no_address' ? second : first
}

/** Returns the route through servers: sorted, at most 16, names in lower case. */
function toRoute(answers: readonly MailServer[]): MailRoute {
  const named = answers.filter(({ exchange }) => exchange !== '' && exchange !== '.')
  // A null server means no mail only if it is the only one.
  if (named.length === 0) return { status: 'null', records: [] }
  const records = named
    .map(({ priority, exchange }) => ({ priority, exchange: exchange.toLowerCase() }))
    .sort((a, b) => a.priority - b.priority || (a.exchange < b.exchange ? -1 : 1))
  return { status: 'ok', records: records.slice(0, answersMax) }
}

/** Looks up the addresses and the mail servers of names. */
export class Resolver {
  readonly #dns = new dns.Resolver(attempts)
  readonly #deadlineMs: number

  /** Throws a `TypeError` when a server is not an address. */
  constructor(options: ResolverOptions) {
    this.#deadlineMs = options.deadlineMs ?? deadlineMsDefault
    if (options.servers.length > 0) this.#dns.setServers(options.servers)
  }

  /**
   * Returns at most 16 addresses of a name, IPv4 before IPv6, or why there is none.
   *
   * The addresses of one family are enough when the lookup of the other fails.
   */
  async addresses(name: string, signal?: AbortSignal): Promise<Addresses> {
    const parsed = parseDomainName(name)
    if (!parsed.ok) return { ok: false, reason: 'invalid_name' }
    return await this.#beforeDeadline(signal, (ask) => this.#findAddresses(parsed.value, ask))
  }

  /**
   * Returns how a domain receives mail.
   *
   * Decision: a name counts as existing when its registered domain does, since Bun does not distinguish a
   * name without records from one that does not exist.
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
    if (servers.ok && servers.value.length > 0) return toRoute(servers.value)
    if (!servers.ok && servers.reason !== 'no_address') return { status: 'unknown', records: [] }
    const [addresses, delegation] = await Promise.all([
      this.#findAddresses(name, ask),
      ask(() => this.#dns.resolveNs(`${registrableDomain(name) ?? name}.`)),
    ])
    return { status: statusWithoutServers(addresses, delegation), records: [] }
  }

  /** Runs `work`; queries unanswered at the deadline or the abort get `timeout` or `cancelled`. */
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
      return await work((query) =>
        isOver ? given.promise : Promise.race([given.promise, toAnswer(query)]),
      )
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Cancels every running query; each answers `cancelled`. */
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
