/**
 * Turns an entry of a guard source into one or more guards, or refuses it.
 *
 * A popular site is never made a platform by a guard that names platforms: "never list it" would become
 * "list its pages".
 */

import { parseAddress } from '../model/address.ts'
import { parseDigest } from '../model/digest.ts'
import { parseDomainName, privateSuffix, whyNotPublic } from '../model/domain.ts'
import type { PlatformMode } from '../model/platform.ts'
import type { Result } from '../model/result.ts'
import type { GuardEntry } from '../store/batch.ts'
import type { FeedEntry } from './formats/format.ts'
import { findPublicParents, type Guards } from './guards.ts'
import { type Refusal, recogniseKind } from './judge.ts'

type Judged = Result<readonly GuardEntry[], Refusal>

const refused = (reason: Refusal): Judged => ({ ok: false, reason })

/** The longest network prefix of each family. */
const prefixMax = { 4: 32, 6: 128 } as const

/** The widest network of each family that a guard may protect: a typo must not protect the internet. */
const prefixMin = { 4: 8, 6: 16 } as const

/** Returns the guards of one entry; `mode` is the mode of the platforms that the source names. */
export function judgeGuard(entry: FeedEntry, mode: PlatformMode | null, guards: Guards): Judged {
  const text = entry.text.trim()
  const kind = entry.kind === 'any' ? recogniseKind(text) : entry.kind
  switch (kind) {
    case 'digest':
      return judgeDigest(text)
    case 'address':
    case 'network':
      return judgeNetwork(text)
    case 'name':
      if (parseAddress(text) !== null) return judgeNetwork(text)
      return judgeName(text, mode, guards)
    case 'url':
    case 'email':
    case 'phone':
      return refused('unsupported_type')
  }
}

function judgeDigest(text: string): Judged {
  const digest = parseDigest(text)
  if (!digest.ok) return refused('not_a_digest')
  return { ok: true, value: [{ kind: 'digest', value: digest.value.value }] }
}

function judgeNetwork(text: string): Judged {
  const [addressText = '', prefixText, ...rest] = text.split('/')
  const address = parseAddress(addressText)
  if (address === null || rest.length > 0) return refused('invalid_host')
  const max = prefixMax[address.family]
  const prefix =
    prefixText === undefined ? max : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : -1
  if (prefix < 0 || prefix > max) return refused('invalid_host')
  if (prefix < prefixMin[address.family]) return refused('too_wide')
  return { ok: true, value: [{ kind: 'network', value: `${address.text}/${prefix}` }] }
}

function judgeName(text: string, mode: PlatformMode | null, guards: Guards): Judged {
  const name = parseDomainName(text)
  if (!name.ok) return refused(name.reason)
  if (whyNotPublic(name.value) !== null) return refused('not_public_host')
  const bare = name.value.startsWith('www.') ? name.value.slice('www.'.length) : name.value
  if (whyNotPublic(bare) !== null) return refused('not_public_host')
  const parents = findPublicParents(bare).map((value) => ({ kind: 'name', value }) as const)
  const isPlatform = mode !== null && !guards.isProtected(bare) && !isRegistry(bare, guards)
  const guard: GuardEntry = isPlatform
    ? { kind: 'platform', value: bare, mode }
    : { kind: 'name', value: bare }
  return { ok: true, value: [guard, ...parents] }
}

/** Reports whether names are registered directly below `name`, so that it cannot be a platform. */
function isRegistry(name: string, guards: Guards): boolean {
  return privateSuffix(name) === name && guards.platforms.findPlatform(name) === null
}
