/**
 * Which addresses weir connects to: public ones that are not its own.
 *
 * An IPv6 address that carries an IPv4 address is refused whatever it carries: the network may
 * lead it to a place that the IPv6 address does not show.
 */

import { networkInterfaces } from 'node:os'
import { type Address, parseAddress } from '../model/address.ts'
import { isDialableAddress } from '../model/public-address.ts'
import type { Result } from '../model/result.ts'

/** What a judgement depends on beside the address. */
export interface DialPolicy {
  /** Addresses of this machine, in canonical spelling. */
  readonly own: ReadonlySet<string>
  /** For tests: opens 127.0.0.0/8 and ::1, and nothing else. */
  readonly allowLoopback: boolean
}

/** Why an address is not dialled. */
export type AddressRefusal = 'not_an_address' | 'embedded_ipv4' | 'not_public' | 'own_address'

/** What to say of an address that is not dialled. */
export const addressRefusalTexts: Readonly<Record<AddressRefusal, string>> = {
  not_an_address: 'is no address',
  embedded_ipv4: 'carries an IPv4 address inside IPv6',
  not_public: 'is not a public address',
  own_address: 'is an address of this machine',
}

function isLoopback(address: Address): boolean {
  return address.family === 4 ? address.text.startsWith('127.') : address.text === '::1'
}

/** Returns the address that may be dialled for `text`, in canonical spelling, or why there is none. */
export function judgeAddress(text: string, policy: DialPolicy): Result<Address, AddressRefusal> {
  const address = parseAddress(text)
  if (address === null) return { ok: false, reason: 'not_an_address' }
  // The parser answers with the inner address, which may be public.
  if (address.family === 4 && text.includes(':')) return { ok: false, reason: 'embedded_ipv4' }
  if (policy.allowLoopback && isLoopback(address)) return { ok: true, value: address }
  if (!isDialableAddress(address)) return { ok: false, reason: 'not_public' }
  if (policy.own.has(address.text)) return { ok: false, reason: 'own_address' }
  return { ok: true, value: address }
}

/** Returns the addresses that this machine has now, in canonical spelling. */
export function ownAddresses(): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  return new Set(interfaces.map(({ address }) => parseAddress(address)?.text ?? address))
}
