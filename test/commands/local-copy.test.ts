/**
 * Copies of the list that follow the delta feed as the example does, through imports, removals,
 * operators' words, forgetting and restores, while the server is killed now and then.
 *
 * What happens is drawn from a seed, which a failure names; `SEED` repeats it.
 */

import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BlacklistEntry } from 'weir/client'
import { LocalCopy } from '../../examples/local-copy.ts'
import { backUp } from '../../src/store/backup.ts'
import type { Batch, Committed, Operation, SourceDescription } from '../../src/store/batch.ts'
import { restore } from '../../src/store/restore.ts'
import { randomNumbers } from '../random-numbers.ts'
import { countRounds, seed, timeoutMs } from '../rounds.ts'
import { sourceNamed } from '../store/fixture.ts'
import { DataDir, Server } from './process.ts'

const rounds = countRounds(3)

type Happening = 'write' | 'backup' | 'kill' | 'restore'
const round: readonly Happening[] = [
  'backup',
  'kill',
  'restore',
  ...Array<Happening>(9).fill('write'),
]

const sources: readonly SourceDescription[] = [
  sourceNamed('one'),
  sourceNamed('two'),
  sourceNamed('private', false),
]
const names = Array.from({ length: 60 }, (_, n) => `n${n}.example`)

/** A process that writes while the server runs. */
class Writer {
  readonly #child: ReturnType<typeof Bun.spawn>
  #answer = Promise.withResolvers<Committed>()
  readonly #opened = Promise.withResolvers<void>()

  private constructor(dataDir: DataDir) {
    const entry = join(import.meta.dir, 'store-writer.ts')
    this.#child = Bun.spawn([process.execPath, entry, dataDir.path], {
      ipc: (message: Committed | 'open') => {
        if (message === 'open') this.#opened.resolve()
        else this.#answer.resolve(message)
      },
    })
  }

  static async start(dataDir: DataDir): Promise<Writer> {
    const writer = new Writer(dataDir)
    await writer.#opened.promise
    return writer
  }

  async write(batch: Batch): Promise<Committed> {
    this.#answer = Promise.withResolvers()
    this.#child.send(batch)
    return await this.#answer.promise
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
  }
}

/** Everything of one run of the test; each part is replaced when the server restarts. */
class World implements AsyncDisposable {
  readonly dataDir: DataDir
  readonly #random: () => number
  #server: Server
  #writer: Writer
  /** Two copies: one reads after every round, the other now and then. */
  copies: readonly LocalCopy[]
  #now = Date.now()
  #hasBackup = false

  private constructor(random: () => number, dataDir: DataDir, server: Server, writer: Writer) {
    this.#random = random
    this.dataDir = dataDir
    this.#server = server
    this.#writer = writer
    this.copies = [new LocalCopy(server.url), new LocalCopy(server.url)]
  }

  static async start(random: () => number): Promise<World> {
    const dataDir = new DataDir()
    return new World(random, dataDir, await Server.start(dataDir), await Writer.start(dataDir))
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  #some(): string[] {
    const share = this.#random()
    return names.filter(() => this.#random() < share)
  }

  async #write(...operations: readonly Operation[]) {
    this.#now += 1_000
    return await this.#writer.write({ at: this.#now, operations })
  }

  async #import(source: SourceDescription, listed: readonly string[]): Promise<void> {
    const { run } = await this.#write({ op: 'startRun', source, digest: null })
    const sightings = listed.map((value) => ({ type: 'domain', value }) as const)
    await this.#write({ op: 'sight', source: source.name, run: run ?? 0, sightings })
    // Some runs never end, and end no listing.
    if (this.#random() < 0.1) return
    const end = { op: 'endRun', run: run ?? 0, after: 0, graceMs: 0, read: 0, refused: {} } as const
    await this.#write(end)
  }

  async #decide(): Promise<void> {
    const verdict = (['allow', 'block', 'clear'] as const)[this.#below(3)] ?? 'clear'
    const words = { type: 'domain', verdict, reason: 'r', by: 'ann', until: null } as const
    await this.#write(
      ...this.#some()
        .slice(0, 3)
        .map((value) => ({ op: 'decide', value, ...words }) as const),
    )
  }

  /** Copies carry their state over a new start in a file, as the example does. */
  async #startAgain(): Promise<void> {
    const files = this.copies.map((_, index) => this.dataDir.at(`copy${index}.json`))
    await Promise.all(this.copies.map((copy, index) => copy.save(files[index] ?? '')))
    this.#server = await Server.start(this.dataDir)
    this.copies = this.copies.map(() => new LocalCopy(this.#server.url))
    await Promise.all(this.copies.map((copy, index) => copy.load(files[index] ?? '')))
  }

  async #kill(): Promise<void> {
    // While somebody is reading.
    const reading = this.copies.map((copy) => copy.pull().catch(() => null))
    this.#server.signal('SIGKILL')
    await Promise.all(reading)
    await this.#server.ended()
    await this.#startAgain()
  }

  async #restore(): Promise<void> {
    await this.#server.stop()
    await this.#writer.end()
    restore(this.dataDir.path, this.dataDir.at('backup.db'), this.#now)
    this.#writer = await Writer.start(this.dataDir)
    await this.#startAgain()
  }

  #backUp(): void {
    const file = this.dataDir.at('backup.db')
    rmSync(file, { force: true })
    backUp(this.dataDir.path, file)
    this.#hasBackup = true
  }

  async #change(): Promise<void> {
    const what = this.#random()
    if (what < 0.2) await this.#decide()
    else if (what < 0.3) await this.#write({ op: 'prune', before: this.#now - 5_000 })
    else
      await this.#import(sources[this.#below(sources.length)] ?? sourceNamed('one'), this.#some())
  }

  async happen(what: Happening): Promise<void> {
    if (what === 'write') await this.#change()
    else if (what === 'kill') await this.#kill()
    else if (what === 'restore' && this.#hasBackup) await this.#restore()
    else this.#backUp()
  }

  /** Returns what happens in one round, in an order that is drawn. */
  drawRound(): Happening[] {
    const drawn = round.map((what) => ({ what, at: this.#random() }))
    return drawn.toSorted((one, other) => one.at - other.at).map(({ what }) => what)
  }

  /** Has a copy read on, and holds it to the list. */
  async follow(copy: LocalCopy): Promise<void> {
    await copy.pull()
    const { total, domains } = await this.#server.json('/api/v1/blacklist?limit=1000')
    expect(copy.entries.size).toBe(Number(total))
    const entries = Array.isArray(domains) ? domains : []
    expect([...copy.entries.values()].map(meaningOf).sort()).toEqual(entries.map(meaningOf).sort())
    expect([{ set_hash: copy.setHash }]).toEqual(this.dataDir.rows('SELECT set_hash FROM meta'))
  }

  /** Will the second copy read this time? */
  get isTurnOfSecond(): boolean {
    return this.#random() < 0.15
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.end()
    await this.#server[Symbol.asyncDispose]()
    this.dataDir[Symbol.dispose]()
  }
}

/** The fields of an entry whose change is published; being seen again is not. */
function meaningOf(entry: BlacklistEntry): string {
  const { domain, do_not_block, threat_type, threat_level, target_brand, listed_at } = entry
  return [domain, do_not_block, threat_type, threat_level, target_brand, listed_at].join(' ')
}

describe('a copy that follows the delta feed', () => {
  test(
    `is the list whatever happens in ${rounds} rounds (SEED=${seed})`,
    async () => {
      await using world = await World.start(randomNumbers(seed))
      for (let n = 0; n < rounds; n++) {
        for (const what of world.drawRound()) {
          await world.happen(what)
          const [first, second] = world.copies
          if (first !== undefined) await world.follow(first)
          if (second !== undefined && world.isTurnOfSecond) await world.follow(second)
        }
      }
      for (const copy of world.copies) await world.follow(copy)
    },
    timeoutMs(rounds),
  )
})
