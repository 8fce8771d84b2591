/** A source that a store fetches from a local publisher, with a manual clock. */

import type { SourceOverview } from '../../src/ingest/overview.ts'
import { buildOverviews } from '../../src/ingest/overview.ts'
import { type Refreshed, Refresher } from '../../src/ingest/refresh.ts'
import { type KnownSource, knownSources } from '../../src/ingest/sources.ts'
import { TestStore } from '../store/fixture.ts'
import { FeedServer } from './feed-server.ts'
import { noNaming } from './no-naming.ts'

const model = knownSources.find(({ name }) => name === 'phishing-database')

/** A source of plain domains at this address; `words` replace its fields. */
export function sourceAt(url: string, words: Partial<KnownSource> = {}): KnownSource {
  if (model === undefined) throw new Error('data/sources.toml has lost phishing-database')
  return { ...model, name: 'feed', url, ...words }
}

export class FetchedSource implements AsyncDisposable {
  readonly db = new TestStore()
  readonly server = new FeedServer()
  readonly stopping = new AbortController()
  readonly keys = new Map<string, string>()
  readonly sources: KnownSource[] = []

  constructor(words: Partial<KnownSource> = {}) {
    this.sources.push(sourceAt(this.server.url('/list.txt'), words))
  }

  get source(): KnownSource {
    const [source] = this.sources
    if (source === undefined) throw new Error('there is no source')
    return source
  }

  refresher(): Refresher {
    return new Refresher({
      store: this.db.store,
      dataDir: this.db.dataDir,
      outbound: this.server.outbound,
      sources: this.sources,
      keys: this.keys,
      naming: noNaming,
      graceMs: 0,
      expireMs: 90 * 86_400_000,
      now: () => this.db.now,
      random: () => 0,
      onCommit: () => {},
      signal: this.stopping.signal,
    })
  }

  /** Fetches the source now, due or not, a minute after the last step. */
  async refresh(isForced = false): Promise<Refreshed> {
    this.db.now += 60_000
    return this.refresher().refresh(this.source, isForced)
  }

  /** Lets the publisher serve these names, and fetches them. */
  async list(...names: readonly string[]): Promise<Refreshed> {
    this.server.serve('/list.txt', { body: names.map((name) => `${name}\n`).join('') })
    return this.refresh()
  }

  overview(): SourceOverview {
    const { store, now } = this.db
    const found = buildOverviews(store, this.sources, this.keys, now)[0]
    if (found === undefined) throw new Error('there is no source')
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]()
    this.db.remove()
  }
}
