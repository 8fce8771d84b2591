/** What the serving thread and the thread that builds generations say to each other. */

import type { GenerationImage } from './generation.ts'

export interface BuildRequest {
  readonly dataDir: string
}

export type BuildReply =
  | { readonly ok: true; readonly image: GenerationImage }
  | { readonly ok: false; readonly message: string }

/** Returns every buffer of an image, to be given away with it. */
export function buffersOf({ hosts, pages, digests, kin }: GenerationImage): ArrayBuffer[] {
  return [...hosts.buffers, ...pages.buffers, ...digests.buffers, ...kin.buffers]
}
