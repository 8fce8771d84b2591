/**
 * The Traffic Light Protocol (FIRST, TLP 2.0): who may be told. weir tells everyone, so only what is
 * marked clear, or white as it was called before, may pass; any other mark of it forbids, and beside
 * another the strictest counts.
 */

const prefix = 'tlp:'

/** The marks that allow passing a thing on to anyone. */
const openMarks: ReadonlySet<string> = new Set(['tlp:clear', 'tlp:white'])

/** What the marks on a thing say of passing it on; null when none of them is of the protocol. */
export function readSharing(marks: Iterable<string>): 'open' | 'restricted' | null {
  let sharing: 'open' | null = null
  for (const mark of marks) {
    const name = mark.trim().toLowerCase()
    if (!name.startsWith(prefix)) continue
    if (!openMarks.has(name)) return 'restricted'
    sharing = 'open'
  }
  return sharing
}
