/**
 * JSON documents that hold their entries in one array of names:
 *
 * - eth-phishing-detect: `{ version, tolerance, fuzzylist, whitelist, blacklist }`. Only the
 *   blacklist lists anything; the other lists guide its own fuzzy matching.
 * - polkadot: `{ allow, deny }`.
 */

import type { DocumentFormat } from './format.ts'

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is an answer of these formats ("malformed"), not a failure of the machine.
    return undefined
  }
}

/** The names in the array that stands under `key`; an element that is no text counts as empty. */
function namesUnder(key: string): DocumentFormat {
  return {
    kind: 'document',
    entries: 'name',
    readDocument(text) {
      const document = parseJson(text)
      const entries =
        typeof document === 'object' && document !== null
          ? new Map<string, unknown>(Object.entries(document)).get(key)
          : null
      if (!Array.isArray(entries)) return { ok: false, reason: 'malformed' }
      return { ok: true, value: entries.map((entry) => (typeof entry === 'string' ? entry : '')) }
    },
  }
}

/** The `blacklist` of an eth-phishing-detect configuration. */
export const ethPhishingDetect = namesUnder('blacklist')

/** The `deny` list of polkadot's all.json. */
export const polkadot = namesUnder('deny')
