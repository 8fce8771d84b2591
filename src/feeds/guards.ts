/**
 * What stands between feeds and the lists: names, addresses and digests that no feed may block, and
 * shared infrastructure. `data/` says so from the first start on, guard sources from their import on.
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
  /** Reports whether a digest is known to be one of harmless files. */
  isProtectedDigest(digest: string): boolean
  readonly platforms: Platforms
}

/** How many guards are read at once. */
const sliceRows = 1_000

/** Returns the public names above `name`, which nobody may list either: all of it lies below them. */
export function findPublicParents(name: string): string[] {
  const parents: string[] = []
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const parent = name.slice(dot + 1)
    if (isPublicName(parent)) parents.push(parent)
  }
  return parents
}

const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice(4) : host)

/** Returns what `make` makes, made when it is first asked for. */
function onDemand<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Reads the facts that ship with weir; a name is protected with and without `www.`, and with every
 * name above it and above a platform. Only who imports asks for names and addresses, so the serving
 * thread never builds those sets.
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

/** Adds what guard sources have said to the facts that ship with weir, as it stands now. */
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

/** Makes a list of networks; each is an address or stands in CIDR notation. */
export function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    if (prefix === undefined) list.addAddress(address, toFamily(address))
    else list.addSubnet(address, Number(prefix), toFamily(address))
  }
  return list
}

/** Reports whether an address lies in one of the networks. */
export function isInside(networks: BlockList, address: string): boolean {
  return networks.check(address, toFamily(address))
}
