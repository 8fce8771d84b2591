/**
 * Indicators of compromise (IOC): their types, their threat, and what weir stores about each. Pure.
 *
 * The names on the wire (`threat_type`, `do_not_block`) belong to `publish/` and `http/`.
 */

/** The types of indicators; a `url` is a single page, an `ip` a bare address. */
export const indicatorTypes = [
  'domain',
  'url',
  'ip',
  'sha256',
  'sha1',
  'md5',
  'email',
  'phone',
] as const
export type IndicatorType = (typeof indicatorTypes)[number]

/** The kinds of harm. */
export const threatTypes = ['phishing', 'malware', 'scam', 'spam'] as const
export type ThreatType = (typeof threatTypes)[number]

/** How severe a threat is, mildest first; derived from the threat type and the confidence. */
export const threatLevels = ['low', 'medium', 'high', 'critical'] as const
export type ThreatLevel = (typeof threatLevels)[number]

/** What determined a target brand: a source, or the look-alike rules. */
export type BrandOrigin = 'source' | 'rules'

/** Why an indicator was delisted, as in the delta feed and the audit trail. */
export const removalReasons = ['withdrawn', 'expired', 'appeal', 'operator', 'unpublished'] as const
export type RemovalReason = (typeof removalReasons)[number]

/** One indicator with all its properties. Times are milliseconds since the epoch, UTC. */
export interface Indicator {
  /** The id of the row in the store: stable, never reused. */
  readonly id: number
  readonly type: IndicatorType
  /** The canonical form: a lower-case A-label name, a canonical URL, a lower-case hex digest … */
  readonly value: string
  /** The host of a URL or the domain of an e-mail address; null for every other type. */
  readonly host: string | null
  readonly isActive: boolean
  /** Active, and listed by at least one redistributable source. */
  readonly isPublished: boolean
  /** The apex of shared infrastructure, which must never be blocked as a whole. */
  readonly doNotBlock: boolean
  readonly threatType: ThreatType
  readonly threatLevel: ThreatLevel
  /** 0 to 100. */
  readonly confidence: number
  readonly targetBrand: string | null
  readonly targetBrandOrigin: BrandOrigin | null
  readonly malwareFamily: string | null
  /** Names of the redistributable sources that list it, in order of first sighting. */
  readonly sources: readonly string[]
  /** A source's own page about it. */
  readonly reference: string | null
  readonly firstSeen: number
  readonly lastSeen: number
  /** When it last became active. */
  readonly listedAt: number
  /** The sequence number of the last change of meaning. */
  readonly seq: number
  /** The sequence number of the latest activation. */
  readonly listedSeq: number
}

/**
 * Returns the threat level for a threat type and a confidence of 0 to 100.
 *
 * `critical` is malware from 90, `high` phishing or malware from 75, `medium` anything from 50.
 */
export function toThreatLevel(type: ThreatType, confidence: number): ThreatLevel {
  if (type === 'malware' && confidence >= 90) return 'critical'
  if ((type === 'malware' || type === 'phishing') && confidence >= 75) return 'high'
  return confidence >= 50 ? 'medium' : 'low'
}
