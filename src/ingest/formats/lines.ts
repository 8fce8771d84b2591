/**
 * Reads lists of one entry a line, with comments; all such formats by name:
 *
 * - domains, hosts, urls: entries of one kind.
 * - openphish: URLs as a web page would print them.
 * - indicators: entries of any kind, which follows from their form. A comment `# Reference: URL`, as in
 *   maltrail's trails, is the source of the entries below it, up to an empty line.
 */

import { adblockLines } from './adblock.ts'
import { type Item, type LineFormat, type ReadLine, refusedRow, toEntry } from './format.ts'

const isComment = (line: string): boolean => {
  const first = line.charCodeAt(0)
  // "#" and, from blockers' lists, "!"; ";" begins a comment in zone-like files.
  return first === 0x23 || first === 0x21 || first === 0x3b
}

/** Cuts a trailing comment off: "#" after white space; a bare "#" may belong to a URL. */
function withoutComment(line: string): string {
  const at = line.search(/[ \t]#/)
  return at === -1 ? line : line.slice(0, at).trimEnd()
}

/** Reports whether the publisher cut an entry short, so that it names something else. */
const isCutShort = (text: string): boolean => text.endsWith('…')

/** Returns a format whose lines are independent of each other. */
const eachLine = (readLine: ReadLine): LineFormat => ({ kind: 'lines', open: () => readLine })

/** One domain a line; in columns separated by tabs (such as a date first), the last one. */
const domainLines = eachLine((line, take) => {
  const text = line.trim()
  if (text === '' || isComment(text)) return
  const entry = withoutComment(text)
  take({ kind: 'name', text: entry.slice(entry.lastIndexOf('\t') + 1) })
})

/** The most names of a line of a hosts file; blockers write at most nine, for the sake of Windows. */
const hostNamesMax = 1_000

/** A hosts file: an address, then one or more names (hosts(5)). */
const hostsLines = eachLine((line, take) => {
  const text = line.trim()
  if (text === '' || isComment(text)) return
  const [, ...names] = withoutComment(text).split(/[ \t]+/, hostNamesMax + 2)
  if (names.length > hostNamesMax) {
    take(refusedRow('malformed_row'))
    return
  }
  // A line with an address alone is wrong; as a name it is counted as refused.
  if (names.length === 0) take({ kind: 'name', text })
  for (const name of names) take({ kind: 'name', text: name })
})

const urlItem = (text: string): Item =>
  isCutShort(text) ? refusedRow('malformed_row') : { kind: 'url', text }

/** One URL a line. */
const urlLines = eachLine((line, take) => {
  const text = line.trim()
  if (text !== '' && !isComment(text)) take(urlItem(text))
})

/** Escapes that HTML uses for characters of a URL. */
const escapes: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&#39;', "'"],
  ['&#x27;', "'"],
  ['&#039;', "'"],
])

/** Returns the text with one layer of HTML's escapes undone; any other reference is part of the URL. */
const withoutEscapes = (text: string): string =>
  text.replace(/&#?[a-z0-9]{2,4};/gi, (name) => escapes.get(name.toLowerCase()) ?? name)

/** Returns the URL without the escaped line ends of a copied text. */
function withoutLineEnds(url: string): string {
  let end = url.length
  while (/%0[ad]/i.test(url.slice(Math.max(0, end - 3), end))) end -= 3
  return url.slice(0, end)
}

/** One URL a line, with HTML's escapes and escaped line ends in it. */
const openphishLines = eachLine((line, take) => {
  const text = line.trim()
  if (text !== '' && !isComment(text)) take(urlItem(withoutLineEnds(withoutEscapes(text))))
})

const referenceMark = 'reference:'

/** Returns the address in a comment `# Reference: URL`; undefined for any other comment. */
function referenceIn(comment: string): string | undefined {
  const words = comment.slice(1).trimStart()
  if (words.slice(0, referenceMark.length).toLowerCase() !== referenceMark) return undefined
  return words.slice(referenceMark.length).trim() || undefined
}

/** One indicator of any kind a line. */
const indicatorLines: LineFormat = {
  kind: 'lines',
  open: () => {
    let reference: string | undefined
    let hasEntries = false
    return (line, take) => {
      const text = line.trim()
      if (text === '') {
        if (hasEntries) reference = undefined
        hasEntries = false
      } else if (isComment(text)) reference = referenceIn(text) ?? reference
      else {
        hasEntries = true
        const entry = withoutComment(text)
        if (isCutShort(entry)) take(refusedRow('malformed_row'))
        else take(toEntry('any', entry, { reference }))
      }
    }
  },
}

/** The line formats of lists, by name. */
export const lineFormats = {
  domains: domainLines,
  hosts: hostsLines,
  urls: urlLines,
  adblock: adblockLines,
  openphish: openphishLines,
  indicators: indicatorLines,
} as const satisfies Readonly<Record<string, LineFormat>>
