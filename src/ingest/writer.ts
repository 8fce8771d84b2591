/**
 * The work of the writer's thread: it commits all large batches on its own connection, so that the serving
 * thread never waits for the disk.
 *
 * Three queues run at the same time, each one job after another:
 *
 *     imports, tidying, copies, integrity checks
 *     refreshing (waits for the network), naming brands (takes long)
 *     reports (a client waits)
 */

import type { BrandNamer } from '../model/brand.ts'
import type { Platforms } from '../model/platform.ts'
import type { Outbound } from '../net/outbound.ts'
import { scheduledBackup } from '../store/backup.ts'
import type { ProposedReport, SourceDescription } from '../store/batch.ts'
import { WriteStore } from '../store/store.ts'
import { tidy } from '../store/tidy.ts'
import type { Call, ThreadContext } from '../threads/serve.ts'
import { fillBrands, needsBrands } from './brand-fill.ts'
import type { FormatName } from './formats/formats.ts'
import { loadStoredGuards } from './guards.ts'
import { type ImportReport, importFeed } from './importer.ts'
import { type FetchSettings, openOutbound, type Refreshed, Refresher } from './refresh.ts'
import { loadSources } from './sources.ts'

/** Creates the naming of brands over the guards; a score of `threshold` or more names a brand. */
export type NamingMaker = (parts: {
  readonly platforms: Platforms
  readonly isPopular: (name: string) => boolean
  readonly threshold: number
}) => BrandNamer

export interface WriterOpening {
  readonly dataDir: string
  readonly fetching: FetchSettings
  /** The score from which a brand counts as imitated. */
  readonly suspiciousAt: number
}

/** A file to import as a run of its source. */
export interface FileImport {
  readonly path: string
  readonly source: SourceDescription
  readonly format: FormatName
  readonly digest: string | null
}

/** Sent after every batch on disk. */
export interface BatchCommitted {
  readonly seq: number
}

/** Returns a function that runs jobs one after another, whether or not they succeed. */
function createQueue(): <T>(job: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (job) => {
    const done = last.then(job)
    last = done.catch(() => {})
    return done
  }
}

class Writer implements Disposable {
  readonly #opening: WriterOpening
  readonly #context: ThreadContext<BatchCommitted>
  readonly #store: WriteStore
  readonly #outbound: Outbound
  readonly #makeNaming: NamingMaker
  #naming: BrandNamer | null = null
  readonly #imports = createQueue()
  readonly #refreshes = createQueue()
  readonly #reports = createQueue()

  constructor(
    opening: WriterOpening,
    context: ThreadContext<BatchCommitted>,
    makeNaming: NamingMaker,
  ) {
    const { dataDir, fetching } = opening
    this.#opening = opening
    this.#context = context
    this.#makeNaming = makeNaming
    this.#store = WriteStore.open({ dataDir, role: 'background', now: Date.now })
    this.#outbound = openOutbound(fetching)
  }

  /** Returns the naming of brands, loaded at its first use: a report does not need it. */
  #loadNaming(): BrandNamer {
    if (this.#naming === null) {
      const { platforms, isProtected } = loadStoredGuards(this.#store)
      const threshold = this.#opening.suspiciousAt
      this.#naming = this.#makeNaming({ platforms, isPopular: isProtected, threshold })
    }
    return this.#naming
  }

  /** Imports a file; an aborted import ends before its next batch, and earlier batches remain. */
  import({ signal }: Call, { path, source, format, digest }: FileImport): Promise<ImportReport> {
    const parts = [() => Bun.file(path).stream()]
    return this.#imports(() =>
      importFeed(
        {
          store: this.#store,
          guards: loadStoredGuards(this.#store),
          naming: this.#loadNaming(),
          now: Date.now,
          onCommit: this.#onCommit,
          signal,
        },
        { source, format, digest, parts, force: false },
      ),
    )
  }

  /** Writes a report, and returns its public name; null when too many wait. */
  report(_: Call, report: ProposedReport): Promise<string | null> {
    return this.#reports(async () => {
      const operations = [{ op: 'report', report }] as const
      const committed = await this.#store.write({ at: Date.now(), operations })
      this.#onCommit(committed)
      return committed.report
    })
  }

  /** Refreshes every source that is due; resolves when all have been tried. */
  refresh({ signal }: Call): Promise<readonly Refreshed[]> {
    const { dataDir, fetching } = this.#opening
    return this.#refreshes(async () => {
      const refresher = new Refresher({
        ...fetching,
        store: this.#store,
        dataDir,
        outbound: this.#outbound,
        sources: await loadSources(dataDir),
        naming: this.#loadNaming(),
        now: Date.now,
        random: Math.random,
        onCommit: this.#onCommit,
        signal,
      })
      return refresher.refreshDue()
    })
  }

  /** Names the brands of all that is listed, once for each version of the rules. */
  fillBrands({ signal }: Call): Promise<void> {
    return this.#refreshes(async () => {
      const parts = { store: this.#store, naming: this.#loadNaming(), onCommit: this.#onCommit }
      if (needsBrands(parts.store, parts.naming)) {
        await fillBrands({ ...parts, now: Date.now, signal })
      }
    })
  }

  /** Ends what has run out, and forgets what was delisted longer ago than `keepDelistedMs`. */
  tidy({ signal }: Call, keepDelistedMs: number): Promise<void> {
    return this.#imports(() => tidy(this.#store, Date.now(), keepDelistedMs, signal))
  }

  /** Copies the database when the last copy is older than `everyMs`, and keeps the last `keep` copies. */
  backUp(_: Call, everyMs: number, keep: number): Promise<void> {
    const { dataDir } = this.#opening
    return this.#imports(() => {
      scheduledBackup({ dataDir, now: Date.now(), everyMs, keep })
    })
  }

  /** Reads the whole database, and rejects when it is damaged. */
  checkIntegrity(): Promise<void> {
    return this.#imports(() => this.#store.checkIntegrity())
  }

  [Symbol.dispose](): void {
    this.#store.close()
  }

  readonly #onCommit = ({ seq }: BatchCommitted): void => this.#context.push({ seq })
}

/** Returns the function that opens the writer's thread; `makeNaming` creates its naming of brands. */
export function createWriterOpen(makeNaming: NamingMaker) {
  return (opening: WriterOpening, context: ThreadContext<BatchCommitted>): Writer =>
    new Writer(opening, context, makeNaming)
}

export type OpenWriter = ReturnType<typeof createWriterOpen>
