/** Weir's five threads over one database, each with work to be killed under, whose results it checks. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Generation } from '../../src/index/generation.ts'
import type { OpenGenerations } from '../../src/index/generation-worker.ts'
import type { OpenWriter } from '../../src/ingest/writer.ts'
import type { OpenLists } from '../../src/publish/lists/list-worker.ts'
import type { ObjectRequest } from '../../src/publish/stix/object-writing.ts'
import type { OpenStixSerializer } from '../../src/publish/stix/stix-worker.ts'
import type { OpenSearch } from '../../src/search/search-worker.ts'
import {
  connect,
  type Thread,
  type ThreadOpen,
  type ThreadParts,
} from '../../src/threads/connect.ts'
import type { ThreadEntry } from '../../src/threads/entries.ts'
import { namesOf, TaxiiWorld } from '../http/taxii-world.ts'
import { sourceNamed } from '../store/fixture.ts'

/** A thread that is to be killed. */
export interface Victim {
  readonly entry: ThreadEntry
  isDegraded(): boolean
  /** Begins some calls; each resolves once its result has been checked. */
  work(): readonly Promise<unknown>[]
  /** Makes one call. */
  ask(): Promise<unknown>
  close(): Promise<void>
}

/** How many names are listed at first: enough that every call takes some milliseconds. */
const listedCount = 3_000
const reportsPerRound = 5
const namesPerImport = 50
const searchesPerRound = 50

function assert(isTrue: boolean, message: string): asserts isTrue {
  if (!isTrue) throw new Error(message)
}

/** The database, the threads over it, and what they have acknowledged. */
export class VictimWorld {
  readonly #world = new TaxiiWorld()
  readonly #reports: string[] = []
  readonly #names: string[] = []
  readonly #reported: unknown[] = []
  #count = 0

  static async create(): Promise<VictimWorld> {
    const created = new VictimWorld()
    await created.#world.list(namesOf(listedCount))
    mkdirSync(created.#at('made'))
    return created
  }

  /** What the threads' ends were reported as. */
  get reported(): readonly unknown[] {
    return this.#reported
  }

  #at(name: string): string {
    return join(this.#world.db.dataDir, name)
  }

  #victim<Open extends ThreadOpen>(
    {
      entry,
      opening,
      isBrief = false,
    }: Pick<ThreadParts<Open>, 'opening' | 'isBrief'> & {
      readonly entry: ThreadEntry
    },
    calls: {
      work(thread: Thread<Open>): readonly Promise<unknown>[]
      ask(thread: Thread<Open>): Promise<unknown>
    },
  ): Victim {
    const report = (error: unknown): void => {
      this.#reported.push(error)
    }
    const thread = connect<Open>({ entry, name: entry, opening, isBrief, report })
    return {
      entry,
      isDegraded: () => thread.isDegraded,
      work: () => calls.work(thread),
      ask: () => calls.ask(thread),
      close: () => thread.close(),
    }
  }

  writer(): Victim {
    const { dataDir } = this.#world.db
    const ends = { graceMs: 0, expireMs: 86_400_000 }
    const fetching = { proxy: null, dns: [], keys: new Map<string, string>(), ...ends }
    return this.#victim<OpenWriter>(
      { entry: 'writer-worker.ts', opening: { dataDir, fetching, suspiciousAt: 60 } },
      {
        work: (thread) => [
          ...Array.from({ length: reportsPerRound }, () => this.#report(thread)),
          this.#import(thread),
          thread.call('fillBrands'),
          thread.call('tidy', 86_400_000),
          thread.call('backUp', 1, 1),
          thread.call('checkIntegrity'),
        ],
        ask: (thread) => this.#report(thread),
      },
    )
  }

  async #report(thread: Thread<OpenWriter>): Promise<void> {
    const name = crypto.randomUUID()
    const text = { value: null, valueType: null, targetBrand: null, contact: null }
    const known = await thread.call('report', {
      name,
      identity: name,
      type: 'message',
      description: `message ${name}`,
      ...text,
    })
    assert(known === name, 'the report is known by another name')
    this.#reports.push(name)
  }

  async #import(thread: Thread<OpenWriter>): Promise<void> {
    const run = ++this.#count
    const names = Array.from({ length: namesPerImport }, (_, n) => `import${run}-${n}.test`)
    const path = this.#at(`import-${run}.txt`)
    writeFileSync(path, names.join('\n'))
    const source = sourceNamed(`source ${run}`)
    const report = await thread.call('import', { path, source, format: 'domains', digest: null })
    assert(report.added === namesPerImport, `an import added ${report.added}`)
    this.#names.push(...names)
  }

  lists(): Victim {
    const { dataDir } = this.#world.db
    const write = async (thread: Thread<OpenLists>): Promise<string> => {
      const path = join(this.#at('made'), `domains-${++this.#count}.txt`)
      const order = { name: 'domains.txt', homepage: 'https://weir.example.org', path } as const
      try {
        await thread.call('write', order)
      } finally {
        if (existsSync(path)) assertWhole(readFileSync(path, 'utf8'))
      }
      return path
    }
    const compress = async (thread: Thread<OpenLists>): Promise<void> => {
      const path = await write(thread)
      const coded = `${path}.zst`
      try {
        await thread.call('compress', path, coded, 'zstd')
      } finally {
        if (existsSync(coded)) {
          assertWhole(Buffer.from(Bun.zstdDecompressSync(readFileSync(coded))).toString())
        }
      }
      assert(existsSync(coded), 'a file that was acknowledged is missing')
    }
    return this.#victim<OpenLists>(
      { entry: 'publish/lists/list-worker.ts', opening: { dataDir }, isBrief: true },
      { work: (thread) => [write(thread), compress(thread), compress(thread)], ask: write },
    )
  }

  stix(): Victim {
    const { dataDir } = this.#world.db
    const writing: ObjectRequest = {
      objects: { kind: 'newest', brandKeys: null, since: null, before: null, limit: 1_000 },
      form: 'object',
      head: '"type":"bundle"',
    }
    const read = async (thread: Thread<OpenStixSerializer>): Promise<void> => {
      const pieces: Uint8Array[] = []
      for await (const piece of thread.pieces('write', writing)) pieces.push(piece)
      const { objects }: { objects: unknown[] } = JSON.parse(Buffer.concat(pieces).toString())
      assert(objects.length >= 1_000, `a bundle holds ${objects.length} objects`)
    }
    return this.#victim<OpenStixSerializer>(
      { entry: 'publish/stix/stix-worker.ts', opening: { dataDir } },
      { work: (thread) => [read(thread), read(thread), read(thread)], ask: read },
    )
  }

  search(): Victim {
    const { dataDir } = this.#world.db
    const ask = async (thread: Thread<OpenSearch>): Promise<void> => {
      const query = { text: 'name1', category: 'all', page: 1, limit: 10 } as const
      const { total }: { total: number } = JSON.parse(await thread.call('ask', query))
      assert(total >= listedCount / 10, `a search found ${total}`)
    }
    return this.#victim<OpenSearch>(
      { entry: 'search/search-worker.ts', opening: { dataDir } },
      { work: (thread) => Array.from({ length: searchesPerRound }, () => ask(thread)), ask },
    )
  }

  generations(): Victim {
    const { dataDir } = this.#world.db
    const build = async (thread: Thread<OpenGenerations>): Promise<void> => {
      const generation = Generation.from(await thread.call('build'))
      assert(generation.ok && generation.value.seq > 0, 'a generation came broken')
    }
    return this.#victim<OpenGenerations>(
      { entry: 'index/generation-worker.ts', opening: { dataDir }, isBrief: true },
      { work: (thread) => [build(thread), build(thread)], ask: build },
    )
  }

  /** Returns what was acknowledged and is not in the database. */
  findLost(): string[] {
    const { store } = this.#world.db
    return [
      ...this.#reports.filter((name) => store.reports.byName(name) === null),
      ...this.#names.filter((name) => store.byValue(name, 'domain')?.isActive !== true),
    ]
  }

  /** Returns how many reports and names were acknowledged. */
  countAcknowledged(): number {
    return this.#reports.length + this.#names.length
  }

  /** Throws when the file of the database is damaged. */
  checkIntegrity(): void {
    this.#world.db.reopen()
    this.#world.db.store.checkIntegrity()
  }

  close(): void {
    this.#world.close()
  }
}

/** Throws unless a list has all the entries that it states. */
function assertWhole(list: string): void {
  const stated = Number(/Number of entries: (\d+)/.exec(list)?.[1])
  const count = list.split('\n').filter((line) => line !== '' && !line.startsWith('# ')).length
  assert(count === stated, `a list of ${stated} entries holds ${count}`)
}
