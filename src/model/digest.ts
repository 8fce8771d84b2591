/**
 * File digests: SHA-256, SHA-1 and MD5, distinguished by length, in lower-case hex.
 */

import type { Result } from './result.ts'

declare const brand: unique symbol

/** A SHA-256 digest, 64 lower-case hex digits; made by `parseDigest` only. */
export type Sha256 = string & { readonly [brand]: 'Sha256' }
/** A SHA-1 digest, 40 lower-case hex digits; made by `parseDigest` only. */
export type Sha1 = string & { readonly [brand]: 'Sha1' }
/** An MD5 digest, 32 lower-case hex digits; made by `parseDigest` only. */
export type Md5 = string & { readonly [brand]: 'Md5' }

export type Digest =
  | { readonly type: 'sha256'; readonly value: Sha256 }
  | { readonly type: 'sha1'; readonly value: Sha1 }
  | { readonly type: 'md5'; readonly value: Md5 }

/** Why a text is not a digest. */
export type DigestRefusal = 'wrong_length' | 'not_hex'

/** What the client should send instead. */
export const digestRefusalMessages: Readonly<Record<DigestRefusal, string>> = {
  wrong_length: 'Send a SHA-256, SHA-1 or MD5 digest of 64, 40 or 32 hex digits.',
  not_hex: 'Send a digest written in hex digits only, 0-9 and a-f.',
}

/** Parses a digest in hex of any case, ignoring white space around it; its length determines its type. */
export function parseDigest(text: string): Result<Digest, DigestRefusal> {
  const hex = text.trim().toLowerCase()
  const digest = toDigest(hex)
  if (digest === null) return { ok: false, reason: 'wrong_length' }
  if (!/^[0-9a-f]+$/.test(hex)) return { ok: false, reason: 'not_hex' }
  return { ok: true, value: digest }
}

function toDigest(hex: string): Digest | null {
  if (hex.length === 64) return { type: 'sha256', value: hex as Sha256 }
  if (hex.length === 40) return { type: 'sha1', value: hex as Sha1 }
  if (hex.length === 32) return { type: 'md5', value: hex as Md5 }
  return null
}
