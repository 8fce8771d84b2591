/**
 * What becomes of a source's entries: a list's are proposed as sightings, a guard's as guards, articles as
 * news. Each is judged, whom it concerns is decided here and once, and the judgement makes the operation
 * that writes it.
 */

import type { Audience } from '../model/audience.ts'
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

/** Names the brand that a listed value imitates, where its source does not. */
export interface BrandNaming {
  /** Tells one set of rules from another. */
  readonly rules: string
  findBrand(listed: Pick<Sighting, 'type' | 'value' | 'host'>): string | null
  /** Returns what weir calls a brand that a source names; else what it said. */
  toKnownName(said: string): string
}

/** Collects what is judged fit until it is written. */
export interface Intake {
  /** Judges an entry and keeps what comes of it, or says why it is refused. */
  add(entry: FeedEntry | Article): Result<void, Refusal>
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
class Waiting<Proposal> {
  #items: Proposal[] = []
  #bytes = 0

  get state(): { readonly count: number; readonly bytes: number } {
    return { count: this.#items.length, bytes: this.#bytes }
  }

  add(item: Proposal, words: readonly (string | undefined)[]): void {
    this.#items.push(item)
    this.#bytes += proposalBytes
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

/** How a source's entries are taken in. */
export interface IntakeParts {
  readonly source: SourceDescription
  /** What is judged on the platforms that a guard names. */
  readonly platformMode: PlatformMode | null
  /** Whom all articles of a source of news concern. */
  readonly audiences: readonly Audience[]
  readonly guards: Guards
  readonly naming: BrandNaming
  readonly now: () => number
}

const notOfThisKind = { ok: false, reason: 'unsupported_type' } as const
const taken = { ok: true, value: undefined } as const

/** Returns the intake of a source: a guard's when it is one, that of news, else a list's. */
export function createIntake(parts: IntakeParts): Intake {
  const { role } = parts.source
  if (role === 'news') return newsIntake(parts)
  return role === 'guard' ? guardIntake(parts) : listIntake(parts)
}

function listIntake({ source, guards, naming }: IntakeParts): Intake {
  const waiting = new Waiting<Sighting>()
  return {
    add(entry) {
      if (entry.kind === 'article') return notOfThisKind
      const judged = judge(entry, guards)
      if (!judged.ok) return judged
      const sighting = addressed(branded(judged.value, naming), source)
      const { value, reference, malwareFamily, targetBrand, host, platform, calls } = sighting
      waiting.add(sighting, [
        value,
        reference,
        malwareFamily,
        // It is among the words that decide whom it concerns as well.
        targetBrand,
        targetBrand,
        host,
        platform,
        calls === undefined ? undefined : JSON.stringify(calls),
        sighting.audiences?.elder?.join(),
      ])
      return taken
    },
    get waiting() {
      return waiting.state
    },
    operation: (run) => ({ op: 'sight', source: source.name, run, sightings: waiting.takeAll() }),
  }
}

/** Returns a sighting with whom it concerns. */
function addressed(sighting: Sighting, source: SourceDescription): Sighting {
  if (sighting.doNotBlock === true) return sighting
  const { threatType = source.threatType, confidence = source.confidence } = sighting
  return { ...sighting, audiences: findListingAudiences({ ...sighting, threatType, confidence }) }
}

function newsIntake({ source, audiences, now }: IntakeParts): Intake {
  const waiting = new Waiting<ProposedArticle>()
  const keys = new Set<string>()
  return {
    add(item) {
      if (item.kind !== 'article') return notOfThisKind
      const { article } = item
      if (article.publishedAt !== null && article.publishedAt < now() - newsKeptMs) {
        return { ok: false, reason: 'too_old' }
      }
      const words = findArticleAudiences(article, audiences)
      const titleKey = toTitleKey(article.title)
      const { title, link, summary } = article
      // Two of one feed under one key are told apart by where they lead.
      const key = keys.has(article.key) ? link : article.key
      if (keys.has(key)) return taken
      keys.add(key)
      waiting.add({ ...article, key, titleKey, audiences: words }, [
        key,
        title,
        titleKey,
        link,
        summary,
        JSON.stringify(words),
      ])
      return taken
    },
    get waiting() {
      return waiting.state
    },
    operation: (run) => {
      return { op: 'publishNews', source: source.name, run, articles: waiting.takeAll() }
    },
  }
}

/** Returns a sighting with the brand that the rules name, unless its source has named one: that by its name. */
function branded(sighting: Sighting, naming: BrandNaming): Sighting {
  const { targetBrand: said } = sighting
  if (said !== undefined) return { ...sighting, targetBrand: naming.toKnownName(said) }
  if (sighting.doNotBlock === true) return sighting
  const targetBrand = naming.findBrand(sighting)
  return targetBrand === null ? sighting : { ...sighting, targetBrand, targetBrandOrigin: 'rules' }
}

function guardIntake({ source, platformMode, guards }: IntakeParts): Intake {
  const waiting = new Waiting<GuardEntry>()
  return {
    add(entry) {
      if (entry.kind === 'article') return notOfThisKind
      const judged = judgeGuard(entry, platformMode, guards)
      if (!judged.ok) return judged
      for (const guard of judged.value) waiting.add(guard, [guard.value, guard.mode])
      return taken
    },
    get waiting() {
      return waiting.state
    },
    operation: (run) => ({ op: 'guard', source: source.name, run, entries: waiting.takeAll() }),
  }
}
