/**
 * Builds a generation away from the serving thread and hands its memory over, without copying.
 */

import { Store } from '../store/store.ts'
import { Generation } from './generation.ts'
import { type BuildReply, type BuildRequest, buffersOf } from './generation-messages.ts'

declare const self: Worker

const say = (reply: BuildReply, transfer: ArrayBuffer[]): void => self.postMessage(reply, transfer)

self.onmessage = ({ data }: MessageEvent<BuildRequest>): void => {
  try {
    const store = Store.open({ dataDir: data.dataDir, role: 'background', now: Date.now })
    try {
      const image = Generation.build(store).serialise()
      say({ ok: true, image }, buffersOf(image))
    } finally {
      store.close()
    }
  } catch (error) {
    say({ ok: false, message: error instanceof Error ? error.message : String(error) }, [])
  }
}
