/**
 * Which addresses weir connects to: public ones that are not its own.
 *
 * An IPv6 address that embeds an IPv4 address is always refused: the network may route it to a place
 * that the IPv6 address does not show.
 */

import { networkInterfaces } from 'node:os'
import { type Address, parseAddress } from '../model/address.ts'
import { isDialableAddress } from '../model/public-address.ts'
import type { Result } from '../model/result.ts'

/** What a decision depends on, apart from the address. */
export interface DialPolicy {
  /** Addresses of this machine, in canonical spelling. */
  readonly own: ReadonlySet<string>
  /** For tests: allows 127.0.0.0/8 and ::1. */
  readonly allowLoopback: boolean
}

/** Why weir does not connect to an address. */
export type AddressRefusal = 'not_an_address' | 'embedded_ipv4' | 'not_public' | 'own_address'

/** Each refusal as the end of a sentence about the address. */
export const addressRefusalTexts: Readonly<Record<AddressRefusal, string>> = {
  not_an_address: 'is not an address',
  embedded_ipv4: 'is an IPv6 address that embeds an IPv4 address',
  not_public: 'is not a public address',
  own_address: 'is an address of this machine',
}

function isLoopback(address: Address): boolean {
  return address.family === 4 ? address.text.startsWith('127.') : address.text === '::1'
}

/** Parses an address that weir may connect to, in canonical spelling; or returns why it may not. */
export function parseDialable(text: string, policy: DialPolicy): Result<Address, AddressRefusal> {
  const address = parseAddress(text)
  if (address === null) return { ok: false, reason: 'not_an_address' }
  // The parser returns the embedded address, which may be public.
  if (address.family === 4 && text.includes(':')) return { ok: false, reason: 'embedded_ipv4' }
  if (policy.allowLoopback && isLoopback(address)) return { ok: true, value: address }
  if (!isDialableAddress(address)) return { ok: false, reason: 'not_public' }
  if (policy.own.has(address.text)) return { ok: false, reason: 'own_address' }
  return { ok: true, value: address }
}

/** Returns the current addresses of this machine, in canonical spelling. */
export function listOwnAddresses(): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return new Set(interfaces.map(({ address }) => parseAddress(address)?.text ?? address))
}
