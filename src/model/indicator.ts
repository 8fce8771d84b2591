/**
 * The words for an indicator of compromise (IOC): its types, its threat, and what weir knows of it.
 *
 * Everything here is pure. Names in camelCase are the domain's; the names on the wire
 * (`threat_type`, `do_not_block`) are made in `publish/` and `http/`.
 */

/** What an indicator can be; a `url` is a single page, an `ip` a bare address, the rest by name. */
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

/** What kind of harm an indicator stands for. */
export const threatTypes = ['phishing', 'malware', 'scam', 'spam'] as const
export type ThreatType = (typeof threatTypes)[number]

/** How bad it is, mildest first; derived from the threat type and the confidence. */
export const threatLevels = ['low', 'medium', 'high', 'critical'] as const
export type ThreatLevel = (typeof threatLevels)[number]

/** Where a target brand came from: a source named it, or the look-alike rules did. */
export type BrandOrigin = 'source' | 'rules'

/** Why a listing changed; the words of the delta feed and of the audit trail. */
export const removalReasons = ['withdrawn', 'expired', 'appeal', 'operator', 'unpublished'] as const
export type RemovalReason = (typeof removalReasons)[number]

/** One indicator with everything weir says of it. Times are milliseconds since the epoch, UTC. */
export interface Indicator {
  /** The row's number in the store: stable, never reused. */
  readonly id: number
  readonly type: IndicatorType
  /** The canonical form: a lower-case A-label name, a canonical URL, a lower-case hex digest … */
  readonly value: string
  /** The host of a URL or the domain of an e-mail address; null for every other type. */
  readonly host: string | null
  readonly isActive: boolean
  /** Active, and listed by at least one source whose data may be passed on. */
  readonly isPublished: boolean
  /** A shared-infrastructure apex: listed with a flag, never to be blocked as a whole. */
  readonly doNotBlock: boolean
  readonly threatType: ThreatType
  readonly threatLevel: ThreatLevel
  /** 0 to 100. */
  readonly confidence: number
  readonly targetBrand: string | null
  readonly targetBrandOrigin: BrandOrigin | null
  readonly malwareFamily: string | null
  /** Names of the sources that list it and may be passed on, in order of first sighting. */
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
