/**
 * What the writer's thread does: it alone commits large amounts, so that the serving thread never waits
 * for the disk. It owns a connection of its own.
 *
 *     imports, tidying, copies, integrity checks    one after another
 *     refreshing, naming brands                     one after another, next to those: the one waits for
 *                                                   the network, the other takes long
 *     reports                                       one after another, next to both: somebody waits
 */

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
import type { BrandNaming } from './intake.ts'
import { type FetchSettings, openOutbound, type Refreshed, Refresher } from './refresh.ts'
import { loadSources } from './sources.ts'

/** Makes the naming of brands over what is guarded; a brand is named from the score `threshold` on. */
export type NamingMaker = (parts: {
  readonly platforms: Platforms
  readonly isPopular: (name: string) => boolean
  readonly threshold: number
}) => BrandNaming

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

/** Is sent after every batch on disk. */
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
  #naming: BrandNaming | null = null
  readonly #inTurn = createQueue()
  readonly #alongside = createQueue()
  readonly #reporting = createQueue()

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

  /** Returns the rules of naming brands, loaded at their first use: a report does not need them. */
  #loadNaming(): BrandNaming {
    if (this.#naming === null) {
      const { platforms, isProtected } = loadStoredGuards(this.#store)
      const threshold = this.#opening.suspiciousAt
      this.#naming = this.#makeNaming({ platforms, isPopular: isProtected, threshold })
    }
    return this.#naming
  }

  /** Imports a file; an aborted import ends before its next batch, and keeps what it committed. */
  import({ signal }: Call, { path, source, format, digest }: FileImport): Promise<ImportReport> {
    const parts = [() => Bun.file(path).stream()]
    return this.#inTurn(() =>
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

  /** Writes a report, and returns the name it is known by; null when too many wait. */
  report(_: Call, report: ProposedReport): Promise<string | null> {
    return this.#reporting(async () => {
      const operations = [{ op: 'report', report }] as const
      const committed = await this.#store.write({ at: Date.now(), operations })
      this.#onCommit(committed)
      return committed.report
    })
  }

  /** Refreshes every source that is due; resolves when all have been tried. */
  refresh({ signal }: Call): Promise<readonly Refreshed[]> {
    const { dataDir, fetching } = this.#opening
    return this.#alongside(async () => {
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
    return this.#alongside(async () => {
      const parts = { store: this.#store, naming: this.#loadNaming(), onCommit: this.#onCommit }
      if (needsBrands(parts.store, parts.naming)) {
        await fillBrands({ ...parts, now: Date.now, signal })
      }
    })
  }

  /** Ends what has run out, and forgets what was delisted longer ago than `keepDelistedMs`. */
  tidy({ signal }: Call, keepDelistedMs: number): Promise<void> {
    return this.#inTurn(() => tidy(this.#store, Date.now(), keepDelistedMs, signal))
  }

  /** Copies the database when the last copy is older than `everyMs`, and keeps the last `keep` copies. */
  backUp(_: Call, everyMs: number, keep: number): Promise<void> {
    const { dataDir } = this.#opening
    return this.#inTurn(() => {
      scheduledBackup({ dataDir, now: Date.now(), everyMs, keep })
    })
  }

  /** Reads the whole database, and rejects when it is damaged. */
  checkIntegrity(): Promise<void> {
    return this.#inTurn(() => this.#store.checkIntegrity())
  }

  [Symbol.dispose](): void {
    this.#store.close()
  }

  readonly #onCommit = ({ seq }: BatchCommitted): void => this.#context.push({ seq })
}

/** Returns how the writer's thread opens; `makeNaming` gives it the rules of naming brands. */
export function createWriterOpen(makeNaming: NamingMaker) {
  return (opening: WriterOpening, context: ThreadContext<BatchCommitted>): Writer =>
    new Writer(opening, context, makeNaming)
}

export type OpenWriter = ReturnType<typeof createWriterOpen>
