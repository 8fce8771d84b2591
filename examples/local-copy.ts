/**
 * Keeps a copy of weir's block list level, in a file, by reading only what has changed.
 *
 *     bun examples/local-copy.ts http://127.0.0.1:8080 domains.json            until it is stopped
 *     bun examples/local-copy.ts http://127.0.0.1:8080 domains.json --once     as for a job by the clock
 *
 * The whole of it: begin with an empty copy and the cursor `begin`; of each answer, first take out what
 * was removed, then put in what was added, under its domain; ask on while there is `more`; then compare
 * hashes. A copy that is not level, or whose place has been forgotten (`resync`), begins anew.
 */

import { rename } from 'node:fs/promises'
import { type BlacklistEntry, createWeirClient, type WeirClient } from 'weir/client'

/** How many domains are asked for at once. */
const domainsAtOnce = 10_000

/** How often one reading begins anew before it gives up. */
const attemptsMax = 3

/** The cursor of a copy that holds nothing. */
const beginning = 'begin'

/** The first 16 bytes of a name's SHA-256 as a number. */
function hashOf(domain: string): bigint {
  return BigInt(`0x${new Bun.CryptoHasher('sha256').update(domain).digest('hex').slice(0, 32)}`)
}

/** The block list as it stood at the last reading. */
export class LocalCopy {
  readonly #api: WeirClient
  readonly #entries = new Map<string, BlacklistEntry>()
  #cursor = beginning
  /** The XOR of the hashes of all domains held. */
  #hash = 0n

  constructor(baseUrl: string) {
    this.#api = createWeirClient(baseUrl)
  }

  /** What is listed, by domain. Do not block what carries `do_not_block: 1`. */
  get entries(): ReadonlyMap<string, BlacklistEntry> {
    return this.#entries
  }

  /** The hash of the set of domains held, as weir tells it of its own. */
  get setHash(): string {
    return this.#hash.toString(16).padStart(32, '0')
  }

  /**
   * Reads what has changed since the last time, and returns after how many seconds to ask again. Throws when
   * weir does not answer; the copy then stands as far as it was read, and the next call goes on there.
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
    throw new Error('the copy does not come level, though it began anew; try again later')
  }

  /** Reads a copy that `save` has written; a file that is not there is an empty copy. */
  async load(path: string): Promise<void> {
    const file = Bun.file(path)
    if (!(await file.exists())) return
    const saved: { cursor: string; entries: BlacklistEntry[] } = await file.json()
    this.#clear()
    for (const entry of saved.entries) this.#put(entry)
    this.#cursor = saved.cursor
  }

  /** Writes the copy beside the old one, then over it: whoever reads has one or the other. */
  async save(path: string): Promise<void> {
    const entries = [...this.#entries.values()]
    await Bun.write(`${path}.new`, JSON.stringify({ cursor: this.#cursor, entries }))
    await rename(`${path}.new`, path)
  }

  #put(entry: BlacklistEntry): void {
    if (!this.#entries.has(entry.domain)) this.#hash ^= hashOf(entry.domain)
    this.#entries.set(entry.domain, entry)
  }

  #remove(domain: string): void {
    if (this.#entries.delete(domain)) this.#hash ^= hashOf(domain)
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
      console.log(`${new Date().toISOString()} level with ${copy.entries.size} domains`)
      if (isOnce) return
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
      if (isOnce) process.exit(1)
    }
    await Bun.sleep(waitSeconds * 1_000)
  }
}

if (import.meta.main) await main(process.argv.slice(2))
