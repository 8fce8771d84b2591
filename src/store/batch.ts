/**
 * What can be written: batches of operations.
 *
 * A batch says what happened, not which rows to change, and carries its own time, so that applying
 * it reads no clock, no random source and no setting: the same batches in the same order give the
 * same database anywhere.
 */

import type { AudienceWords } from '../model/audience.ts'
import type { BrandOrigin, IndicatorType, ThreatType } from '../model/indicator.ts'
import type { NewsArticle } from '../model/news.ts'
import type { CallSubject } from '../model/phone.ts'
import type { PlatformMode } from '../model/platform.ts'
import type { ReportStatus, ReportType } from '../model/report.ts'

/** The most rows a batch may change; also the space between two batch numbers. */
export const batchRowsMax = 4096

/** The most sightings one batch should carry, so that a transaction stays short. */
export const batchSightingsMax = 2_000

/** The most bytes of JSON a batch may be. */
export const batchBytesMax = 512 * 1024

/** How often calls from a number were reported on one day about one subject. */
export interface CallCount {
  /** Midnight UTC, milliseconds since the epoch. */
  readonly day: number
  readonly subject: CallSubject
  readonly count: number
}

/** What one source lists about one indicator; absent fields are the source's defaults or unknown. */
export interface Sighting {
  readonly type: IndicatorType
  readonly value: string
  /** The host of a URL or the domain of an e-mail address. */
  readonly host?: string
  /** The shared-infrastructure apex it is below. */
  readonly platform?: string
  /** It is itself such an apex. */
  readonly doNotBlock?: true
  readonly threatType?: ThreatType
  readonly confidence?: number
  readonly targetBrand?: string
  readonly targetBrandOrigin?: BrandOrigin
  readonly malwareFamily?: string
  readonly reference?: string
  /** When the source first saw it, milliseconds since the epoch; in the future it counts as now. */
  readonly firstSeenAt?: number
  /** Of a phone number: what is reported of each day that the source names. */
  readonly calls?: readonly CallCount[]
  /** Whom it concerns, used when it becomes listed; no audience when left out. */
  readonly audiences?: AudienceWords
}

/** An article as it is to be kept. */
export interface ProposedArticle extends NewsArticle {
  /** Equal for equal titles (`toTitleKey`). */
  readonly titleKey: string
  readonly audiences: AudienceWords
}

/** What a stranger reports; texts are masked already. */
export interface ProposedReport {
  /** Random: the reporter asks for the status by it. */
  readonly name: string
  /** What makes two reports the same one. */
  readonly identity: string
  readonly type: ReportType
  /** The indicator it names, canonical, or a text. */
  readonly value: string | null
  readonly valueType: IndicatorType | null
  readonly description: string | null
  readonly targetBrand: string | null
  /** How the reporter may be reached: for the operator alone. */
  readonly contact: string | null
}

/** Describes a source; the first operation of every run. */
export interface SourceDescription {
  readonly name: string
  readonly title: string
  readonly home: string | null
  readonly licence: string | null
  /** Whether what it lists may be published; if not, it is used for checks only. */
  readonly redistribute: boolean
  /** `weir` lists what follows from what others list; `news` brings articles, and lists nothing. */
  readonly role: 'list' | 'guard' | 'weir' | 'news'
  /**
   * Is the list all that its publisher lists (what goes missing is withdrawn) or only what is
   * `recent` (what goes missing is only no longer new)? Full when left out.
   */
  readonly listing?: 'full' | 'recent'
  /** 0 to 100: the confidence of a sighting that gives none itself. */
  readonly confidence: number
  readonly threatType: ThreatType
}

/** What a guard source protects. */
export type GuardKind = 'name' | 'platform' | 'network' | 'digest'

/** One thing that no list may block. */
export interface GuardEntry {
  readonly kind: GuardKind
  /** A canonical name, a network in CIDR notation, or a digest in lower-case hex. */
  readonly value: string
  /** What is to be judged on a platform. */
  readonly mode?: PlatformMode
}

/** What the rules find about a row; fields left out stay as they are. */
export interface NamedRow {
  readonly id: number
  readonly brand?: string | null
  readonly audiences?: AudienceWords
}

/** What an operator may decide about an indicator; `clear` removes the decision. */
export type DecisionVerdict = 'block' | 'allow' | 'clear'

export type Operation =
  /** Begins a reading of a source's full list; the answer names the run. */
  | { readonly op: 'startRun'; readonly source: SourceDescription; readonly digest: string | null }
  | {
      readonly op: 'sight'
      readonly source: string
      readonly run: number
      readonly sightings: readonly Sighting[]
    }
  /** Brings articles; what goes missing from a feed of news stays known. */
  | {
      readonly op: 'publishNews'
      readonly source: string
      readonly run: number
      readonly articles: readonly ProposedArticle[]
    }
  /** Names what a guard source protects; its run ends like a list's. */
  | {
      readonly op: 'guard'
      readonly source: string
      readonly run: number
      readonly entries: readonly GuardEntry[]
    }
  /** Ends, in slices, sightings by lists of what a guard source protects. */
  | { readonly op: 'enforce'; readonly source: string; readonly after: number }
  /**
   * Ends, in slices, the sightings of the run's source that the run did not see. `after` is the
   * indicator the last slice ended at, 0 to begin; the answer has the next one, or null when
   * the run is complete. A sighting ends `graceMs` after the batch's time.
   */
  | {
      readonly op: 'endRun'
      readonly run: number
      readonly after: number
      readonly graceMs: number
      readonly read: number
      readonly refused: Readonly<Record<string, number>>
    }
  /** Sets or removes an operator's decision, which overrides every feed. */
  | {
      readonly op: 'decide'
      readonly type: IndicatorType
      readonly value: string
      readonly host?: string
      readonly platform?: string
      /** It is a shared-infrastructure apex, which only an operator's decision blocks as a whole. */
      readonly doNotBlock?: true
      /** The brand that the look-alike rules name. */
      readonly targetBrand?: string
      /** Whom it concerns, used when it becomes listed. */
      readonly audiences?: AudienceWords
      /** It is the answer to an appeal. */
      readonly isAppeal?: true
      readonly verdict: DecisionVerdict
      readonly reason: string
      readonly by: string
      readonly until: number | null
    }
  /** Saves a report, or counts it with the one that it repeats; the answer names which. */
  | { readonly op: 'report'; readonly report: ProposedReport }
  /**
   * Sets the status of a report. Accepting one may list what it names; rejecting one that had been
   * accepted ends that listing.
   */
  | {
      readonly op: 'settleReport'
      readonly id: number
      /** Expected current status; the operation fails if it has changed (optimistic lock). */
      readonly from?: ReportStatus
      readonly status: Exclude<ReportStatus, 'received'>
      readonly reason: string | null
      readonly by: string
      readonly audiences: AudienceWords
      readonly listing: Sighting | null
    }
  /** Forgets, in slices, articles from before a time, and what is personal in reports decided before one. */
  | { readonly op: 'forgetTexts'; readonly newsBefore: number; readonly reportsBefore: number }
  /**
   * Writes which brands the look-alike rules name and whom rows concern, in slices over the existing
   * rows. A brand that a source names overrides them.
   */
  | {
      readonly op: 'nameBrands'
      /** The version of the rules. */
      readonly rules: string
      readonly names: readonly NamedRow[]
      /** The indicator the slice ended at; null: it was the last. */
      readonly next: number | null
    }
  /** Ends what has run out by the batch's time: graced sightings and decisions with an end. */
  | { readonly op: 'expire' }
  /** The operator's decision about a source: whether it is fetched by itself (null: as described), and
   * whether all that it lists is withdrawn. */
  | {
      readonly op: 'switchSource'
      readonly source: SourceDescription
      readonly enabled: boolean | null
      readonly isWithdrawn: boolean
    }
  /** Ends, in slices, all that a withdrawn source lists; `reinstate` brings it back. */
  | { readonly op: 'withhold'; readonly source: string; readonly after: number }
  | { readonly op: 'reinstate'; readonly source: string; readonly after: number }
  /** Forgets, in slices, what was delisted, and which runs were made, before a time. */
  | { readonly op: 'prune'; readonly before: number }

export interface Batch {
  /** The time of everything in it, milliseconds since the epoch. */
  readonly at: number
  readonly operations: readonly Operation[]
}

/** What a committed batch did. */
export interface Committed {
  /** The sequence number of the last change of meaning, this batch's or an earlier one's. */
  readonly seq: number
  /** Indicators that are new. */
  readonly added: number
  /** Known indicators whose meaning has changed. */
  readonly changed: number
  /** Sightings that only confirmed what was known. */
  readonly seenAgain: number
  /** Indicators that are no longer active. */
  readonly delisted: number
  /** The run a `startRun` began. */
  readonly run: number | null
  /** Where an operation in slices continues; null when it is complete. */
  readonly next: number | null
  /** The name of the report that a `report` was saved as, or counted with; null: too many are open. */
  readonly report: string | null
}
