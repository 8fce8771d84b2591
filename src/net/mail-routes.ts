/**
 * Caches for a while how domains receive mail. Concurrent calls for one domain share one lookup.
 *
 * Bounded: the entry added first is dropped first. In memory only.
 */

import type { MailRoute, Resolver } from './resolver.ts'

/** Looks up how domains receive mail. */
export interface MailRoutes {
  mail(domain: string): Promise<MailRoute>
}

const domainsMax = 2_000
const keptMs = 10 * 60_000
/** An unknown route may be known soon. */
const unknownKeptMs = 60_000

interface CachedRoute {
  readonly route: Promise<MailRoute>
  /** Null while the lookup is running. */
  expiresAt: number | null
}

/** Asks a resolver at most once in ten minutes for each domain; after a failure, once a minute. */
export class CachedMailRoutes implements MailRoutes {
  readonly #resolver: Pick<Resolver, 'mail'>
  readonly #now: () => number
  readonly #cached = new Map<string, CachedRoute>()

  constructor(resolver: Pick<Resolver, 'mail'>, now: () => number) {
    this.#resolver = resolver
    this.#now = now
  }

  mail(domain: string): Promise<MailRoute> {
    const known = this.#cached.get(domain)
    if (known !== undefined && (known.expiresAt === null || known.expiresAt > this.#now())) {
      return known.route
    }
    this.#cached.delete(domain)
    const [oldest] = this.#cached.keys()
    if (oldest !== undefined && this.#cached.size >= domainsMax) this.#cached.delete(oldest)
    const added: CachedRoute = {
      route: this.#ask(domain, (at) => (added.expiresAt = at)),
      expiresAt: null,
    }
    this.#cached.set(domain, added)
    return added.route
  }

  async #ask(domain: string, expire: (at: number) => void): Promise<MailRoute> {
    const route = await this.#resolver.mail(domain)
    expire(this.#now() + (route.status === 'unknown' ? unknownKeptMs : keptMs))
    return route
  }
}
