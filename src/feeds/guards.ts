/**
 * The facts that stand between feeds and the lists: names too popular to be listed, and shared
 * infrastructure, as `data/` describes them.
 */

import protectedNamesText from '../../data/protected-names.txt' with { type: 'text' }
import sharedInfrastructureText from '../../data/shared-infrastructure.txt' with { type: 'text' }
import { isPublicName } from '../model/domain.ts'
import { type Platforms, parsePlatforms } from '../model/platform.ts'

export interface Guards {
  /** Reports whether a listing of exactly this host would block a popular site. */
  isProtected(host: string): boolean
  /** Reports whether a listing of this address would block a popular service. */
  isProtectedAddress(address: string): boolean
  /** Reports whether a digest is known to be one of harmless files. */
  isProtectedDigest(digest: string): boolean
  readonly platforms: Platforms
}

/** Returns the names of a fact file: one a line, `#` begins a comment. */
function namesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((name) => name !== '')
}

/** Returns the public names above `name`, which nobody may list either: all of it lies below them. */
function parentsOf(name: string): string[] {
  const parents: string[] = []
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const parent = name.slice(dot + 1)
    if (isPublicName(parent)) parents.push(parent)
  }
  return parents
}

/**
 * Reads the facts that ship with weir; a name is protected with and without `www.`, and with every
 * name above it and above a platform.
 */
export function loadGuards(): Guards {
  const platforms = parsePlatforms(sharedInfrastructureText)
  // Only who imports asks, so the serving thread never builds the set.
  let names: ReadonlySet<string> | null = null
  return {
    isProtected: (host) => {
      names ??= protectedNames(platforms)
      return names.has(host.startsWith('www.') ? host.slice(4) : host)
    },
    isProtectedAddress: () => false,
    isProtectedDigest: () => false,
    platforms,
  }
}

function protectedNames(platforms: Platforms): ReadonlySet<string> {
  const names = namesOf(protectedNamesText)
  const apexes = platforms.named.map(({ apex }) => apex)
  return new Set([...names, ...[...names, ...apexes].flatMap(parentsOf)])
}
