/**
 * Tokens with which anonymous clients return to what they have sent: its name, and proof that weir issued the
 * token. The proof is an HMAC-SHA256 (RFC 2104) with a key of this instance, so that a token can be computed
 * again and no secret is stored for each.
 */

import { timingSafeEqual } from 'node:crypto'

/** What a token gives access to; one for a report gives access to nothing else. */
export type ManagedKind = 'report'

/** The length of the proof: 128 bits cannot be guessed. */
const proofBytes = 16

/** weir makes the names, without dots. */
const separator = '.'

const computeProof = (key: Uint8Array, kind: ManagedKind, name: string): Buffer =>
  new Bun.CryptoHasher('sha256', key).update(`${kind}:${name}`).digest().subarray(0, proofBytes)

/** Returns the token for the object with this name. */
export function createManageToken(key: Uint8Array, kind: ManagedKind, name: string): string {
  return `${name}${separator}${computeProof(key, kind, name).toString('base64url')}`
}

/** Returns the name in a token that weir issued; null for any other text. Takes constant time for any proof. */
export function readManageToken(key: Uint8Array, kind: ManagedKind, token: string): string | null {
  const at = token.lastIndexOf(separator)
  if (at < 1) return null
  const name = token.slice(0, at)
  const given = Buffer.from(token)
  const expected = Buffer.from(createManageToken(key, kind, name))
  return given.length === expected.length && timingSafeEqual(given, expected) ? name : null
}
