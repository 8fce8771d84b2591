/**
 * Reads filter lists of ad blockers, where a rule means "this site" or "this page":
 *
 *     ||evil.example^             a name             ||evil.example/login^    a page
 *     ||evil.example^$all         … with options     |http://evil.example/|   a page
 *     evil.example                a name, as mixed lists have it
 *
 * Rules that block by pattern, only on some sites or only in part are left out. `!` and `#` begin comments, a
 * line in brackets names the dialect.
 */

import { type Item, type LineFormat, refusedRow } from './format.ts'

/** Options that block a whole site; any other narrows a rule or cancels one. */
const wholeOptions: ReadonlySet<string> = new Set(['all', 'doc', 'document', 'important', 'popup'])

/** The marks between the sites of a cosmetic rule and what it hides there. */
const cosmeticMarks = ['##', '#@#', '#?#', '#@?#', '#$#', '#@$#', '#%#', '#@%#', '$$', '$@$']

/** Returns a rule without its options, or null when they narrow it. */
function withoutOptions(rule: string): string | null {
  const at = rule.lastIndexOf('$')
  if (at === -1) return rule
  const isWhole = rule
    .slice(at + 1)
    .split(',')
    .every((option) => wholeOptions.has(option))
  return isWhole ? rule.slice(0, at) : null
}

/** Returns the address in a rule without its anchors, or null when the rule is a pattern. */
function findAddress(pattern: string): string | null {
  const start = pattern.startsWith('||') ? 2 : pattern.startsWith('|') ? 1 : 0
  const isEndMarked = pattern.endsWith('^') || (pattern.endsWith('|') && pattern.length > start)
  const address = pattern.slice(start, isEndMarked ? -1 : undefined)
  return /[*^|]/.test(address) ? null : address
}

function readRule(rule: string): Item {
  if (rule.startsWith('@@') || cosmeticMarks.some((mark) => rule.includes(mark))) {
    return refusedRow('not_an_indicator')
  }
  // A regular expression: an address begins with a host, not with a slash.
  if (rule.startsWith('/')) return refusedRow('unsupported_type')
  const pattern = withoutOptions(rule)
  const address = pattern === null ? null : findAddress(pattern)
  if (address === null) return refusedRow('unsupported_type')
  // With a path, a query or a port it is a page and must not list its host.
  return { kind: /[/?:]/.test(address) ? 'url' : 'name', text: address }
}

const isComment = (line: string): boolean =>
  line.startsWith('!') ||
  (line.startsWith('[') && line.endsWith(']')) ||
  (line.startsWith('#') && !cosmeticMarks.some((mark) => line.startsWith(mark)))

/** A filter list, one rule a line. */
export const adblockLines: LineFormat = {
  kind: 'lines',
  open: () => (line, take) => {
    const text = line.trim()
    if (text !== '' && !isComment(text)) take(readRule(text))
  },
}
