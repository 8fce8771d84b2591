/**
 * Turns a source's entries into proposals: those of a list into sightings, those of a guard into guards,
 * articles into news. Each is judged, gets its audiences, and waits for the operation that writes it.
 */

import type { Audience } from '../model/audience.ts'
import type { BrandNamer } from '../model/brand.ts'
import { newsKeptMs, toTitleKey } from '../model/news.ts'
import type { PlatformMode } from '../model/platform.ts'
import type { Result } from '../model/result.ts'
import type {
  GuardEntry,
  Operation,
  ProposedArticle,
  Sighting,
  SourceDescription,
} from '../store/batch.ts'
import { findArticleAudiences, findListingAudiences } from './audiences.ts'
import type { Article, FeedEntry } from './formats/format.ts'
import { judgeGuard } from './guard-judge.ts'
import type { Guards } from './guards.ts'
import { judge, type Refusal } from './judge.ts'

/** Collects accepted proposals until they are written. */
export interface Intake {
  /** Judges an entry and adds its proposals, or returns why it is refused. */
  add(entry: FeedEntry | Article): Result<void, Refusal>
  /** The number of waiting proposals, and about their bytes as JSON. */
  readonly waiting: { readonly count: number; readonly bytes: number }
  /** Returns the operation that writes the waiting proposals, and removes them. */
  operation(run: number): Operation
}

/** Bytes of JSON around a proposal and its numbers, and around each string: keys and quotes. */
const proposalBytes = 128
const stringBytes = 32

/** Maximum number of bytes per character in JSON, escaped or in UTF-8. */
const bytesPerCharacter = 3

/** Holds proposals of one kind. */
class Waiting<Proposal> {
  #items: Proposal[] = []
  #bytes = 0

  get state(): { readonly count: number; readonly bytes: number } {
    return { count: this.#items.length, bytes: this.#bytes }
  }

  add(item: Proposal, strings: readonly (string | undefined)[]): void {
    this.#items.push(item)
    this.#bytes += proposalBytes
    for (const text of strings) {
      if (text !== undefined) this.#bytes += text.length * bytesPerCharacter + stringBytes
    }
  }

  removeAll(): readonly Proposal[] {
    const items = this.#items
    this.#items = []
    this.#bytes = 0
    return items
  }
}

/** What an intake needs. */
export interface IntakeParts {
  readonly source: SourceDescription
  /** The mode of the platforms that a guard names. */
  readonly platformMode: PlatformMode | null
  /** The audiences of all articles of a news source. */
  readonly audiences: readonly Audience[]
  readonly guards: Guards
  readonly naming: BrandNamer
  readonly now: () => number
}

const wrongKind = { ok: false, reason: 'unsupported_type' } as const
const added = { ok: true, value: undefined } as const

/** Returns the intake for the role of a source. */
export function createIntake(parts: IntakeParts): Intake {
  const { role } = parts.source
  if (role === 'news') return createNewsIntake(parts)
  return role === 'guard' ? createGuardIntake(parts) : createListIntake(parts)
}

function createListIntake({ source, guards, naming }: IntakeParts): Intake {
  const waiting = new Waiting<Sighting>()
  return {
    add(entry) {
      if (entry.kind === 'article') return wrongKind
      const judged = judge(entry, guards)
      if (!judged.ok) return judged
      const sighting = withAudiences(withBrand(judged.value, naming), source)
      const { value, reference, malwareFamily, targetBrand, host, platform, calls } = sighting
      waiting.add(sighting, [
        value,
        reference,
        malwareFamily,
        // It appears again in the audiences.
        targetBrand,
        targetBrand,
        host,
        platform,
        calls === undefined ? undefined : JSON.stringify(calls),
        sighting.audiences?.elder?.join(),
      ])
      return added
    },
    get waiting() {
      return waiting.state
    },
    operation: (run) => ({ op: 'sight', source: source.name, run, sightings: waiting.removeAll() }),
  }
}

/** Returns a sighting with its audiences. */
function withAudiences(sighting: Sighting, source: SourceDescription): Sighting {
  if (sighting.doNotBlock === true) return sighting
  const { threatType = source.threatType, confidence = source.confidence } = sighting
  return { ...sighting, audiences: findListingAudiences({ ...sighting, threatType, confidence }) }
}

function createNewsIntake({ source, audiences, now }: IntakeParts): Intake {
  const waiting = new Waiting<ProposedArticle>()
  const keys = new Set<string>()
  return {
    add(item) {
      if (item.kind !== 'article') return wrongKind
      const { article } = item
      if (article.publishedAt !== null && article.publishedAt < now() - newsKeptMs) {
        return { ok: false, reason: 'too_old' }
      }
      const words = findArticleAudiences(article, audiences)
      const titleKey = toTitleKey(article.title)
      const { title, link, summary } = article
      // Two articles of a feed with one key are distinguished by their links.
      const key = keys.has(article.key) ? link : article.key
      if (keys.has(key)) return added
      keys.add(key)
      waiting.add({ ...article, key, titleKey, audiences: words }, [
        key,
        title,
        titleKey,
        link,
        summary,
        JSON.stringify(words),
      ])
      return added
    },
    get waiting() {
      return waiting.state
    },
    operation: (run) => {
      return { op: 'publishNews', source: source.name, run, articles: waiting.removeAll() }
    },
  }
}

/** Returns a sighting with weir's name of the source's brand, else with the brand that the rules find. */
function withBrand(sighting: Sighting, naming: BrandNamer): Sighting {
  const { targetBrand: named } = sighting
  if (named !== undefined) return { ...sighting, targetBrand: naming.toKnownName(named) }
  if (sighting.doNotBlock === true) return sighting
  const targetBrand = naming.findBrand(sighting)
  return targetBrand === null ? sighting : { ...sighting, targetBrand, targetBrandOrigin: 'rules' }
}

function createGuardIntake({ source, platformMode, guards }: IntakeParts): Intake {
  const waiting = new Waiting<GuardEntry>()
  return {
    add(entry) {
      if (entry.kind === 'article') return wrongKind
      const judged = judgeGuard(entry, platformMode, guards)
      if (!judged.ok) return judged
      for (const guard of judged.value) waiting.add(guard, [guard.value, guard.mode])
      return added
    },
    get waiting() {
      return waiting.state
    },
    operation: (run) => ({ op: 'guard', source: source.name, run, entries: waiting.removeAll() }),
  }
}
