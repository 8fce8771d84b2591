/** What the benchmarks measure on: generated names, databases filled with them, and a served weir. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createBrandNaming } from '../src/checks/looks/brand-naming.ts'
import { type Guards, loadGuards } from '../src/ingest/guards.ts'
import { type ImportReport, importFeed } from '../src/ingest/importer.ts'
import { ownList } from '../src/ingest/sources.ts'
import type { BrandNamer } from '../src/model/brand.ts'
import { WriteStore } from '../src/store/store.ts'
import type { Latencies } from './paced-client.ts'

/** How many names a chunk of a generated list holds. */
const namesPerChunk = 5_000

/**
 * Returns the `index`th generated name: every fourth has a parent of its own, so that a name takes
 * 1.25 nodes of the trie, as real lists do. Spread so that neighbours do not sort together.
 */
export function nameAt(index: number): string {
  const spread = (Math.imul(index, 0x9e37_79b1) >>> 0).toString(36).padStart(7, '0')
  return index % 4 === 0 ? `login.${spread}-${index % 97}.test` : `${spread}-pay.test`
}

/** A list of `count` generated names from `first` on, one a line. */
export function listOf(first: number, count: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = first
  return new ReadableStream({
    pull: (controller) => {
      const end = Math.min(at + namesPerChunk, first + count)
      let text = ''
      for (; at < end; at++) text += `${nameAt(at)}\n`
      controller.enqueue(new TextEncoder().encode(text))
      if (end === first + count) controller.close()
    },
  })
}

/** A directory that is removed when the benchmark that asked for it is done. */
export class BenchDirectory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'weir-bench-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

export function openStore(dataDir: string): WriteStore {
  return WriteStore.open({ dataDir, role: 'background', now: Date.now })
}

/** Names brands as an import does. */
export function benchNaming({ platforms, isProtected }: Guards): BrandNamer {
  return createBrandNaming({ platforms, isPopular: isProtected, threshold: 50 })
}

/** Imports generated names as the full list of a source. */
export function importNames(
  store: WriteStore,
  source: string,
  first: number,
  count: number,
  onCommit: () => void = () => {},
): Promise<ImportReport> {
  const guards = loadGuards()
  return importFeed(
    { store, guards, naming: benchNaming(guards), now: Date.now, onCommit },
    {
      source: ownList(source, true),
      format: 'domains',
      parts: [() => listOf(first, count)],
      digest: null,
      force: false,
    },
  )
}

/** A weir that serves in a process of its own. */
export interface Served {
  readonly url: string
  readonly pid: number
  /** From the start of the process to its first good answer. */
  readonly startMs: number
  /** Resident memory right after that answer. */
  residentBytes(): Promise<number>
  stop(): Promise<void>
}

const root = resolve(import.meta.dir, '..')

/** Starts `weir serve` on a data directory, with more settings, and waits for its first verdict. */
export async function serve(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const startedAt = performance.now()
  const child = Bun.spawn([process.execPath, 'src/main.ts', 'serve'], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'inherit',
    env: {
      ...process.env,
      WEIR_DATA: dataDir,
      WEIR_PORT: '0',
      WEIR_STARTER: 'off',
      WEIR_FETCH: 'off',
      WEIR_BACKUP_EVERY: 'off',
      WEIR_LIMIT_CHECK_URL: '999999/1s',
      WEIR_LIMIT_BULK: '999999/1s',
      WEIR_LIMIT_LISTS: '999999/1s',
      WEIR_LIMIT_STIX: '999999/1s',
      WEIR_LIMIT_TAXII: '999999/1s',
      WEIR_LIMIT_SEARCH: '999999/1s',
      WEIR_LIMIT_RSS: '999999/1s',
      ...settings,
    },
  })
  let output = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    output += decoder.decode(chunk, { stream: true })
    const url = /http:\/\/[\d.]+:\d+/.exec(output)?.[0]
    if (url === undefined) continue
    await (await fetch(`${url}/api/check-url?url=${nameAt(1)}`)).arrayBuffer()
    const startMs = performance.now() - startedAt
    return {
      url,
      pid: child.pid,
      startMs,
      residentBytes: async () => {
        const status = await Bun.file(`/proc/${child.pid}/status`).text()
        return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
      },
      stop: async () => {
        child.kill('SIGTERM')
        await child.exited
      },
    }
  }
  throw new Error(`weir did not start: ${output}`)
}

/** Runs `weir import` in a process of its own. */
export async function importBeside(dataDir: string, file: string, source: string): Promise<void> {
  const child = Bun.spawn(
    [process.execPath, 'src/main.ts', 'import', file, '--source', source, '--format', 'domains'],
    { cwd: root, env: { ...process.env, WEIR_DATA: dataDir }, stdout: 'ignore', stderr: 'inherit' },
  )
  if ((await child.exited) !== 0) throw new Error('the import beside the server failed')
}

/** Asks a served weir for checks at a steady pace, from a process of its own. */
export async function paced(
  { url }: Served,
  callsPerSecond: number,
  seconds: number,
): Promise<Latencies> {
  const client = join(import.meta.dir, 'paced-client.ts')
  const child = Bun.spawn(
    [process.execPath, client, url, String(callsPerSecond), String(seconds)],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const latencies: Latencies = JSON.parse(await new Response(child.stdout).text())
  return latencies
}
