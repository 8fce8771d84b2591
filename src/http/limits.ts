/**
 * Rate limits (specification §8): per policy and client, never more than the quota in any window,
 * and the whole quota available at once.
 *
 * Exact: a call is admitted when fewer than `quota` admitted calls lie in the window before it.
 * Bounded: a policy remembers at most `clientsMax` clients; when one more calls, the least recently seen
 * is forgotten. Filling this memory to regain one quota takes as many addresses, each with a quota of its own.
 */

import { type PolicyName, policyNames } from '../config.ts'
import type { Limit, Networks } from '../setting-values.ts'
import { CallLog, CallLogs } from './call-log.ts'
import { clientKey } from './client-ip.ts'

/** How many clients a policy remembers: 46 MiB of keys and short logs. */
const defaultClientsMax = 100_000
/** How many calls a policy remembers over all clients: 32 MiB, and more than any quota. */
const callsMax = 4_194_304

/** The policy that applies next to every other. */
const general: PolicyName = 'GENERAL'

/** The decision about one call. */
export interface Judgement {
  readonly isAdmitted: boolean
  /** After how many whole seconds a call is admitted; 0 when this one was. */
  readonly retryAfterSeconds: number
  /** The fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  readonly policyField: string
  readonly stateField: string
}

/** The limit of each policy; one that is null or absent is off. */
export type PolicyLimits = Readonly<Partial<Record<PolicyName, Limit | null>>>

/** How many clients a policy remembers. */
export interface PolicyOccupancy {
  readonly policy: PolicyName
  readonly clients: number
  readonly clientsMax: number
}

export interface LimitSettings {
  readonly limits: PolicyLimits
  /** Clients without limits. */
  readonly exempt: Networks
  readonly ipv6PrefixBits: number
  readonly clientsMax?: number
}

/** A policy that is on, with the calls that count under it. `see` chooses the client it is about. */
class PolicyWindow {
  readonly policy: PolicyName
  readonly policyField: string
  readonly logs: CallLogs
  readonly #name: string
  readonly #limit: Limit
  #log = new CallLog('')

  constructor(policy: PolicyName, limit: Limit, clientsMax: number) {
    this.policy = policy
    this.#limit = limit
    this.#name = policy.toLowerCase().replaceAll('_', '-')
    this.policyField = `"${this.#name}";q=${limit.quota};w=${limit.windowMs / 1000}`
    this.logs = new CallLogs(limit.windowMs, clientsMax, callsMax)
  }

  /** Returns after how many milliseconds `client` has a call left; 0 when it has one now. */
  see(client: string, now: number): number {
    this.#log = this.logs.see(client, now)
    return this.#log.count < this.#limit.quota ? 0 : this.#nextMs(now)
  }

  /** Counts a call of the client seen last. */
  count(now: number): void {
    this.logs.add(this.#log, now)
  }

  /** Formats how many calls the client seen last has left, and after how many seconds one more. */
  stateField(now: number): string {
    const remaining = this.#limit.quota - this.#log.count
    return `"${this.#name}";r=${remaining};t=${Math.ceil(this.#nextMs(now) / 1000)}`
  }

  #nextMs(now: number): number {
    const { windowMs } = this.#limit
    return this.#log.count === 0 ? windowMs : this.#log.oldest + windowMs - now
  }
}

/** Everything that a call under one policy counts in: that policy's window, and the general one. */
interface CountedIn {
  readonly windows: readonly PolicyWindow[]
  readonly policyField: string
}

/** All policies together. */
export class RateLimits {
  readonly #windows: readonly PolicyWindow[]
  readonly #countedIn: ReadonlyMap<PolicyName, CountedIn>
  readonly #settings: LimitSettings
  readonly #now: () => number
  #lastNow = 0
  #elapsed = 0

  constructor(settings: LimitSettings, now: () => number) {
    const policies = [...policyNames.filter((policy) => policy !== general), general]
    this.#windows = policies.flatMap((policy) => {
      const limit = settings.limits[policy] ?? null
      if (limit === null) return []
      return new PolicyWindow(policy, limit, settings.clientsMax ?? defaultClientsMax)
    })
    const countedIn = policies.map((name): [PolicyName, CountedIn] => {
      const windows = this.#windows.filter(({ policy }) => policy === name || policy === general)
      return [name, { windows, policyField: windows.map((w) => w.policyField).join(', ') }]
    })
    this.#countedIn = new Map(countedIn.filter(([, { windows }]) => windows.length > 0))
    this.#settings = settings
    this.#now = now
  }

  /**
   * Judges one call from `address` and counts it when it is admitted; null when no limit applies.
   * A call is admitted when every window has room for it, and counts in all of them or in none.
   *
   * O(1) amortised, about 0.1 µs for a known client.
   */
  judge(policy: PolicyName, address: string): Judgement | null {
    const countedIn = this.#countedIn.get(policy)
    if (countedIn === undefined || this.#settings.exempt.has(address)) return null
    const { windows, policyField } = countedIn
    const now = this.#time()
    const client = clientKey(address, this.#settings.ipv6PrefixBits)
    let waitMs = 0
    for (const window of windows) waitMs = Math.max(waitMs, window.see(client, now))
    let stateField = ''
    for (const window of windows) {
      if (waitMs === 0) window.count(now)
      stateField += stateField === '' ? window.stateField(now) : `, ${window.stateField(now)}`
    }
    return {
      isAdmitted: waitMs === 0,
      retryAfterSeconds: Math.ceil(waitMs / 1000),
      policyField,
      stateField,
    }
  }

  /** Reports how many clients each active policy remembers; O(policies). */
  occupancy(): PolicyOccupancy[] {
    const now = this.#time()
    return this.#windows.map(({ policy, logs }) => {
      return { policy, clients: logs.countClients(now), clientsMax: logs.clientsMax }
    })
  }

  /** Returns a time that never goes back, so that a clock set back locks no client out. */
  #time(): number {
    const now = this.#now()
    if (now > this.#lastNow) this.#elapsed += now - this.#lastNow
    this.#lastNow = now
    return this.#elapsed
  }
}
