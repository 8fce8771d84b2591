/**
 * The facts that stand between feeds and the lists: names too popular to be listed, and shared
 * infrastructure, as `data/` describes them.
 */

import protectedNamesText from '../../data/protected-names.txt' with { type: 'text' }
import sharedInfrastructureText from '../../data/shared-infrastructure.txt' with { type: 'text' }
import { type Platforms, parsePlatforms } from '../model/platform.ts'

export interface Guards {
  /** Reports whether a listing of exactly this host would block a popular site. */
  isProtected(host: string): boolean
  readonly platforms: Platforms
}

/** Returns the names of a fact file: one a line, `#` begins a comment. */
function namesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((name) => name !== '')
}

/** Reads the facts that ship with weir; a name is protected with and without `www.`. */
export function loadGuards(): Guards {
  const names = new Set(namesOf(protectedNamesText))
  return {
    isProtected: (host) => names.has(host.startsWith('www.') ? host.slice(4) : host),
    platforms: parsePlatforms(sharedInfrastructureText),
  }
}
