/**
 * Filter lists of ad blockers, of which one rule means "this site" or "this page":
 *
 *     ||evil.example^             a name             ||evil.example/login^    a page
 *     ||evil.example^$all         … with options     |http://evil.example/|   a page
 *     evil.example                a name, as mixed lists have it
 *
 * Whatever blocks by pattern, or only somewhere or partly, says less than that and is left out. `!`
 * and `#` begin comments, a line in brackets names the dialect.
 */

import { type Item, type LineFormat, refusedRow } from './format.ts'

/** Options that block a site as a whole; any other narrows the rule, or undoes one. */
const wholeOptions: ReadonlySet<string> = new Set(['all', 'doc', 'document', 'important', 'popup'])

/** What stands between the sites of a cosmetic rule and what it hides there. */
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

/** Returns the address in a rule: its anchors are cut off, the marks of a pattern are none of it. */
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
  // An expression: it begins with the slash that a path has only after a host.
  if (rule.startsWith('/')) return refusedRow('unsupported_type')
  const pattern = withoutOptions(rule)
  const address = pattern === null ? null : findAddress(pattern)
  if (address === null) return refusedRow('unsupported_type')
  // With a path, a query or a port it is a page and must not stand for its host.
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
