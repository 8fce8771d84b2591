/**
 * Tokens by which strangers come back to what they have sent: its name, and proof that weir has given it to
 * them. The proof is an HMAC-SHA256 (RFC 2104) under a key of this instance, so that a token can be told
 * again, and nothing secret is stored for each.
 */

import { timingSafeEqual } from 'node:crypto'

/** What a token can be for: one for a report opens nothing else. */
export type ManagedKind = 'report'

/** So many bytes of the proof are kept: 128 bits are beyond guessing. */
const proofBytes = 16

/** Names are made by weir, and hold no dot. */
const separator = '.'

const computeProof = (key: Uint8Array, kind: ManagedKind, name: string): Buffer =>
  new Bun.CryptoHasher('sha256', key).update(`${kind}:${name}`).digest().subarray(0, proofBytes)

/** Returns the token for what is named so. */
export function createManageToken(key: Uint8Array, kind: ManagedKind, name: string): string {
  return `${name}${separator}${computeProof(key, kind, name).toString('base64url')}`
}

/** Returns the name in a token that weir has given; null for any other text. Takes as long for a wrong proof. */
export function readManageToken(key: Uint8Array, kind: ManagedKind, token: string): string | null {
  const at = token.lastIndexOf(separator)
  if (at < 1) return null
  const name = token.slice(0, at)
  const given = Buffer.from(token)
  const right = Buffer.from(createManageToken(key, kind, name))
  return given.length === right.length && timingSafeEqual(given, right) ? name : null
}
