/**
 * What a row of a publisher means, whichever way the publisher writes it out. Each takes the row's
 * fields by name, so that a JSON document and a table of the same publisher say the same.
 */

import type { ThreatType } from '../../model/indicator.ts'
import { toEntry } from './entry.ts'
import { type EntryKind, type Item, refusedRow } from './format.ts'
import { parseTime } from './time.ts'

/** Returns a field of a row as text; undefined when the row has none of that name. */
export type ReadField = (name: string) => string | undefined

/** What abuse.ch lists is malware or serves it. */
const abuseChThreat: ThreatType = 'malware'

/** Returns a field that abuse.ch fills, when it has nothing to say, with `None`. */
function saidIn(field: ReadField, name: string): string | undefined {
  const text = field(name)
  return text === '' || text === 'None' ? undefined : text
}

/** A phish of PhishTank; one that is offline again or that nobody confirmed is left out. */
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

/** A URL of URLhaus; one that is offline at the moment stays listed, for it may come back. */
export function urlhausItem(field: ReadField): Item {
  const url = field('url')
  if (url === undefined) return refusedRow('malformed_row')
  return toEntry('url', url, {
    threatType: abuseChThreat,
    reference: saidIn(field, 'urlhaus_link'),
    firstSeenAt: parseTime(field('dateadded')),
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
export function threatfoxItem(field: ReadField): Item {
  const value = field('ioc_value')
  const type = field('ioc_type')
  if (value === undefined || type === undefined) return refusedRow('malformed_row')
  const kind = threatfoxKinds.get(type)
  if (kind === undefined) return refusedRow('unsupported_type')
  const family = saidIn(field, 'malware_printable')
  const confidence = saidIn(field, 'confidence_level')
  return toEntry(kind, value, {
    threatType: abuseChThreat,
    confidence: confidence === undefined ? undefined : Number(confidence),
    malwareFamily: family === 'Unknown malware' ? undefined : family,
    reference: saidIn(field, 'reference'),
    firstSeenAt: parseTime(field('first_seen_utc')),
  })
}

/** A name on CERT Polska's warning list; a date of deletion takes it off. */
export function certplItem(field: ReadField): Item {
  const name = field('DomainAddress')
  if (name === undefined) return refusedRow('malformed_row')
  if ((field('DeleteDate') ?? '') !== '') return refusedRow('withdrawn')
  return toEntry('name', name, { firstSeenAt: parseTime(field('InsertDate')) })
}
