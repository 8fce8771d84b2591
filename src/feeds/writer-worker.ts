/**
 * The writer's thread: it alone commits large amounts, so that the serving thread never waits for
 * the disk. Started by `writer`, it owns a connection of its own and answers one request after the
 * other, but for refreshing: that waits for the network, and nobody is to wait for that.
 */

import type { Outbound } from '../net/outbound.ts'
import { scheduledBackup } from '../store/backup.ts'
import { Store } from '../store/store.ts'
import { tidy } from '../store/tidy.ts'
import { loadStoredGuards } from './guards.ts'
import { importFeed } from './importer.ts'
import { type FetchSettings, openOutbound, Refresher } from './refresh.ts'
import { loadSources } from './sources.ts'
import type { WriterReply, WriterRequest } from './writer-messages.ts'

declare const self: Worker

interface Opened {
  readonly store: Store
  readonly dataDir: string
  readonly fetching: FetchSettings
  readonly outbound: Outbound
}

const stopping = new AbortController()
let opened: Opened | null = null
let refreshing: Promise<void> = Promise.resolve()

const say = (reply: WriterReply): void => self.postMessage(reply)
const onCommit = ({ seq }: { seq: number }): void => say({ kind: 'committed', seq })

function inUse(): Opened {
  if (opened === null) throw new Error('the writer was asked to work before it was opened')
  return opened
}

function open({ dataDir, fetching }: WriterRequest & { kind: 'open' }): Opened {
  const store = Store.open({ dataDir, role: 'background', now: Date.now })
  return { store, dataDir, fetching, outbound: openOutbound(fetching) }
}

async function refresh(id: number): Promise<WriterReply> {
  const { store, dataDir, outbound, fetching } = inUse()
  const refresher = new Refresher({
    ...fetching,
    store,
    dataDir,
    outbound,
    sources: await loadSources(dataDir),
    now: Date.now,
    random: Math.random,
    onCommit,
    signal: stopping.signal,
  })
  return { kind: 'refreshed', id, results: await refresher.refreshDue() }
}

async function importFile(request: WriterRequest & { kind: 'import' }): Promise<WriterReply> {
  const { store } = inUse()
  const { id, source, format, digest, path } = request
  const report = await importFeed(
    { store, guards: loadStoredGuards(store), now: Date.now, onCommit, signal: stopping.signal },
    { source, format, digest, parts: [() => Bun.file(path).stream()], force: false },
  )
  return { kind: 'imported', id, report }
}

async function answer(request: Exclude<WriterRequest, { kind: 'refresh' }>): Promise<WriterReply> {
  const { id } = request
  switch (request.kind) {
    case 'open':
      opened = open(request)
      return { kind: 'done', id }
    case 'import':
      return await importFile(request)
    case 'tidy':
      await tidy(inUse().store, Date.now(), request.keepDelistedMs, stopping.signal)
      return { kind: 'done', id }
    case 'backUp': {
      const { everyMs, keep } = request
      scheduledBackup({ dataDir: inUse().dataDir, now: Date.now(), everyMs, keep })
      return { kind: 'done', id }
    }
    case 'checkIntegrity':
      inUse().store.checkIntegrity()
      return { kind: 'done', id }
    case 'close':
      await refreshing
      inUse().store.close()
      opened = null
      return { kind: 'done', id }
  }
}

async function answerOrFail(id: number, answering: () => Promise<WriterReply>): Promise<void> {
  try {
    say(await answering())
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    say({ kind: 'failed', id, message })
  }
}

let last: Promise<void> = Promise.resolve()
self.onmessage = ({ data }: MessageEvent<WriterRequest>): void => {
  // What is under way ends before its next batch; what was committed stays.
  if (data.kind === 'close') stopping.abort()
  if (data.kind === 'refresh') {
    const before = refreshing
    refreshing = before.then(() => answerOrFail(data.id, () => refresh(data.id)))
  } else {
    last = last.then(() => answerOrFail(data.id, () => answer(data)))
  }
}
