/**
 * What becomes of a source's entries: a list's are proposed as sightings, a guard's as guards. Either
 * way an entry is judged, and the judgement makes the operation that writes it.
 */

import type { PlatformMode } from '../model/platform.ts'
import type { Result } from '../model/result.ts'
import type { GuardEntry, Operation, Sighting, SourceDescription } from '../store/batch.ts'
import type { Entry } from './formats/format.ts'
import { judgeGuard } from './guard-judge.ts'
import type { Guards } from './guards.ts'
import { judge, type Refusal } from './judge.ts'

/** Names the brand that a listed value imitates, where its source does not. */
export interface BrandNaming {
  /** Tells one set of rules from another. */
  readonly rules: string
  brandOf(listed: Pick<Sighting, 'type' | 'value' | 'host'>): string | null
  /** Returns what weir calls a brand that a source names; else what it said. */
  nameOf(said: string): string
}

/** Collects what is judged fit until it is written. */
export interface Intake {
  /** Judges an entry and keeps what comes of it, or says why it is refused. */
  take(entry: Entry): Result<void, Refusal>
  /** How many proposals wait, and about how many bytes of JSON they are. */
  readonly waiting: { readonly count: number; readonly bytes: number }
  /** Returns the operation that writes what waits, and begins anew. */
  operation(run: number): Operation
}

/** Bytes of JSON around a proposal, its value and numbers, and around each word: keys and quotes. */
const proposalBytes = 128
const wordBytes = 32

/** A character as JSON is at most so many bytes, escaped or widened by UTF-8. */
const bytesPerCharacter = 3

/** Holds proposals of one kind. */
class Waiting<Proposal extends { readonly value: string }> {
  #items: Proposal[] = []
  #bytes = 0

  get state(): { readonly count: number; readonly bytes: number } {
    return { count: this.#items.length, bytes: this.#bytes }
  }

  add(item: Proposal, words: readonly (string | undefined)[]): void {
    this.#items.push(item)
    this.#bytes += item.value.length * bytesPerCharacter + proposalBytes
    for (const word of words) {
      if (word !== undefined) this.#bytes += word.length * bytesPerCharacter + wordBytes
    }
  }

  takeAll(): readonly Proposal[] {
    const items = this.#items
    this.#items = []
    this.#bytes = 0
    return items
  }
}

/** Returns the intake of a source: a guard's when it is one, else a list's. */
export function intakeOf(
  source: SourceDescription,
  platformMode: PlatformMode | null,
  guards: Guards,
  naming: BrandNaming,
): Intake {
  return source.role === 'guard'
    ? guardIntake(source.name, platformMode, guards)
    : listIntake(source.name, guards, naming)
}

function listIntake(source: string, guards: Guards, naming: BrandNaming): Intake {
  const waiting = new Waiting<Sighting>()
  return {
    take(entry) {
      const judged = judge(entry, guards)
      if (!judged.ok) return judged
      const sighting = branded(judged.value, naming)
      const { reference, malwareFamily, targetBrand, host, platform, threatType, calls } = sighting
      const counted = calls === undefined ? undefined : JSON.stringify(calls)
      waiting.add(sighting, [
        reference,
        malwareFamily,
        targetBrand,
        host,
        platform,
        threatType,
        counted,
      ])
      return { ok: true, value: undefined }
    },
    get waiting() {
      return waiting.state
    },
    operation: (run) => ({ op: 'sight', source, run, sightings: waiting.takeAll() }),
  }
}

/** Returns a sighting with the brand that the rules name, unless its source has named one: that by its name. */
function branded(sighting: Sighting, naming: BrandNaming): Sighting {
  const { targetBrand: said } = sighting
  if (said !== undefined) return { ...sighting, targetBrand: naming.nameOf(said) }
  if (sighting.doNotBlock === true) return sighting
  const targetBrand = naming.brandOf(sighting)
  return targetBrand === null ? sighting : { ...sighting, targetBrand, targetBrandOrigin: 'rules' }
}

function guardIntake(source: string, mode: PlatformMode | null, guards: Guards): Intake {
  const waiting = new Waiting<GuardEntry>()
  return {
    take(entry) {
      const judged = judgeGuard(entry, mode, guards)
      if (!judged.ok) return judged
      for (const guard of judged.value) waiting.add(guard, [guard.mode])
      return { ok: true, value: undefined }
    },
    get waiting() {
      return waiting.state
    },
    operation: (run) => ({ op: 'guard', source, run, entries: waiting.takeAll() }),
  }
}
