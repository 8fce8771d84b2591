/**
 * The ground of a verdict about a URL, and the verdict in words.
 *
 * `url` finds the ground; the sentences are written here, and only for callers that need reasons: a
 * bulk check of 500 items does not.
 */

import type { Indicator } from '../model/indicator.ts'
import { type Platform, platformNote } from '../model/platform.ts'
import type { CanonicalUrl } from '../model/url.ts'
import type { Finding, Reason, ReasonCode, Verdict } from '../model/verdict.ts'
import type { Assessment } from './looks/lookalike.ts'

/** A listing that matched, and how. */
export interface Hit {
  readonly indicator: Indicator
  readonly code: Extract<
    ReasonCode,
    'listed_page' | 'listed_path' | 'listed_host' | 'listed_parent' | 'listed_address'
  >
}

/**
 * How a listed or decided page relates to a URL: it is the URL itself, the same page without the query,
 * or a directory above it.
 */
export type Scope = 'url' | 'page' | 'directory'

export type Ground =
  /** Listed; `platform` is where, when the listing alone is too weak to be found. */
  | {
      readonly kind: 'listed'
      readonly status: 'found' | 'suspicious'
      readonly hit: Hit
      readonly platform: Platform | null
    }
  /** Not listed, but it looks like an imitation; on a platform, perhaps. */
  | {
      readonly kind: 'lookalike'
      readonly assessment: Assessment
      readonly platform: Platform | null
    }
  | { readonly kind: 'platform'; readonly platform: Platform; readonly assessment: Assessment }
  | { readonly kind: 'other_pages'; readonly other: Indicator; readonly assessment: Assessment }
  | { readonly kind: 'allowed'; readonly scope: Scope | 'host' }
  | { readonly kind: 'none'; readonly assessment: Assessment }
  /** Not found itself, but it carries a URL that is. */
  | { readonly kind: 'nested'; readonly url: CanonicalUrl; readonly inner: Ground }
  | { readonly kind: 'self_test'; readonly verdict: Verdict }

const looksBad: Finding = { status: 'suspicious', confidence: 0, match: null }
const onPlatform: Finding = { status: 'shared_infrastructure', confidence: 0, match: null }
const notFound: Finding = { status: 'not_found', confidence: 0, match: null }

/** Returns an indicator if it is published: one that is not decides a check, but is never shown. */
const shown = (indicator: Indicator): Indicator | null => (indicator.isPublished ? indicator : null)

/** Returns the short answer that a ground gives. */
export function toFinding(ground: Ground): Finding {
  switch (ground.kind) {
    case 'listed': {
      const { indicator } = ground.hit
      return {
        status: ground.status,
        confidence: indicator.confidence,
        match: shown(indicator),
      }
    }
    case 'other_pages':
      return { status: 'suspicious', confidence: 0, match: shown(ground.other) }
    case 'lookalike':
      return looksBad
    case 'platform':
      return onPlatform
    case 'allowed':
    case 'none':
      return notFound
    case 'nested':
      return toFinding(ground.inner)
    case 'self_test':
      return ground.verdict
  }
}

/** Returns the whole verdict that a ground gives about `url`. */
export function toVerdict(ground: Ground, url: CanonicalUrl, foundAt: number): Verdict {
  if (ground.kind === 'self_test') return ground.verdict
  const platform = 'platform' in ground ? ground.platform : null
  const reasons = toReasons(ground, url, foundAt)
  return {
    ...toFinding(ground),
    score: toScore(ground),
    reasons: [...reasons, ...oddities(url).filter(({ code }) => !says(reasons, code))],
    note: platform === null ? null : platformNote(platform),
  }
}

const says = (reasons: readonly Reason[], code: ReasonCode): boolean =>
  reasons.some((reason) => reason.code === code)

/** Returns the look-alike score of a ground; 0 for one that is found or allowed. */
function toScore(ground: Ground): number {
  return 'assessment' in ground ? ground.assessment.score : 0
}

function toReasons(ground: Ground, url: CanonicalUrl, foundAt: number): readonly Reason[] {
  switch (ground.kind) {
    case 'listed': {
      const { hit, status } = ground
      const reason: Reason = { code: hit.code, message: listedMessage(hit) }
      if (status === 'found') return [reason]
      const message = `The listing's confidence is ${hit.indicator.confidence}, under ${foundAt}.`
      return [reason, { code: 'low_confidence', message }]
    }
    case 'lookalike':
      return [...lookReasons(ground.assessment), notListed(url)]
    case 'platform':
      return [
        { code: 'shared_platform', message: platformNote(ground.platform) },
        ...lookReasons(ground.assessment),
      ]
    case 'other_pages': {
      const message = `This page is not listed, but other pages of ${url.host} are.`
      return [{ code: 'other_pages_listed', message }, ...lookReasons(ground.assessment)]
    }
    case 'allowed':
      return [{ code: 'operator_allowed', message: allowedMessage(ground.scope, url) }]
    case 'none':
      return [notListed(url), ...lookReasons(ground.assessment)]
    case 'nested': {
      const message = `It carries the address ${ground.url.value}, which is listed.`
      const inner = toReasons(ground.inner, ground.url, foundAt)
      return [{ code: 'nested_url', message }, ...inner]
    }
    case 'self_test':
      return ground.verdict.reasons
  }
}

/** Returns the reasons of the look-alike check, even below the threshold. */
const lookReasons = ({ reasons }: Assessment): readonly Reason[] =>
  reasons.map(({ code, message }) => ({ code, message }))

const notListed = ({ host }: CanonicalUrl): Reason => ({
  code: 'not_listed',
  message: `${host} is on none of the lists.`,
})

function allowedMessage(scope: Scope | 'host', url: CanonicalUrl): string {
  switch (scope) {
    case 'url':
    case 'page':
      return 'The operator allows this page.'
    case 'directory':
      return 'The operator allows a directory above this page.'
    case 'host':
      return `The operator allows ${url.host}.`
  }
}

function formatSubject({ indicator, code }: Hit): string {
  switch (code) {
    case 'listed_page':
      return 'This exact page'
    case 'listed_path':
      return 'A directory above this page'
    case 'listed_parent':
      return `The parent domain ${indicator.value}`
    case 'listed_host':
      return 'The host'
    case 'listed_address':
      return 'The address'
  }
}

function listedMessage(hit: Hit): string {
  const { indicator } = hit
  const subject = formatSubject(hit)
  if (!indicator.isPublished) return `${subject} is listed by a source that is not published.`
  const since = new Date(indicator.listedAt).toISOString().slice(0, 10)
  const by = indicator.sources.join(', ')
  return `${subject} is listed as ${indicator.threatType} since ${since} by ${by}.`
}

const noReasons: readonly Reason[] = []

/** Returns what is odd about the spelling of the URL. */
function oddities(url: CanonicalUrl): readonly Reason[] {
  if (!url.hasUserinfo && !url.hasInvisible) return noReasons
  const reasons: Reason[] = []
  if (url.hasUserinfo) {
    const message = `The part before the @ is not part of the address; it leads to ${url.host}.`
    reasons.push({ code: 'userinfo', message })
  }
  if (url.hasInvisible) {
    const message = 'The name holds characters that cannot be seen.'
    reasons.push({ code: 'invisible_char', message })
  }
  return reasons
}
