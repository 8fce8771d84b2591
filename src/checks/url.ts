/**
 * Answers "is this URL listed?" (specification §4, GET /api/check-url). The first stage that knows
 * an answer gives it:
 *
 *     input ─▶ canonical URL ─▶ self-test name ─▶ operator's decision on page or directory
 *                   │                                                          │
 *                   └▶ refused               ┌─────────────────────────────────┘
 *                                            ▼
 *              host or parent allowed ─▶ listed page or path ─▶ listed host or parent
 *                                                                              │
 *                                            ┌─────────────────────────────────┘
 *                                            ▼
 *     (low confidence: suspicious) ─▶ looks like an imitation ─▶ shared platform ─▶ other pages listed
 *                                                                              │
 *                                                                     not listed ◀┘
 *
 * and when none found it, the URLs it carries inside are asked the same way. Of an operator's decisions
 * the nearest applies, whatever feeds list there or above. No I/O on a miss; a hit reads its row.
 * Never contacts the URL. Pure, given the listings.
 */

import type { Listings, PageListing } from '../index/catalog.ts'
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
import { type Ground, type Hit, type Scope, toFinding, toVerdict } from './grounds.ts'
import type { LookalikeChecker } from './looks/lookalike.ts'
import { selfTestVerdict } from './self-test.ts'

/** The verdict about one URL or name, with the input and its canonical form. */
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

/** Looks up URLs; never contacts them. */
export interface UrlChecker {
  check(input: string): Result<UrlAnswer, UrlRefusal>
}

/** Returns the same answers in short form, for bulk checks. */
export interface UrlFinder {
  find(input: string): Result<Finding, UrlRefusal>
}

/** The number of segments that a listed directory must have to apply to its pages on a shared platform. */
const platformDirectoryDepth = 2

/** The dependencies of the checker. */
export interface UrlCheckerParts {
  readonly listings: Listings
  readonly platforms: Platforms
  readonly lookalikes: LookalikeChecker
  /** The confidence from which a listing answers `found`. */
  readonly foundAt: number
  /** The score from which an address that looks like an imitation answers `suspicious`. */
  readonly suspiciousAt: number
}

/** Builds the checker. */
export function createUrlChecker(parts: UrlCheckerParts): UrlChecker & UrlFinder {
  const { listings, foundAt } = parts
  const judge = new UrlJudge(parts)
  return {
    check(input) {
      const parsed = parsePublicUrl(input)
      if (!parsed.ok) return parsed
      const url = parsed.value
      const verdict = toVerdict(judge.findGround(url), url, foundAt)
      const { updatedAt } = listings
      return {
        ok: true,
        value: { query: input, url: url.value, domain: url.host, verdict, updatedAt },
      }
    },
    find(input) {
      const parsed = parsePublicUrl(input)
      return parsed.ok ? { ok: true, value: toFinding(judge.findGround(parsed.value)) } : parsed
    },
  }
}

/** The listing of a page, and how the page relates to the URL. */
interface PageMatch {
  readonly listing: PageListing
  readonly scope: Scope
}

class UrlJudge {
  readonly #listings: Listings
  readonly #platforms: Platforms
  readonly #lookalikes: LookalikeChecker
  readonly #foundAt: number
  readonly #suspiciousAt: number

  constructor(parts: UrlCheckerParts) {
    this.#listings = parts.listings
    this.#platforms = parts.platforms
    this.#lookalikes = parts.lookalikes
    this.#foundAt = parts.foundAt
    this.#suspiciousAt = parts.suspiciousAt
  }

  /** Returns the ground of the verdict: the URL's own, or that of a listed URL that it carries. */
  findGround(url: CanonicalUrl): Ground {
    const verdict = selfTestVerdict(url.host)
    if (verdict !== null) return { kind: 'self_test', verdict }
    const own = this.#ownGround(url)
    // An operator who allows this exact URL allows the URLs that it carries.
    if (isFound(own) || (own.kind === 'allowed' && own.scope === 'url')) return own
    for (const nested of nestedUrls(url)) {
      const inner = this.#ownGround(nested)
      if (isFound(inner)) return { kind: 'nested', url: nested, inner }
    }
    return own
  }

  #ownGround(url: CanonicalUrl): Ground {
    const { host } = url
    // The next look-up overwrites the match, so read what is needed of it now.
    const { recordId, start, hasPages, isAllowed } = this.#listings.match(host)
    const page = hasPages ? this.#nearestPage(url) : null
    if (page?.listing.decision === 'allow') return { kind: 'allowed', scope: page.scope }
    const pageHit = page === null ? null : toPageHit(page)
    if (pageHit !== null && page?.listing.decision === 'block') return foundBy(pageHit)
    if (isAllowed) return { kind: 'allowed', scope: 'host' }
    const hostHit = recordId === 0 ? null : this.#hostHit(host, recordId, start)
    const hit = this.#strongest(pageHit, hostHit)
    if (hit !== null && hit.indicator.confidence >= this.#foundAt) return foundBy(hit)
    const platform = this.#platforms.findPlatform(host)
    if (hit !== null) return { kind: 'listed', status: 'suspicious', hit, platform }
    const assessment = this.#lookalikes.assessUrl(url)
    if (assessment.score >= this.#suspiciousAt) return { kind: 'lookalike', assessment, platform }
    if (platform !== null) return { kind: 'platform', platform, assessment }
    const other = hasPages ? this.#listings.pageOnHost(host) : null
    if (other !== null) return { kind: 'other_pages', other, assessment }
    return { kind: 'none', assessment }
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
      // Too weak, or the view lags behind the row: try the parents.
      const dot = name.indexOf('.', start)
      if (dot === -1 || isAddress) return weak
      name = name.slice(dot + 1)
      const above = this.#listings.match(name)
      recordId = above.recordId
      start = above.start
    }
    return weak
  }

  /**
   * Returns the nearest decision on the page or a directory above it, else the nearest listing.
   *
   * Decision: a listed directory of a platform's upper ones does not count, since it holds
   * the pages of many people; an operator's decision on it applies to all of them.
   */
  #nearestPage(url: CanonicalUrl): PageMatch | null {
    const exactKeys = url.query === '' ? 1 : 2
    let nearest: PageMatch | null = null
    for (const [index, key] of pathExpressions(url).entries()) {
      const listing = this.#listings.page(key)
      if (listing === null) continue
      const scope = index === 0 ? 'url' : index < exactKeys ? 'page' : 'directory'
      if (listing.decision !== null) return { listing, scope }
      if (nearest !== null) continue
      if (scope !== 'directory' || !this.#isEverybodys(key, url.host)) nearest = { listing, scope }
    }
    return nearest
  }

  /** Reports whether a directory is so high on a platform that it contains pages of many people. */
  #isEverybodys(key: string, host: string): boolean {
    return (
      countSegments(key) < platformDirectoryDepth && this.#platforms.findPlatform(host) !== null
    )
  }
}

function toPageHit({ listing, scope }: PageMatch): Hit {
  const code = scope === 'directory' ? 'listed_path' : 'listed_page'
  return { indicator: listing.indicator, code }
}

/** Reports whether the row confirms the view: active, and of this name. */
function isListing(indicator: Indicator | null, name: string): indicator is Indicator {
  if (indicator?.isActive !== true || indicator.doNotBlock) return false
  return indicator.value === name || `[${indicator.value}]` === name
}

const foundBy = (hit: Hit): Ground => ({ kind: 'listed', status: 'found', hit, platform: null })

const isFound = (ground: Ground): boolean => ground.kind === 'listed' && ground.status === 'found'

/** Counts the segments of a directory's page key: `host/a/b/` has two. */
function countSegments(key: string): number {
  return key.split('/').length - 2
}
