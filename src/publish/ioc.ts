/**
 * The IOC record: an indicator as every answer, export and message contains it. All fields are
 * always present; unknown values are null, never an empty string.
 */

import type { Indicator } from '../model/indicator.ts'
import { timeText } from './wire.ts'

/** An indicator on the wire. Times are RFC 3339. */
export interface IocRecord {
  readonly type: Indicator['type']
  readonly value: string
  /** The name itself, a URL's host or an e-mail address's domain; null for other types. */
  readonly domain: string | null
  readonly threat_type: Indicator['threatType']
  readonly threat_level: Indicator['threatLevel']
  readonly confidence: number
  readonly target_brand: string | null
  readonly malware_family: string | null
  readonly do_not_block: 0 | 1
  readonly sources: readonly string[]
  readonly first_seen: string
  readonly last_seen: string
  readonly listed_at: string
  readonly reference: string | null
}

/** Recent records: the catalog returns the same indicator until its row changes. */
const records = new WeakMap<Indicator, IocRecord>()

/** Returns the wire record of an indicator; the same indicator gets the same record. */
export function iocRecord(indicator: Indicator): IocRecord {
  const known = records.get(indicator)
  if (known !== undefined) return known
  const record = newRecord(indicator)
  records.set(indicator, record)
  return record
}

function newRecord(indicator: Indicator): IocRecord {
  return {
    type: indicator.type,
    value: indicator.value,
    domain: indicator.type === 'domain' ? indicator.value : indicator.host,
    threat_type: indicator.threatType,
    threat_level: indicator.threatLevel,
    confidence: indicator.confidence,
    target_brand: indicator.targetBrand,
    malware_family: indicator.malwareFamily,
    do_not_block: indicator.doNotBlock ? 1 : 0,
    sources: indicator.sources,
    first_seen: timeText(indicator.firstSeen),
    last_seen: timeText(indicator.lastSeen),
    listed_at: timeText(indicator.listedAt),
    reference: indicator.reference,
  }
}
