/** Recognises how a feed is written from its beginning. */

import type { FormatName } from './formats.ts'

/** How many lines of a sample decide what a list is. */
const sampleLinesMax = 200

/**
 * Recognises the format from the beginning of a file, or returns null for what is no list at all
 * (an HTML page, binary data). The majority of the sampled lines decides.
 */
export function recogniseFormat(sample: string): FormatName | null {
  const text = sample.replace(/^\uFEFF/, '').trimStart()
  if (text.startsWith('{')) return recogniseDocument(text)
  if (text.startsWith('<') || text.includes('\0')) return null
  const votes = { domains: 0, hosts: 0, urls: 0 }
  for (const line of text.split('\n', sampleLinesMax)) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith('!')) continue
    if (/^[0-9a-fA-F:.]{2,45}[ \t]/.test(trimmed)) votes.hosts++
    else if (trimmed.includes('://') || /^[^/\s]+\/\S/.test(trimmed)) votes.urls++
    else votes.domains++
  }
  if (votes.hosts > votes.domains && votes.hosts > votes.urls) return 'hosts'
  return votes.urls > votes.domains ? 'urls' : 'domains'
}

function recogniseDocument(text: string): FormatName | null {
  if (text.includes('"blacklist"') || text.includes('"fuzzylist"')) return 'eth-phishing-detect'
  return text.includes('"deny"') || text.includes('"allow"') ? 'polkadot' : null
}
