/**
 * Pages of the list as bytes, so that what many ask for is read, written and compressed once.
 *
 * A page is good for one version of the list, and for a minute at most: what is seen again moves dates
 * without a new version.
 */

import { LRUMap } from 'mnemonist'
import type { CacheValidators } from './conditional.ts'
import type { PreparedBody } from './prepared-body.ts'

/** A page that has been written. */
export interface CachedPage {
  /** Which version of the list it shows. */
  readonly version: string
  readonly writtenAt: number
  readonly validators: CacheValidators
  /** The address of the next page; null on the last. */
  readonly nextLink: string | null
  readonly body: PreparedBody
}

/** A full page of JSON has about 350 kB, and half as much again compressed three times. */
const pagesMax = 64

const keptMs = 60_000

/** The pages that were asked for lately. */
export class PageCache {
  readonly #pages = new LRUMap<string, CachedPage>(pagesMax)
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns the page at an address when it shows this version, else null. */
  get(address: string, version: string): CachedPage | null {
    const page = this.#pages.get(address)
    if (page === undefined || page.version !== version) return null
    const ageMs = this.#now() - page.writtenAt
    return ageMs >= 0 && ageMs < keptMs ? page : null
  }

  set(address: string, page: CachedPage): void {
    this.#pages.set(address, page)
  }
}
