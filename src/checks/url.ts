/**
 * Answers "is this URL listed?" (specification §4, GET /api/check-url). The first stage that knows
 * an answer gives it:
 *
 *     input ─▶ canonical URL ─▶ self-test name ─▶ listed page or path ─▶ listed host or parent
 *                   │                                                          │
 *                   └▶ refused               ┌─────────────────────────────────┘
 *                                            ▼
 *              (low confidence: suspicious) ─▶ shared platform ─▶ other pages listed ─▶ not listed
 *
 * and when none found it, the URLs it carries inside are asked the same way. No I/O on a miss; a
 * hit reads its row. Never contacts the URL. Pure, given the listings.
 */

import type { Listings } from '../index/catalog.ts'
import type { Indicator } from '../model/indicator.ts'
import { nestedUrls } from '../model/nested-urls.ts'
import type { Platforms } from '../model/platform.ts'
import type { Result } from '../model/result.ts'
import {
  type CanonicalUrl,
  parsePublicUrl,
  pathExpressions,
  type UrlRefusal,
} from '../model/url.ts'
import type { Finding, Verdict } from '../model/verdict.ts'
import { allowed, findingOf, type Ground, type Hit, none, verdictOf } from './grounds.ts'
import { selfTestVerdict } from './self-test.ts'

/** The verdict about one URL or name, beside what was asked and how it was read. */
export interface UrlAnswer {
  /** The input as it came. */
  readonly query: string
  /** Its canonical URL. */
  readonly url: string
  /** Its canonical host. */
  readonly domain: string
  readonly verdict: Verdict
  /** When weir's data last changed, milliseconds since the epoch. */
  readonly updatedAt: number
}

/** Looks URLs up; never contacts them. */
export interface UrlChecker {
  check(input: string): Result<UrlAnswer, UrlRefusal>
}

/** Gives the same answers in short, for whoever asks for many. */
export interface UrlFinder {
  find(input: string): Result<Finding, UrlRefusal>
}

/** How many segments a listed directory must have to stand for its pages on a shared platform. */
const platformDirectoryDepth = 2

/** Builds the checker; `foundAt` is the confidence from which a listing answers `found`. */
export function createUrlChecker(
  listings: Listings,
  platforms: Platforms,
  foundAt: number,
): UrlChecker & UrlFinder {
  const judge = new UrlJudge(listings, platforms, foundAt)
  return {
    check(input) {
      const parsed = parsePublicUrl(input)
      if (!parsed.ok) return parsed
      const url = parsed.value
      const verdict = verdictOf(judge.groundOf(url), url, foundAt)
      const { updatedAt } = listings
      return {
        ok: true,
        value: { query: input, url: url.value, domain: url.host, verdict, updatedAt },
      }
    },
    find(input) {
      const parsed = parsePublicUrl(input)
      return parsed.ok ? { ok: true, value: findingOf(judge.groundOf(parsed.value)) } : parsed
    },
  }
}

class UrlJudge {
  readonly #listings: Listings
  readonly #platforms: Platforms
  readonly #foundAt: number

  constructor(listings: Listings, platforms: Platforms, foundAt: number) {
    this.#listings = listings
    this.#platforms = platforms
    this.#foundAt = foundAt
  }

  /** Returns what the verdict rests on: the URL's own ground, or that of a listed one it carries. */
  groundOf(url: CanonicalUrl): Ground {
    const verdict = selfTestVerdict(url.host)
    if (verdict !== null) return { kind: 'self_test', verdict }
    const own = this.#ownGround(url)
    if (isFound(own)) return own
    for (const nested of nestedUrls(url)) {
      const inner = this.#ownGround(nested)
      if (isFound(inner)) return { kind: 'nested', url: nested, inner }
    }
    return own
  }

  #ownGround(url: CanonicalUrl): Ground {
    const { host } = url
    // The match is filled anew by the next look-up, so what is needed of it is read now.
    const { recordId, start, hasPages, isAllowed } = this.#listings.match(host)
    const hostHit = recordId === 0 ? null : this.#hostHit(host, recordId, start)
    if (isAllowed) return allowed
    const pageHit = hasPages ? this.#pageHit(url) : null
    const hit = this.#strongest(pageHit, hostHit)
    if (hit !== null && hit.indicator.confidence >= this.#foundAt) {
      return { kind: 'listed', status: 'found', hit, platform: null }
    }
    const platform = this.#platforms.platformOf(host)
    if (hit !== null) return { kind: 'listed', status: 'suspicious', hit, platform }
    if (platform !== null) return { kind: 'platform', platform }
    const other = hasPages ? this.#listings.pageOnHost(host) : null
    if (other !== null) return { kind: 'other_pages', other }
    return none
  }

  /** The page's listing comes first unless only the host's is strong enough to be found. */
  #strongest(page: Hit | null, host: Hit | null): Hit | null {
    if (page === null || host === null) return page ?? host
    const isHostStronger =
      page.indicator.confidence < this.#foundAt && host.indicator.confidence >= this.#foundAt
    return isHostStronger ? host : page
  }

  /**
   * Returns the listing of the host or its nearest listed parent, confirmed by the row; a parent's
   * comes first when the nearer one is too weak to be found.
   */
  #hostHit(host: string, firstRecordId: number, firstStart: number): Hit | null {
    let weak: Hit | null = null
    let name = host
    let recordId = firstRecordId
    let start = firstStart
    while (recordId !== 0) {
      const indicator = this.#listings.byId(recordId)
      const isAddress = indicator?.type === 'ip'
      if (isListing(indicator, name.slice(start))) {
        const isHost = name === host && start === 0
        const own = isAddress ? 'listed_address' : 'listed_host'
        const hit: Hit = { indicator, code: isHost ? own : 'listed_parent' }
        if (indicator.confidence >= this.#foundAt) return hit
        weak ??= hit
      }
      // Too weak, a moment behind its row, or a platform's apex: ask the parents.
      const dot = name.indexOf('.', start)
      if (dot === -1 || isAddress) return weak
      name = name.slice(dot + 1)
      const above = this.#listings.match(name)
      recordId = above.recordId
      start = above.start
    }
    return weak
  }

  /** Returns the listing of the page or of a directory above it. */
  #pageHit(url: CanonicalUrl): Hit | null {
    const exactKeys = url.query === '' ? 1 : 2
    const isShared = this.#platforms.platformOf(url.host) !== null
    for (const [index, key] of pathExpressions(url).entries()) {
      const isDirectory = index >= exactKeys
      // The upper directories of a platform hold everybody's pages.
      if (isDirectory && isShared && depthOf(key) < platformDirectoryDepth) break
      const indicator = this.#listings.page(key)
      if (indicator !== null)
        return { indicator, code: isDirectory ? 'listed_path' : 'listed_page' }
    }
    return null
  }
}

/** Reports whether the row is the listing that the view says: active, and of this very name. */
function isListing(indicator: Indicator | null, name: string): indicator is Indicator {
  if (indicator?.isActive !== true || indicator.doNotBlock) return false
  return indicator.value === name || `[${indicator.value}]` === name
}

const isFound = (ground: Ground): boolean => ground.kind === 'listed' && ground.status === 'found'

/** Counts the segments of a directory's page key: `host/a/b/` has two. */
function depthOf(key: string): number {
  return key.split('/').length - 2
}
