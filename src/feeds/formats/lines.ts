/** Lists of one entry a line: domains, hosts files and URLs, with their comments. */

import type { LineFormat, ReadLine } from './format.ts'

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

/** A format whose lines say all by themselves. */
const eachLine = (readLine: ReadLine): LineFormat => ({ kind: 'lines', open: () => readLine })

/** One domain a line; of columns separated by tabs (a date before it, say), the last one. */
export const domainLines = eachLine((line, take) => {
  const text = line.trim()
  if (text === '' || isComment(text)) return
  const entry = withoutComment(text)
  take({ kind: 'name', text: entry.slice(entry.lastIndexOf('\t') + 1) })
})

/** A hosts file: an address, then one or more names (hosts(5)). */
export const hostsLines = eachLine((line, take) => {
  const text = line.trim()
  if (text === '' || isComment(text)) return
  const [, ...names] = withoutComment(text).split(/[ \t]+/)
  // A line with an address alone is wrong; handing it on gets it counted as refused.
  if (names.length === 0) take({ kind: 'name', text })
  for (const name of names) take({ kind: 'name', text: name })
})

/** One URL a line. */
export const urlLines = eachLine((line, take) => {
  const text = line.trim()
  if (text !== '' && !isComment(text)) take({ kind: 'url', text })
})
