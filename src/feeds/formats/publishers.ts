/**
 * What a row of a publisher means, whichever way the publisher writes it out. Each takes the row's
 * fields by name, so that a JSON document and a table of the same publisher say the same.
 */

import type { ThreatType } from '../../model/indicator.ts'
import { entryOf } from './entry.ts'
import { type EntryKind, type Item, refusedRow } from './format.ts'
import { parseTime } from './time.ts'

/** Returns a field of a row as text; undefined when the row has none of that name. */
export type FieldOf = (name: string) => string | undefined

/** What abuse.ch lists is malware or serves it. */
const abuseChThreat: ThreatType = 'malware'

/** Returns a field that abuse.ch fills, when it has nothing to say, with `None`. */
function saidIn(fieldOf: FieldOf, name: string): string | undefined {
  const text = fieldOf(name)
  return text === '' || text === 'None' ? undefined : text
}

/** A phish of PhishTank; one that is offline again or that nobody confirmed is left out. */
export function phishtankItem(fieldOf: FieldOf): Item {
  const url = fieldOf('url')
  if (url === undefined) return refusedRow('malformed_row')
  if (fieldOf('online') === 'no') return refusedRow('withdrawn')
  if (fieldOf('verified') === 'no') return refusedRow('not_an_indicator')
  const target = fieldOf('target')
  return entryOf('url', url, {
    threatType: 'phishing',
    targetBrand: target === 'Other' ? undefined : target,
    reference: fieldOf('phish_detail_url'),
    firstSeenAt: parseTime(fieldOf('submission_time')),
  })
}

/** A URL of URLhaus; one that is offline at the moment stays listed, for it may come back. */
export function urlhausItem(fieldOf: FieldOf): Item {
  const url = fieldOf('url')
  if (url === undefined) return refusedRow('malformed_row')
  return entryOf('url', url, {
    threatType: abuseChThreat,
    reference: saidIn(fieldOf, 'urlhaus_link'),
    firstSeenAt: parseTime(fieldOf('dateadded')),
  })
}

/** ThreatFox's types of indicator that weir lists. */
const threatfoxKinds: ReadonlyMap<string, EntryKind> = new Map([
  ['domain', 'name'],
  ['url', 'url'],
  ['ip:port', 'address'],
  ['md5_hash', 'digest'],
  ['sha1_hash', 'digest'],
  ['sha256_hash', 'digest'],
])

/** An indicator of ThreatFox. */
export function threatfoxItem(fieldOf: FieldOf): Item {
  const value = fieldOf('ioc_value')
  const type = fieldOf('ioc_type')
  if (value === undefined || type === undefined) return refusedRow('malformed_row')
  const kind = threatfoxKinds.get(type)
  if (kind === undefined) return refusedRow('unsupported_type')
  const family = saidIn(fieldOf, 'malware_printable')
  const confidence = saidIn(fieldOf, 'confidence_level')
  return entryOf(kind, value, {
    threatType: abuseChThreat,
    confidence: confidence === undefined ? undefined : Number(confidence),
    malwareFamily: family === 'Unknown malware' ? undefined : family,
    reference: saidIn(fieldOf, 'reference'),
    firstSeenAt: parseTime(fieldOf('first_seen_utc')),
  })
}

/** A name on CERT Polska's warning list; a date of deletion takes it off. */
export function certplItem(fieldOf: FieldOf): Item {
  const name = fieldOf('DomainAddress')
  if (name === undefined) return refusedRow('malformed_row')
  if ((fieldOf('DeleteDate') ?? '') !== '') return refusedRow('withdrawn')
  return entryOf('name', name, { firstSeenAt: parseTime(fieldOf('InsertDate')) })
}
