/**
 * Computes the look-alike score of an unlisted address: does it imitate a brand, or a page that empties
 * wallets?
 *
 *     host ─▶ known to be innocent? ─▶ read ─▶ rules ─▶ score: the strongest + half of the others
 *
 * A score is never proof: it makes an answer `suspicious`, never `found`. Pure; some microseconds.
 */

import type { RelatedCounts } from '../../index/related-names.ts'
import { parseAddress } from '../../model/address.ts'
import type { Brand } from '../../model/brand.ts'
import { publicSuffix } from '../../model/domain.ts'
import type { Platforms } from '../../model/platform.ts'
import { isPublicAddress } from '../../model/public-address.ts'
import type { CanonicalUrl } from '../../model/url.ts'
import type { LookalikeCode } from '../../model/verdict.ts'
import { brandRules } from './brand-rules.ts'
import type { NameKnowledge, NameReading } from './lookalikes.ts'
import {
  modifierRules,
  nameRules,
  type Rule,
  relatedNameRules,
  type UrlSubject,
  urlRules,
} from './name-rules.ts'

/** Why an address looks like an imitation. */
export interface LookalikeReason {
  readonly code: LookalikeCode
  readonly points: number
  readonly message: string
}

/** How suspicious an address looks. */
export interface Assessment {
  /** 0 to 100. */
  readonly score: number
  /** The brand it imitates, when exactly one reaches the threshold. */
  readonly brand: Brand | null
  /** The strongest first; empty when the score is 0. */
  readonly reasons: readonly LookalikeReason[]
}

export interface LookalikeChecker {
  /** Returns the look-alike score of a canonical host. */
  assess(host: string): Assessment
  /** Returns the look-alike score of a URL: of its host, and of oddities in the rest. */
  assessUrl(url: CanonicalUrl): Assessment
}

/** The knowledge about names, from all sources. */
export interface LookalikeParts {
  readonly knowledge: Pick<NameKnowledge, 'brands' | 'facts' | 'lookalikes'>
  readonly platforms: Pick<Platforms, 'findPlatform'>
  /** Reports whether a name is popular, so that look-alike rules do not apply. */
  readonly isPopular: (name: string) => boolean
  /** Returns the number of listed names that are related to a host. */
  readonly countRelated: (host: string) => RelatedCounts
  /** The score from which a brand counts as imitated. */
  readonly threshold: number
}

/** The assessment of an address that nothing counts against. */
const inconspicuous: Assessment = { score: 0, brand: null, reasons: [] }
const noReasons: readonly LookalikeReason[] = []

/** Maximum number of segments of a path that are checked. */
const segmentsMax = 12

const scoreMax = 100

/** Public suffixes reserved for governments, armed forces and American universities. */
const guardedSuffix = /^(?:edu|(?:gov|mil)(?:\.[a-z]{2})?)$/

interface BrandCase extends LookalikeReason {
  readonly brand: Brand
}

/** Returns the strongest and half of the others together. */
function combined(reasons: readonly LookalikeReason[]): number {
  let strongest = 0
  let sum = 0
  for (const { points } of reasons) {
    strongest = Math.max(strongest, points)
    sum += points
  }
  return Math.min(scoreMax, Math.round(strongest + (sum - strongest) / 2))
}

const noCases: readonly BrandCase[] = []

/** Returns the strongest applicable rule for each brand in the name, strongest first. */
function brandCases(name: NameReading): readonly BrandCase[] {
  if (name.brands.length === 0) return noCases
  const strongest = new Map<Brand, BrandCase>()
  for (const match of name.brands) {
    const { brand } = match.word
    for (const rule of brandRules) {
      const points = rule.points(match, name)
      if (points === 0 || points <= (strongest.get(brand)?.points ?? 0)) continue
      strongest.set(brand, { code: rule.code, points, message: rule.says(match, name), brand })
    }
  }
  return [...strongest.values()].sort((a, b) => b.points - a.points)
}

function reasonsBy<Subject>(
  rules: readonly Rule<Subject>[],
  subject: Subject,
): readonly LookalikeReason[] {
  let reasons: LookalikeReason[] | null = null
  for (const rule of rules) {
    const points = rule.points(subject)
    if (points === 0) continue
    reasons ??= []
    reasons.push({ code: rule.code, points, message: rule.says(subject) })
  }
  return reasons ?? noReasons
}

function toAssessment(reasons: readonly LookalikeReason[], brand: Brand | null): Assessment {
  const shown = reasons.map(({ code, points, message }) => ({ code, points, message }))
  return { score: combined(reasons), brand, reasons: shown.sort((a, b) => b.points - a.points) }
}

/** Builds the checker. */
export function createLookalikeChecker(parts: LookalikeParts): LookalikeChecker {
  return new LookJudge(parts)
}

class LookJudge implements LookalikeChecker {
  readonly #parts: LookalikeParts

  constructor(parts: LookalikeParts) {
    this.#parts = parts
  }

  assess(host: string): Assessment {
    return this.#assess(host, noReasons)
  }

  assessUrl(url: CanonicalUrl): Assessment {
    const beside = reasonsBy(urlRules, this.#toUrlSubject(url))
    const isBait = beside.length > 0 && !this.#isNoBait(url)
    return this.#assess(url.host, isBait ? beside : noReasons)
  }

  #assess(host: string, beside: readonly LookalikeReason[]): Assessment {
    const name = this.#read(host)
    const cases = name === null ? noCases : brandCases(name)
    const about = name === null ? noReasons : this.#about(name)
    if (cases.length === 0 && about.length === 0 && beside.length === 0) return inconspicuous
    const isApplicable = name !== null && !this.#isKnownInnocent(name)
    if (isApplicable) return this.#judged(name, cases, [...about, ...beside])
    return name === null ? toAssessment(beside, null) : inconspicuous
  }

  /** Returns the reasons against a name: the strongest about brands, and all others. */
  #judged(
    name: NameReading,
    cases: readonly BrandCase[],
    others: readonly LookalikeReason[],
  ): Assessment {
    const weighed = [...others, ...reasonsBy(modifierRules, name)]
    const { threshold } = this.#parts
    const reached = cases.filter((brandCase) => combined([brandCase, ...weighed]) >= threshold)
    const brand = reached.length === 1 ? (reached[0]?.brand ?? null) : null
    return toAssessment([...cases.slice(0, 1), ...weighed], brand)
  }

  /** Reports whether a host is a brand's own, or an address that is not reachable from outside. */
  #isNoBait({ host, isAddress }: CanonicalUrl): boolean {
    if (isAddress) {
      const address = parseAddress(host)
      return address === null || !isPublicAddress(address)
    }
    const { knowledge, platforms } = this.#parts
    return knowledge.brands.findOwner(host) !== null && platforms.findPlatform(host) === null
  }

  /** Finds brands' addresses in the parts of a URL that do not lead to them. */
  #toUrlSubject(url: CanonicalUrl): UrlSubject {
    const { brands } = this.#parts.knowledge
    const claimed = (text: string): Brand | null => {
      const brand = text.includes('.') ? brands.findOwner(text.toLowerCase()) : null
      return brand === null || brand === brands.findOwner(url.host) ? null : brand
    }
    const inUserinfo = url.hasUserinfo ? claimed(url.userinfo.split(/[:/]/, 1)[0] ?? '') : null
    const segments = url.path.includes('.') ? url.path.split('/', segmentsMax) : []
    const inPath = segments.map(claimed).find((brand) => brand !== null) ?? null
    return { url, inUserinfo, inPath }
  }

  /** Returns the reading of a registered name or a platform's tenant; null where the rules do not apply. */
  #read(host: string): NameReading | null {
    const { platforms, knowledge } = this.#parts
    const { brands, lookalikes } = knowledge
    const platform = platforms.findPlatform(host)
    if (platform !== null) {
      const { apex, mode } = platform
      const isTenant = mode === 'tenant' && host !== apex
      return isTenant && brands.findOwner(host, apex) === null
        ? lookalikes.read(host, apex, true)
        : null
    }
    const suffix = publicSuffix(host)
    if (suffix === null || guardedSuffix.test(suffix)) return null
    return brands.findOwner(host) === null ? lookalikes.read(host, suffix, false) : null
  }

  /** Returns the reasons against the name other than brands; tenants of a platform are related by chance. */
  #about(name: NameReading): readonly LookalikeReason[] {
    const about = reasonsBy(nameRules, name)
    if (name.isHosted) return about
    const byRelated = reasonsBy(relatedNameRules, {
      name,
      related: this.#parts.countRelated(name.host),
    })
    return byRelated.length === 0 ? about : [...about, ...byRelated]
  }

  /** Reports whether a name is innocent; the popularity of a platform does not extend to its tenants. */
  #isKnownInnocent(name: NameReading): boolean {
    const { isPopular } = this.#parts
    if (name.isHosted) return this.#isOfContentNetwork(name.ending)
    return (
      isPopular(`${name.label}.${name.ending}`) ||
      isPopular(name.host) ||
      this.#isOfContentNetwork(name.host)
    )
  }

  #isOfContentNetwork(host: string): boolean {
    const { contentNetworks } = this.#parts.knowledge.facts
    for (let name = host; ; ) {
      if (contentNetworks.has(name)) return true
      const dot = name.indexOf('.')
      if (dot === -1) return false
      name = name.slice(dot + 1)
    }
  }
}
