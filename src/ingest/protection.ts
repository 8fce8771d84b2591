/** Finds the guards that protect a value from feeds, and explains what a decision about it changes. */

import type { GuardKind } from '../store/batch.ts'
import type { ReadStore } from '../store/store.ts'
import { findAllGuards, type Guards, isInside, loadGuards, toBlockList } from './guards.ts'
import { judgeIndicator, type Refusal } from './judge.ts'
import type { OperatorValue } from './operator.ts'

const protectedReasons: readonly Refusal[] = [
  'protected_name',
  'protected_address',
  'protected_digest',
]

/** Returns how far a decision about this value goes beyond what a feed can do, or null. */
export function formatDecisionNote(
  named: OperatorValue,
  verdict: 'block' | 'allow',
  guards: Guards,
): string | null {
  const { value, platform = value } = named
  const judged = judgeIndicator(named, guards)
  const isBlock = verdict === 'block'
  if (judged.ok) {
    if (judged.value.doNotBlock !== true) return null
    const what = isBlock ? 'your decision blocks all of them' : 'no feed can block it as a whole'
    return `${value} hosts pages of many people; ${what}`
  }
  const { reason } = judged
  if (reason === 'whole_platform') return `${value} covers everything on ${platform}`
  if (reason === 'not_public_host') {
    return `names are registered directly below ${value}; your decision applies to all of them`
  }
  if (!protectedReasons.includes(reason)) return null
  const what = isBlock ? 'from feeds; your decision overrides that' : 'from feeds already'
  return `${value} is protected ${what}`
}

/** The name of the guard source for what weir protects by the facts that ship with it. */
export const ownProtection = 'weir'

/** A guard that mentions a value. */
export interface Protection {
  readonly kind: GuardKind
  /** The guard source. */
  readonly source: string
}

/** Returns the guards that keep feeds from listing a value, and those that call it a platform. */
export function findProtections(
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
  for (const { value, sourceId: id } of findAllGuards(guards, 'network')) {
    if (isInside(toBlockList([value]), address)) found.add(names.get(id) ?? '')
  }
  return [...found].map((source) => ({ kind: 'network', source }))
}
