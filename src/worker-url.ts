/**
 * Where a worker's entry file lies: beside the sources when run from them, inside the executable
 * when compiled. `build.ts` names the same files as entry points.
 */

/** A bundled module's address: everything is bundled into the executable's root. */
const isCompiled = import.meta.url.includes('/$bunfs/') || import.meta.url.includes('/~BUN/')

/** Returns the address of a worker's entry, named relative to `src/`. */
export function workerUrl(
  entry:
    | 'writer-worker.ts'
    | 'index/generation-worker.ts'
    | 'publish/list-worker.ts'
    | 'publish/writing-worker.ts'
    | 'publish/search-worker.ts',
): string {
  return new URL(isCompiled ? `./${entry}` : `../src/${entry}`, import.meta.url).href
}
