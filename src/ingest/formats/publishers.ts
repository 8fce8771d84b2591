/**
 * Reads a row of a publisher, in JSON or in CSV. Each function takes the row's fields by name, so that both
 * forms of a publisher's feed give the same items.
 */

import type { ThreatType } from '../../model/indicator.ts'
import { type EntryKind, type Item, refusedRow, toEntry } from './format.ts'
import { parseTime } from './time.ts'

/** Returns a field of a row as text; undefined when the row has no such field. */
export type ReadField = (name: string) => string | undefined

/** Everything that abuse.ch lists is malware or serves it. */
const abuseChThreat: ThreatType = 'malware'

/** Returns a field of abuse.ch, which writes `None` into empty ones. */
function readFilled(field: ReadField, name: string): string | undefined {
  const text = field(name)
  return text === '' || text === 'None' ? undefined : text
}

/** Returns a phish of PhishTank; one that is offline or unconfirmed is left out. */
export function phishtankItem(field: ReadField): Item {
  const url = field('url')
  if (url === undefined) return refusedRow('malformed_row')
  if (field('online') === 'no') return refusedRow('withdrawn')
  if (field('verified') === 'no') return refusedRow('not_an_indicator')
  const target = field('target')
  return toEntry('url', url, {
    threatType: 'phishing',
    targetBrand: target === 'Other' ? undefined : target,
    reference: field('phish_detail_url'),
    firstSeenAt: parseTime(field('submission_time')),
  })
}

/** Returns a URL of URLhaus; one that is offline stays listed, as it may come back. */
export function urlhausItem(field: ReadField): Item {
  const url = field('url')
  if (url === undefined) return refusedRow('malformed_row')
  return toEntry('url', url, {
    threatType: abuseChThreat,
    reference: readFilled(field, 'urlhaus_link'),
    firstSeenAt: parseTime(field('dateadded')),
  })
}

/** The types of indicator of ThreatFox that weir lists. */
const threatfoxKinds: ReadonlyMap<string, EntryKind> = new Map([
  ['domain', 'name'],
  ['url', 'url'],
  ['ip:port', 'address'],
  ['md5_hash', 'digest'],
  ['sha1_hash', 'digest'],
  ['sha256_hash', 'digest'],
])

/** Returns an indicator of ThreatFox. */
export function threatfoxItem(field: ReadField): Item {
  const value = field('ioc_value')
  const type = field('ioc_type')
  if (value === undefined || type === undefined) return refusedRow('malformed_row')
  const kind = threatfoxKinds.get(type)
  if (kind === undefined) return refusedRow('unsupported_type')
  const family = readFilled(field, 'malware_printable')
  const confidence = readFilled(field, 'confidence_level')
  return toEntry(kind, value, {
    threatType: abuseChThreat,
    confidence: confidence === undefined ? undefined : Number(confidence),
    malwareFamily: family === 'Unknown malware' ? undefined : family,
    reference: readFilled(field, 'reference'),
    firstSeenAt: parseTime(field('first_seen_utc')),
  })
}

/** Returns a name on CERT Polska's warning list; one with a date of deletion is withdrawn. */
export function certplItem(field: ReadField): Item {
  const name = field('DomainAddress')
  if (name === undefined) return refusedRow('malformed_row')
  if ((field('DeleteDate') ?? '') !== '') return refusedRow('withdrawn')
  return toEntry('name', name, { firstSeenAt: parseTime(field('InsertDate')) })
}
