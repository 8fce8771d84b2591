/**
 * The entry files of weir's threads, relative to `src/`. `build.ts` compiles the same list into the
 * executable, where each file lies at its path below the root of the bundle.
 */

export const threadEntries = [
  'writer-worker.ts',
  'index/generation-worker.ts',
  'publish/lists/list-worker.ts',
  'publish/stix/stix-worker.ts',
  'search/search-worker.ts',
] as const

export type ThreadEntry = (typeof threadEntries)[number]

/** Everything is bundled into the executable's root, so this file's address has lost its folder there. */
const isCompiled = import.meta.url.includes('/$bunfs/') || import.meta.url.includes('/~BUN/')

/** Returns the address of a thread's entry file. */
export function resolveEntry(entry: ThreadEntry): URL {
  return new URL(isCompiled ? `./${entry}` : `../${entry}`, import.meta.url)
}
