/**
 * Reads MISP warninglists, `{ name, description, version, type, list, matching_attributes }`: names that are
 * known to be innocent or shared, which weir uses as guards.
 *
 * The kind of an entry follows from its form, because a list's `type` is how MISP compares it (`string`,
 * `substring`, `hostname`, `cidr`). A name with a leading dot means all names below it; the dot is cut. A list
 * of `regex` has nothing that weir can keep. Entries with a path guard a page, not a name, and are left out
 * like everything else that is not a name, address, network or digest.
 */

import { parseAddress } from '../../model/address.ts'
import { parseDigest } from '../../model/digest.ts'
import { parseDomainName } from '../../model/domain.ts'
import { type Item, refusedRow } from './format.ts'
import { arrayUnder, eachItem, jsonFormat, textUnder } from './json.ts'

/** A digest that weir does not list (SHA-224, SHA-512 …): no name has this form. */
const otherDigest = /^[0-9a-f]{40,128}$/i

/** The end of an entry that its publisher cut short for display. */
const cutShort = /(?:…|\.\.\.)$/

function networkItem(text: string, slash: number): Item {
  const isNetwork =
    parseAddress(text.slice(0, slash)) !== null && /^\d{1,3}$/.test(text.slice(slash + 1))
  return isNetwork ? { kind: 'network', text } : refusedRow('unsupported_type')
}

function nameItem(text: string): Item {
  const name = text.startsWith('.') ? text.slice(1) : text
  return parseDomainName(name).ok ? { kind: 'name', text: name } : refusedRow('unsupported_type')
}

function readElement(element: unknown, hasAddresses: boolean): Item {
  if (typeof element !== 'string') return refusedRow('malformed_row')
  const text = element.trim()
  if (text === '' || cutShort.test(text)) return refusedRow('malformed_row')
  const slash = text.indexOf('/')
  if (slash !== -1) return networkItem(text, slash)
  if (parseDigest(text).ok) return { kind: 'digest', text }
  if (otherDigest.test(text)) return refusedRow('unsupported_type')
  if (parseAddress(text) === null) return nameItem(text)
  return hasAddresses ? { kind: 'address', text } : refusedRow('unsupported_type')
}

/** Reports whether a list is compared with addresses; otherwise `3::` is a fuzzy digest and not IPv6. */
function isOfAddresses(list: unknown): boolean {
  const attributes = arrayUnder(list, 'matching_attributes')
  if (attributes === null || textUnder(list, 'type') === 'cidr') return true
  return attributes.some(
    (attribute) =>
      typeof attribute === 'string' && (attribute === 'domain|ip' || attribute.startsWith('ip-')),
  )
}

/** One warninglist. */
export const mispWarninglist = jsonFormat((document) => {
  const list = arrayUnder(document, 'list')
  const type = textUnder(document, 'type')
  if (list === null || type === undefined) return null
  if (type === 'regex') return eachItem(list, () => refusedRow('unsupported_type'))
  const hasAddresses = isOfAddresses(document)
  return eachItem(list, (element) => readElement(element, hasAddresses))
})
