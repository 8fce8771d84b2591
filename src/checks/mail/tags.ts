/**
 * The tags of an HTML mail: their names, and the attributes by which they lead somewhere.
 *
 * Reads as the HTML standard does ("13.2.5 Tokenization"); goes forward only, so it is linear.
 */

import { urlBytesMax } from '../../model/url.ts'
import { decodeReferences } from './entities.ts'

/** What of each tag is read. */
const wantedAttributes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['a', new Set(['href', 'xlink:href'])],
  ['area', new Set(['href'])],
  ['base', new Set(['href'])],
  ['form', new Set(['action'])],
  ['button', new Set(['formaction'])],
  ['input', new Set(['formaction'])],
  ['iframe', new Set(['src'])],
  ['frame', new Set(['src'])],
  ['meta', new Set(['http-equiv', 'content'])],
])
const attributeLengthMax = 10
/** A longer base is no address, and would be copied in front of every link. */
const baseLengthMax = Math.floor(urlBytesMax / 3)

const nothing: ReadonlyMap<string, string> = new Map()

export const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)
export const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

/** Reports whether a tag's name goes on: not at a blank, `/`, `>` or the end. */
function isOfName(code: number): boolean {
  return !(isBlank(code) || code === 0x2f || code === 0x3e || Number.isNaN(code))
}

/** Returns where the tag's name that starts at `start` ends. */
export function endOfTagName(body: string, start: number): number {
  let end = start
  while (isOfName(body.charCodeAt(end))) end++
  return end
}

/** What was read of a tag. */
export interface Attributes {
  /** As they are written; the first of each name. */
  readonly values: ReadonlyMap<string, string>
  /** Past the tag's `>`. */
  readonly end: number
}

/** Reads the attributes that matter of the tag `name`, from behind its name on. */
export function readAttributes(body: string, from: number, name: string): Attributes {
  const wanted = wantedAttributes.get(name)
  const values = new Map<string, string>()
  let at = from
  for (;;) {
    while (isBlank(body.charCodeAt(at)) || body.charCodeAt(at) === 0x2f) at++
    // Who never closes a tag has none: mail programs show neither it nor what follows.
    if (at >= body.length) return { values: nothing, end: at }
    if (body.charCodeAt(at) === 0x3e) return { values, end: at + 1 }
    const nameStart = at
    // An attribute may not start with `=`; browsers then take it for part of the name.
    do at++
    while (isOfName(body.charCodeAt(at)) && body.charCodeAt(at) !== 0x3d)
    const nameEnd = at
    while (isBlank(body.charCodeAt(at))) at++
    if (body.charCodeAt(at) !== 0x3d) continue
    const [start, end, next] = findValue(body, at + 1)
    at = next
    if (wanted === undefined || nameEnd - nameStart > attributeLengthMax) continue
    const attribute = body.slice(nameStart, nameEnd).toLowerCase()
    if (!wanted.has(attribute) || values.has(attribute)) continue
    values.set(attribute, body.slice(start, end))
  }
}

/** Returns where an attribute's value starts and ends, and where the tag goes on. */
function findValue(body: string, from: number): [number, number, number] {
  let start = from
  while (isBlank(body.charCodeAt(start))) start++
  const quote = body.charAt(start)
  if (quote === '"' || quote === "'") {
    const closing = body.indexOf(quote, start + 1)
    const end = closing === -1 ? body.length : closing
    return [start + 1, end, end + 1]
  }
  let end = start
  while (end < body.length && !isBlank(body.charCodeAt(end)) && body.charCodeAt(end) !== 0x3e) {
    end++
  }
  return [start, end, end]
}

/** Takes off what browsers take off an address: blanks and controls around it, line breaks in it. */
function cleanTarget(value: string): string {
  const target = decodeReferences(value, 'attribute').replace(/[\t\r\n]/g, '')
  let start = 0
  let end = target.length
  while (start < end && target.charCodeAt(start) <= 0x20) start++
  while (end > start && target.charCodeAt(end - 1) <= 0x20) end--
  return target.slice(start, end).trim()
}

/** Returns the address in `0; url=https://…`, or null. */
function refreshTarget(values: ReadonlyMap<string, string>): string | null {
  if (cleanTarget(values.get('http-equiv') ?? '').toLowerCase() !== 'refresh') return null
  const content = cleanTarget(values.get('content') ?? '')
  const address = content
    .replace(/^[\s\d.;,]+/, '')
    .replace(/^url\s*=/i, '')
    .trimStart()
  const quote = address.charAt(0)
  return quote === '"' || quote === "'" ? (address.slice(1).split(quote, 1)[0] ?? '') : address
}

/** Returns where a tag leads, references decoded; the first is where a click on it goes. */
export function targetsOf(name: string, values: ReadonlyMap<string, string>): string[] {
  if (values.size === 0) return []
  if (name === 'meta') {
    const refresh = refreshTarget(values)
    return refresh === null ? [] : [refresh]
  }
  const href = values.get('href')
  const others = [...values].filter(([attribute]) => attribute !== 'href').map(([, value]) => value)
  return (href === undefined ? others : [href, ...others]).map(cleanTarget)
}

/** Returns where `target` leads in a mail with `<base href>`. */
export function resolveTarget(target: string, base: string | null): string {
  if (base === null || base.length > baseLengthMax) return target
  if (target.startsWith('#') || /^[a-z][a-z\d+.-]*:/i.test(target)) return target
  return URL.parse(target.slice(0, baseLengthMax), base)?.href ?? target
}
