/**
 * What guards have to do with a value that the operator names: which protect it from feeds, and how the
 * operator's word about it differs from what a feed may say.
 */

import type { GuardKind } from '../store/batch.ts'
import type { ReadStore } from '../store/store.ts'
import { type Guards, isInside, loadGuards, networksOf, rowsOf } from './guards.ts'
import { judgeIndicator, type Refusal } from './judge.ts'
import type { OperatorValue } from './operator.ts'

const protectedReasons: readonly Refusal[] = [
  'protected_name',
  'protected_address',
  'protected_digest',
]

/** Returns how a word about this value differs from what a feed may say of it, or null. */
export function noteOn(
  named: OperatorValue,
  verdict: 'block' | 'allow',
  guards: Guards,
): string | null {
  const { value, platform = value } = named
  const judged = judgeIndicator(named, guards)
  const isBlock = verdict === 'block'
  if (judged.ok) {
    if (judged.value.doNotBlock !== true) return null
    const what = isBlock ? 'your word blocks all of them' : 'no feed can block it as a whole'
    return `${value} hosts pages of many people; ${what}`
  }
  const { reason } = judged
  if (reason === 'whole_platform') return `${value} stands for all that is on ${platform}`
  if (reason === 'not_public_host') {
    return `names are registered right below ${value}; your word is about all of them`
  }
  if (!protectedReasons.includes(reason)) return null
  const what = isBlock ? 'from feeds; your word stands above that' : 'from feeds as it is'
  return `${value} is protected ${what}`
}

/** Under this name stands what weir itself protects, by the facts that come with it. */
export const ownProtection = 'weir'

/** One guard that speaks of a value. */
export interface Protection {
  readonly kind: GuardKind
  /** The guard source. */
  readonly source: string
}

/** Returns which guards keep feeds from listing what is named, and which call it a platform. */
export function protectionsOf(
  store: ReadStore,
  named: OperatorValue,
  guards: Guards,
): readonly Protection[] {
  const { type, value, host = value } = named
  switch (type) {
    case 'domain':
      return nameProtections(store, value)
    case 'url': {
      const judged = judgeIndicator(named, guards)
      const isProtected = !judged.ok && judged.reason === 'protected_name'
      return isProtected ? nameProtections(store, host) : []
    }
    case 'ip':
      return networkProtections(store, value)
    case 'sha256':
    case 'sha1':
    case 'md5':
      return store.guards.naming(value)
    case 'email':
    case 'phone':
      return []
  }
}

function nameProtections(store: ReadStore, host: string): Protection[] {
  const bare = host.startsWith('www.') ? host.slice('www.'.length) : host
  const isOwn = loadGuards().isProtected(host)
  const own: Protection[] = isOwn ? [{ kind: 'name', source: ownProtection }] : []
  return [...own, ...store.guards.naming(bare)]
}

function networkProtections({ guards, sources }: ReadStore, address: string): Protection[] {
  const names = new Map(sources.all().map(({ id, name }) => [id, name]))
  const found = new Set<string>()
  if (loadGuards().isProtectedAddress(address)) found.add(ownProtection)
  for (const { value, sourceId: id } of rowsOf(guards, 'network')) {
    if (isInside(networksOf([value]), address)) found.add(names.get(id) ?? '')
  }
  return [...found].map((source) => ({ kind: 'network', source }))
}
