/**
 * The writer's thread: it alone commits large amounts, so that the serving thread never waits for
 * the disk. Started by `writer`, it owns a connection of its own and answers one request at a time.
 */

import { Store } from '../store/store.ts'
import { loadGuards } from './guards.ts'
import { importFeed } from './importer.ts'
import type { WriterReply, WriterRequest } from './writer-messages.ts'

declare const self: Worker

const guards = loadGuards()
let opened: Store | null = null

const say = (reply: WriterReply): void => self.postMessage(reply)

function store(): Store {
  if (opened === null) throw new Error('the writer was asked to work before it was opened')
  return opened
}

async function answer(request: WriterRequest): Promise<WriterReply> {
  const { id } = request
  switch (request.kind) {
    case 'open':
      opened = Store.open({ dataDir: request.dataDir, role: 'background', now: Date.now })
      return { kind: 'done', id }
    case 'import': {
      const onCommit = ({ seq }: { seq: number }): void => say({ kind: 'committed', seq })
      const { source, format, digest, path } = request
      const report = await importFeed(
        { store: store(), guards, now: Date.now, onCommit },
        { source, format, digest, stream: Bun.file(path).stream(), force: false },
      )
      return { kind: 'imported', id, report }
    }
    case 'checkIntegrity':
      store().checkIntegrity()
      return { kind: 'done', id }
    case 'close':
      store().close()
      opened = null
      return { kind: 'done', id }
  }
}

async function answerOrFail(request: WriterRequest): Promise<void> {
  try {
    say(await answer(request))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    say({ kind: 'failed', id: request.id, message })
  }
}

let last: Promise<void> = Promise.resolve()
self.onmessage = ({ data }: MessageEvent<WriterRequest>): void => {
  last = last.then(() => answerOrFail(data))
}
