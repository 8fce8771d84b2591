/**
 * Keeps a copy of weir's block list in a file in sync, by reading only what has changed.
 *
 *     bun examples/local-copy.ts http://127.0.0.1:8080 domains.json            runs until it is stopped
 *     bun examples/local-copy.ts http://127.0.0.1:8080 domains.json --once     for a scheduled job
 *
 * The steps: begin with an empty copy and the cursor `begin`. From each answer, delete what was removed,
 * then store what was added, by its domain. Continue while there is `more`, then compare the hashes. A
 * copy that differs, or whose cursor is too old (`resync`), is emptied and begins again.
 */

import { rename } from 'node:fs/promises'
import { type BlacklistEntry, createWeirClient, type WeirClient } from 'weir/client'

/** Number of domains in one call. */
const domainsAtOnce = 10_000

/** Number of times that one update starts again before it fails. */
const attemptsMax = 3

/** The cursor of an empty copy. */
const beginning = 'begin'

/** Returns the first 16 bytes of a name's SHA-256 as a number. */
function hashDomain(domain: string): bigint {
  return BigInt(`0x${new Bun.CryptoHasher('sha256').update(domain).digest('hex').slice(0, 32)}`)
}

/** The block list as of the last update. */
export class LocalCopy {
  readonly #api: WeirClient
  readonly #entries = new Map<string, BlacklistEntry>()
  #cursor = beginning
  /** The XOR of the hashes of all domains. */
  #hash = 0n

  constructor(baseUrl: string) {
    this.#api = createWeirClient(baseUrl)
  }

  /** The entries by domain. Do not block an entry with `do_not_block: 1`. */
  get entries(): ReadonlyMap<string, BlacklistEntry> {
    return this.#entries
  }

  /** The hash of the set of domains, in the form of `set_hash`. */
  get setHash(): string {
    return this.#hash.toString(16).padStart(32, '0')
  }

  /**
   * Reads what has changed since the last call, and returns the number of seconds to wait before the next.
   * Throws if weir does not answer; the next call then continues from there.
   */
  async pull(): Promise<number> {
    for (let attempts = 0; attempts < attemptsMax; ) {
      const query = { cursor: this.#cursor, limit: domainsAtOnce }
      const { data, error } = await this.#api.api.v1.blacklist.changes.get({ query })
      if (error !== null) throw new Error(`weir answers ${error.status}: ${error.value.detail}`)
      if (data.resync) {
        attempts++
        this.#clear()
        continue
      }
      for (const { domain } of data.removed) this.#remove(domain)
      for (const entry of data.added) this.#put(entry)
      this.#cursor = data.cursor
      if (data.more) continue
      if (data.set_hash === this.setHash) return data.min_wait_seconds
      attempts++
      this.#clear()
    }
    throw new Error('the copy does not match the list after starting again; try again later')
  }

  /** Reads a copy that `save` wrote; a missing file is an empty copy. */
  async load(path: string): Promise<void> {
    const file = Bun.file(path)
    if (!(await file.exists())) return
    const saved: { cursor: string; entries: BlacklistEntry[] } = await file.json()
    this.#clear()
    for (const entry of saved.entries) this.#put(entry)
    this.#cursor = saved.cursor
  }

  /** Writes the copy to a new file and renames it, so that readers never see half a copy. */
  async save(path: string): Promise<void> {
    const entries = [...this.#entries.values()]
    await Bun.write(`${path}.new`, JSON.stringify({ cursor: this.#cursor, entries }))
    await rename(`${path}.new`, path)
  }

  #put(entry: BlacklistEntry): void {
    if (!this.#entries.has(entry.domain)) this.#hash ^= hashDomain(entry.domain)
    this.#entries.set(entry.domain, entry)
  }

  #remove(domain: string): void {
    if (this.#entries.delete(domain)) this.#hash ^= hashDomain(domain)
  }

  #clear(): void {
    this.#entries.clear()
    this.#hash = 0n
    this.#cursor = beginning
  }
}

async function main([baseUrl, path, option]: readonly string[]): Promise<void> {
  const isOnce = option === '--once'
  if (baseUrl === undefined || path === undefined || (option !== undefined && !isOnce)) {
    console.error('usage: bun examples/local-copy.ts ADDRESS FILE [--once]')
    process.exit(2)
  }
  const copy = new LocalCopy(baseUrl)
  await copy.load(path)
  for (;;) {
    let waitSeconds = 60
    try {
      waitSeconds = await copy.pull()
      await copy.save(path)
      console.log(`${new Date().toISOString()} in sync: ${copy.entries.size} domains`)
      if (isOnce) return
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
      if (isOnce) process.exit(1)
    }
    await Bun.sleep(waitSeconds * 1_000)
  }
}

if (import.meta.main) await main(process.argv.slice(2))
