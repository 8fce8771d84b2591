/**
 * The writer's thread: it alone commits large amounts, so that the serving thread never waits for
 * the disk. Started by `writer`, it owns a connection of its own and answers one request after the
 * other, but for refreshing, which waits for the network, and naming brands, which takes long: nobody is
 * to wait for these. Reports wait for nobody.
 */

import type { Platforms } from '../model/platform.ts'
import type { Outbound } from '../net/outbound.ts'
import { scheduledBackup } from '../store/backup.ts'
import { Store } from '../store/store.ts'
import { tidy } from '../store/tidy.ts'
import { fillBrands, needsBrands } from './brand-fill.ts'
import { loadStoredGuards } from './guards.ts'
import { importFeed } from './importer.ts'
import type { BrandNaming } from './intake.ts'
import { type FetchSettings, openOutbound, Refresher } from './refresh.ts'
import { loadSources } from './sources.ts'
import type { WriterReply, WriterRequest } from './writer-messages.ts'

declare const self: Worker

/** Makes the naming of brands over what is guarded; from the score `threshold` on a brand is named. */
export type NamingMaker = (parts: {
  readonly platforms: Platforms
  readonly isPopular: (name: string) => boolean
  readonly threshold: number
}) => BrandNaming

interface Opened {
  readonly store: Store
  readonly dataDir: string
  readonly fetching: FetchSettings
  readonly outbound: Outbound
  readonly naming: BrandNaming
}

const stopping = new AbortController()
let opened: Opened | null = null
/** What goes on beside the other requests, one after the other. */
let beside: Promise<void> = Promise.resolve()
/** Reports, one after the other as well. */
let reporting: Promise<void> = Promise.resolve()

const say = (reply: WriterReply): void => self.postMessage(reply)
const onCommit = ({ seq }: { seq: number }): void => say({ kind: 'committed', seq })

function inUse(): Opened {
  if (opened === null) throw new Error('the writer was asked to work before it was opened')
  return opened
}

function open(
  { dataDir, fetching, suspiciousAt }: WriterRequest & { kind: 'open' },
  makeNaming: NamingMaker,
): Opened {
  const store = Store.open({ dataDir, role: 'background', now: Date.now })
  const { platforms, isProtected } = loadStoredGuards(store)
  const naming = makeNaming({ platforms, isPopular: isProtected, threshold: suspiciousAt })
  return { store, dataDir, fetching, outbound: openOutbound(fetching), naming }
}

async function nameBrands(id: number): Promise<WriterReply> {
  const { store, naming } = inUse()
  if (needsBrands(store, naming)) {
    await fillBrands({ store, naming, now: Date.now, onCommit, signal: stopping.signal })
  }
  return { kind: 'done', id }
}

async function refresh(id: number): Promise<WriterReply> {
  const { store, dataDir, outbound, fetching, naming } = inUse()
  const refresher = new Refresher({
    ...fetching,
    store,
    dataDir,
    outbound,
    sources: await loadSources(dataDir),
    naming,
    now: Date.now,
    random: Math.random,
    onCommit,
    signal: stopping.signal,
  })
  return { kind: 'refreshed', id, results: await refresher.refreshDue() }
}

async function takeReport({
  id,
  report,
}: WriterRequest & { kind: 'report' }): Promise<WriterReply> {
  const { store } = inUse()
  const committed = await store.write({ at: Date.now(), operations: [{ op: 'report', report }] })
  onCommit(committed)
  return { kind: 'reported', id, name: committed.report }
}

async function importFile(request: WriterRequest & { kind: 'import' }): Promise<WriterReply> {
  const { store, naming } = inUse()
  const { id, source, format, digest, path } = request
  const report = await importFeed(
    {
      store,
      guards: loadStoredGuards(store),
      naming,
      now: Date.now,
      onCommit,
      signal: stopping.signal,
    },
    { source, format, digest, parts: [() => Bun.file(path).stream()], force: false },
  )
  return { kind: 'imported', id, report }
}

async function answer(
  request: Exclude<WriterRequest, { kind: 'refresh' | 'fillBrands' | 'report' }>,
  makeNaming: NamingMaker,
): Promise<WriterReply> {
  const { id } = request
  switch (request.kind) {
    case 'open':
      opened = open(request, makeNaming)
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
      await beside
      await reporting
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

/** Answers what the serving thread asks, from now on; `makeNaming` gives the rules of naming brands. */
export function runWriter(makeNaming: NamingMaker): void {
  let last: Promise<void> = Promise.resolve()
  self.onmessage = ({ data }: MessageEvent<WriterRequest>): void => {
    // What is under way ends before its next batch; what was committed stays.
    if (data.kind === 'close') stopping.abort()
    if (data.kind === 'report') {
      // Somebody waits for it: it goes between two batches of whatever is under way.
      reporting = reporting.then(() => answerOrFail(data.id, () => takeReport(data)))
    } else if (data.kind === 'refresh') {
      beside = beside.then(() => answerOrFail(data.id, () => refresh(data.id)))
    } else if (data.kind === 'fillBrands') {
      beside = beside.then(() => answerOrFail(data.id, () => nameBrands(data.id)))
    } else {
      last = last.then(() => answerOrFail(data.id, () => answer(data, makeNaming)))
    }
  }
}
