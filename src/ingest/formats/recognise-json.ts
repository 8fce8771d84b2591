/**
 * Recognises a JSON feed from its beginning, which may be cut off anywhere, by the depth of the keys in it.
 * Linear; nothing is parsed.
 */

import type { JsonFormatName } from './json-feeds.ts'

/** The most that is read of a document. */
const sampleCharsMax = 64 * 1024

/** The depth of the deepest keys that identify a format: those of `{ id: [{ … }] }`. */
const depthMax = 3

/** The keys of a document's beginning, by the number of brackets of either sort around them. */
type KeysByDepth = readonly ReadonlySet<string>[]

/** Returns where a string that starts at `start` ends, past its quote; the end of text without one. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at++
    else if (character === '"') return at + 1
  }
  return text.length
}

function isKeyEnd(text: string, end: number): boolean {
  let at = end
  while (' \t\r\n'.includes(text.charAt(at)) && at < text.length) at++
  return text.charAt(at) === ':'
}

function readKeys(text: string): KeysByDepth {
  const keys = Array.from({ length: depthMax + 1 }, () => new Set<string>())
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === '"') {
      const end = endOfString(text, at)
      if (isKeyEnd(text, end)) keys[depth]?.add(text.slice(at + 1, end - 1))
      at = end - 1
    }
  }
  return keys
}

/** A key, or one of several, that only this format has at this depth. */
type Sign = readonly [depth: number, keys: readonly string[], name: JsonFormatName]

const signsOfObject: readonly Sign[] = [
  [1, ['blacklist', 'fuzzylist'], 'eth-phishing-detect'],
  [1, ['deny', 'allow'], 'polkadot'],
  [1, ['Event'], 'misp'],
  [3, ['Event'], 'misp'],
  [1, ['objects'], 'stix'],
  [3, ['urlhaus_link', 'url_status'], 'urlhaus-json'],
  [3, ['ioc_value'], 'threatfox-json'],
]

const signsOfArray: readonly Sign[] = [
  [2, ['phish_id', 'phish_detail_url'], 'phishtank-json'],
  [2, ['DomainAddress'], 'certpl-json'],
  [2, ['Event'], 'misp'],
]

/** Keys of a warninglist next to its `list`, in any order. */
const warninglistKeys = ['description', 'matching_attributes', 'name', 'type', 'version']

/** Returns the format of the JSON document that begins like `text`, or null when weir reads no such format. */
export function recogniseJson(text: string): JsonFormatName | null {
  const sample = text
    .slice(0, sampleCharsMax)
    .replace(/^\uFEFF/, '')
    .trimStart()
  const isArray = sample.startsWith('[')
  if (!isArray && !sample.startsWith('{')) return null
  const keys = readKeys(sample)
  const signs = isArray ? signsOfArray : signsOfObject
  const sign = signs.find(([depth, names]) => names.some((name) => keys[depth]?.has(name)))
  if (sign !== undefined) return sign[2]
  if (isArray) return recogniseArray(sample, keys)
  const isWarninglist = keys[1]?.has('list') && warninglistKeys.some((key) => keys[1]?.has(key))
  return isWarninglist ? 'misp-warninglist' : null
}

function recogniseArray(sample: string, keys: KeysByDepth): JsonFormatName | null {
  const first = sample.slice(1).trimStart().charAt(0)
  if (first === '"' || first === ']') return 'json-array'
  const ofRows = keys[2]
  return ofRows?.size === 2 && ofRows.has('date') && ofRows.has('url') ? 'polkadot-meta' : null
}
