/**
 * Loads the guards: names, addresses and digests that no feed may block, and shared infrastructure. They come
 * from `data/`, and from guard sources once imported.
 */

import { BlockList, isIP } from 'node:net'
import protectedAddressesText from '../../data/protected-addresses.txt' with { type: 'text' }
import protectedNamesText from '../../data/protected-names.txt' with { type: 'text' }
import sharedInfrastructureText from '../../data/shared-infrastructure.txt' with { type: 'text' }
import { isPublicName } from '../model/domain.ts'
import { factLines } from '../model/fact-lines.ts'
import {
  extendPlatforms,
  type Platform,
  type Platforms,
  parsePlatforms,
} from '../model/platform.ts'
import type { GuardKind } from '../store/batch.ts'
import type { StoredGuard } from '../store/guards.ts'
import type { ReadStore } from '../store/store.ts'

export interface Guards {
  /** Reports whether a listing of exactly this host would block a popular site. */
  isProtected(host: string): boolean
  /** Reports whether a listing of this address would block a popular service. */
  isProtectedAddress(address: string): boolean
  /** Reports whether a digest belongs to a harmless file. */
  isProtectedDigest(digest: string): boolean
  readonly platforms: Platforms
}

/** How many guards are read at once. */
const sliceRows = 1_000

/** Returns the public names above `name`; they are protected too, since listing one covers `name`. */
export function findPublicParents(name: string): string[] {
  const parents: string[] = []
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const parent = name.slice(dot + 1)
    if (isPublicName(parent)) parents.push(parent)
  }
  return parents
}

const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice(4) : host)

/** Returns a function that calls `make` at its first call, and returns that value from then on. */
function onDemand<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Returns the guards that ship with weir. A name is protected with and without `www.`, and so is every name
 * above it or above a platform. The sets are built at their first use, which only imports make.
 */
export function loadGuards(): Guards {
  const platforms = parsePlatforms(sharedInfrastructureText)
  const names = onDemand(() => protectedNames(platforms))
  const networks = onDemand(() => toBlockList(factLines(protectedAddressesText)))
  return {
    isProtected: (host) => names().has(withoutWww(host)),
    isProtectedAddress: (address) => isInside(networks(), address),
    isProtectedDigest: () => false,
    platforms,
  }
}

/** Returns the guards that ship with weir and those of guard sources, as stored now. */
export function loadStoredGuards({ guards }: ReadStore): Guards {
  const facts = loadGuards()
  const networks = onDemand(() =>
    toBlockList(findAllGuards(guards, 'network').map(({ value }) => value)),
  )
  const platforms = onDemand(() =>
    extendPlatforms(
      facts.platforms,
      findAllGuards(guards, 'platform').flatMap(({ value, mode }): Platform[] =>
        mode === null ? [] : [{ apex: value, mode }],
      ),
    ),
  )
  return {
    isProtected: (host) => facts.isProtected(host) || guards.protects(withoutWww(host), 'name'),
    isProtectedAddress: (address) =>
      facts.isProtectedAddress(address) || isInside(networks(), address),
    isProtectedDigest: (digest) => guards.protects(digest, 'digest'),
    get platforms() {
      return platforms()
    },
  }
}

function protectedNames(platforms: Platforms): ReadonlySet<string> {
  const names = factLines(protectedNamesText)
  const apexes = platforms.named.map(({ apex }) => apex)
  return new Set([...names, ...[...names, ...apexes].flatMap(findPublicParents)])
}

/** Returns every guard of a kind. */
export function findAllGuards(guards: ReadStore['guards'], kind: GuardKind): StoredGuard[] {
  const rows: StoredGuard[] = []
  for (let slice = guards.ofKind(kind, 0, sliceRows); slice.length > 0; ) {
    rows.push(...slice)
    slice = guards.ofKind(kind, slice.at(-1)?.id ?? 0, sliceRows)
  }
  return rows
}

const toFamily = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Returns a list of networks; each is an address or in CIDR notation. */
export function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    if (prefix === undefined) list.addAddress(address, toFamily(address))
    else list.addSubnet(address, Number(prefix), toFamily(address))
  }
  return list
}

/** Reports whether an address is in one of the networks. */
export function isInside(networks: BlockList, address: string): boolean {
  return networks.check(address, toFamily(address))
}
