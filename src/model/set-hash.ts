/**
 * A hash of a set of names that is updated in constant time: the XOR of the first 16 bytes of the SHA-256 of
 * every member. It does not depend on the order of the changes, so that a client that follows a list by its
 * changes can check whether it is in sync.
 *
 * It detects mistakes, not attacks: with effort, another set with the same XOR can be found.
 */

/** The number of bytes used of each member's digest. */
const hashBytes = 16

/** The hash of the empty set. */
export const emptySetHash = '0'.repeat(2 * hashBytes)

/** The hash of a set that changes. */
export class SetHash {
  readonly #bytes: Uint8Array

  /** Starts from the hash of a set, in hex. */
  constructor(hex = emptySetHash) {
    this.#bytes = Uint8Array.fromHex(hex)
  }

  /** Adds a member that is not in the set, or removes one that is. */
  toggle(member: string): void {
    const digest = new Bun.CryptoHasher('sha256').update(member).digest()
    for (let i = 0; i < hashBytes; i++) {
      this.#bytes[i] = (this.#bytes[i] ?? 0) ^ (digest[i] ?? 0)
    }
  }

  /** The hash in lower-case hex. */
  get hex(): string {
    return this.#bytes.toHex()
  }
}
