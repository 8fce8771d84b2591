/**
 * Reads marks of the Traffic Light Protocol (FIRST, TLP 2.0): who may see a thing. weir publishes to everyone,
 * so only what is marked clear (formerly white) may be shared; of several marks the strictest counts.
 */

const prefix = 'tlp:'

/** The marks that allow sharing with anyone. */
const openMarks: ReadonlySet<string> = new Set(['tlp:clear', 'tlp:white'])

/** Returns whether the marks on a thing allow sharing it; null when none of them is of the protocol. */
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
