/**
 * Remembers for a while how domains take mail, so that one domain is asked about once, however many
 * ask: many calls at once share one question.
 *
 * Bounded: the domain that was asked about longest ago is forgotten first. In memory alone.
 */

import type { MailRoute, Resolver } from './resolver.ts'

/** Whoever can say how a domain takes mail. */
export interface MailRoutes {
  mail(domain: string): Promise<MailRoute>
}

const domainsMax = 2_000
const keptMs = 10 * 60_000
/** What nobody could tell may be known soon. */
const unknownKeptMs = 60_000

interface Kept {
  readonly route: Promise<MailRoute>
  /** Null as long as the answer is out. */
  expiresAt: number | null
}

/** Asks a resolver, each question once in ten minutes; after a failure once in a minute. */
export class RememberedMailRoutes implements MailRoutes {
  readonly #resolver: Pick<Resolver, 'mail'>
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()

  constructor(resolver: Pick<Resolver, 'mail'>, now: () => number) {
    this.#resolver = resolver
    this.#now = now
  }

  mail(domain: string): Promise<MailRoute> {
    const known = this.#kept.get(domain)
    if (known !== undefined && (known.expiresAt === null || known.expiresAt > this.#now())) {
      return known.route
    }
    this.#kept.delete(domain)
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= domainsMax) this.#kept.delete(oldest)
    const kept: Kept = { route: this.#ask(domain, (at) => (kept.expiresAt = at)), expiresAt: null }
    this.#kept.set(domain, kept)
    return kept.route
  }

  async #ask(domain: string, expire: (at: number) => void): Promise<MailRoute> {
    const route = await this.#resolver.mail(domain)
    expire(this.#now() + (route.status === 'unknown' ? unknownKeptMs : keptMs))
    return route
  }
}
