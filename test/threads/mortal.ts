/** Is loaded into a thread before its entry, so that a test can end it from the inside. */

import { epochMs, isDeath } from './mortal-workers.ts'

declare const self: Worker

self.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (!isDeath(data)) return
  new Float64Array(data.diedAt)[0] = epochMs()
  if (data.death === 'exit') process.exit(7)
  if (data.death === 'throw') throw new Error('killed by an error')
  void Promise.reject(new Error('killed by a rejection'))
})
