/**
 * An index as plain memory, to be transferred to another thread or written to a file.
 *
 * A header is 32-bit words in this machine's byte order: the kind of index, the version of that kind's
 * layout, and the counts that belong to the buffers.
 */

import type { Result } from '../model/result.ts'

export interface IndexImage {
  readonly header: Uint32Array<ArrayBuffer>
  /** The index's own memory, not copies: an index whose buffers are transferred is unusable. */
  readonly buffers: readonly ArrayBuffer[]
}

/** Why an image cannot be used. */
export type ImageRefusal = 'other_kind' | 'other_version' | 'broken'

/** Returns a header; `kind` is four bytes that are unique in either byte order. */
export function writeHeader(
  kind: number,
  version: number,
  counts: readonly number[],
): Uint32Array<ArrayBuffer> {
  return Uint32Array.of(kind, version, ...counts)
}

/** Returns the counts of a header, of which there must be `length`, or why the image cannot be used. */
export function readHeader(
  header: Uint32Array,
  kind: number,
  version: number,
  length: number,
): Result<readonly number[], ImageRefusal> {
  if (header[0] !== kind) return { ok: false, reason: 'other_kind' }
  if (header[1] !== version) return { ok: false, reason: 'other_version' }
  if (header.length !== length + 2) return { ok: false, reason: 'broken' }
  return { ok: true, value: [...header.subarray(2)] }
}
