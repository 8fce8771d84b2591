/**
 * Recognises the format of a feed from its beginning: news by its root element, JSON by its keys, tables by
 * their header or their rows, lists by the form of most of their lines.
 */

import { parseAddress } from '../../model/address.ts'
import { parseDigest } from '../../model/digest.ts'
import { recogniseCsv } from './csv-formats.ts'
import type { FormatName } from './formats.ts'
import { isFtcCalls } from './ftc-calls.ts'
import { isNewsText } from './news-markup.ts'
import { recogniseJson } from './recognise-json.ts'

/** The number of lines of a sample that decide what a list is. */
const sampleLinesMax = 2_000

/** A list is mixed when one line in this many occurs only in mixed lists. */
const mixedShare = 100

/** The form of a line of a list. */
type LineShape = 'domains' | 'hosts' | 'urls' | 'adblock' | 'indicators' | 'prose'

/**
 * Returns the format of a file by its beginning, or null for what is not a list (an
 * HTML page, binary data).
 */
export function recogniseFormat(sample: string): FormatName | null {
  const text = sample.replace(/^\uFEFF/, '').trimStart()
  // "[" also begins the first line of an ad blocker's list.
  if (text.startsWith('{') || /^\[\s*["{\]]/.test(text)) return recogniseJson(text)
  if (text.startsWith('<')) return isNewsText(text) ? 'news' : null
  if (text.includes('\0')) return null
  if (isFtcCalls(text)) return 'ftc-calls'
  return recogniseCsv(text) ?? recogniseList(text)
}

function recogniseList(text: string): Exclude<LineShape, 'prose'> | null {
  const votes = { domains: 0, hosts: 0, urls: 0, adblock: 0, indicators: 0, prose: 0 }
  for (const line of text.split('\n', sampleLinesMax)) {
    const trimmed = line.trim()
    if (trimmed === '' || /^[#!;]/.test(trimmed)) continue
    votes[findShape(trimmed)]++
  }
  const { domains, hosts, urls, adblock, indicators, prose } = votes
  if (prose > domains + hosts + urls + adblock + indicators) return null
  if (adblock > domains && adblock >= hosts + urls + indicators) return 'adblock'
  if (hosts > domains && hosts > urls + indicators) return 'hosts'
  // A list of addresses is a list of names as well; ports, digests, and URLs among names tell a mixed
  // one.
  const total = Math.max(1, domains + urls + indicators)
  if ((indicators + Math.min(domains, urls)) * mixedShare >= total) return 'indicators'
  return urls > domains ? 'urls' : 'domains'
}

function findShape(line: string): LineShape {
  if (line.startsWith('||') || line.startsWith('@@')) return 'adblock'
  if (/^[0-9a-fA-F:.]{2,45}[ \t]/.test(line)) return 'hosts'
  if (parseDigest(line).ok) return 'indicators'
  const colon = line.lastIndexOf(':')
  const hasPort = colon > 0 && /^\d{1,5}$/.test(line.slice(colon + 1))
  if (hasPort && parseAddress(line.slice(0, colon)) !== null) return 'indicators'
  if (line.includes('://') || /^[^/\s]+\/\S/.test(line)) return 'urls'
  return /[ ,](?![#!;])/.test(line) ? 'prose' : 'domains'
}
