/** The entry of the thread that builds generations and hands their memory over, without copying. */

import { ReadStore } from '../store/store.ts'
import { type Call, serve } from '../threads/serve.ts'
import { Generation, type GenerationImage } from './generation.ts'

const open = ({ dataDir }: { readonly dataDir: string }) => ({
  build(call: Call): GenerationImage {
    const store = ReadStore.open({ dataDir, role: 'background', now: Date.now })
    try {
      const image = Generation.build(store).serialise()
      const { hosts, pages, digests, related } = image
      for (const { buffers } of [hosts, pages, digests, related]) call.transfer(...buffers)
      return image
    } finally {
      store.close()
    }
  },
})
export type OpenGenerations = typeof open

serve(open)
