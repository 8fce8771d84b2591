/**
 * Makes one file of a full list away from the serving thread, on a connection of its own. Started by
 * `full-lists`, it lives only that long.
 */

import { isDiskFull } from '../store/database-copy.ts'
import { Store } from '../store/store.ts'
import { compressList, type ListOrder, type ListVersion, writeList } from './list-file.ts'
import type { ListReply, ListRequest } from './list-messages.ts'

declare const self: Worker

const say = (reply: ListReply): void => self.postMessage(reply)

function write(dataDir: string, order: ListOrder): ListVersion {
  const store = Store.open({ dataDir, role: 'background', now: Date.now })
  try {
    return writeList(store, order)
  } finally {
    store.close()
  }
}

async function make(request: ListRequest): Promise<ListVersion | null> {
  if (request.kind === 'write') return write(request.dataDir, request.order)
  await compressList(request.from, request.path, request.coding)
  return null
}

self.onmessage = ({ data }: MessageEvent<ListRequest>): void => {
  make(data).then(
    (version) => say({ ok: true, version }),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      say({ ok: false, isDiskFull: isDiskFull(error), message })
    },
  )
}
