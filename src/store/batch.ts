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

/** What one source says of one indicator; absent fields are the source's defaults or unknown. */
export interface Sighting {
  readonly type: IndicatorType
  readonly value: string
  /** The host of a URL or the domain of an e-mail address. */
  readonly host?: string
  /** The shared-infrastructure apex it stands under. */
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
  /** Whom it concerns, when it is listed anew; nobody when left out. */
  readonly audiences?: AudienceWords
}

/** An article as it is to be kept. */
export interface ProposedArticle extends NewsArticle {
  /** By this the same title is known again (`toTitleKey`). */
  readonly titleKey: string
  readonly audiences: AudienceWords
}

/** What a stranger reports; texts are masked already. */
export interface ProposedReport {
  /** Random: by this the reporter asks how it fares. */
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
  /** May what it lists be passed on? If not, it answers checks only. */
  readonly redistribute: boolean
  /** `weir` lists what follows from what others list; `news` brings articles, and lists nothing. */
  readonly role: 'list' | 'guard' | 'weir' | 'news'
  /**
   * Is the list all that its publisher lists (what goes missing is withdrawn) or only what is
   * `recent` (what goes missing is only no longer new)? Full when left out.
   */
  readonly listing?: 'full' | 'recent'
  /** 0 to 100: what a sighting of it is worth when it does not say so itself. */
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

/** What the rules say of a row; what is left out stays as it is. */
export interface NamedRow {
  readonly id: number
  readonly brand?: string | null
  readonly audiences?: AudienceWords
}

/** What an operator may say of an indicator; `clear` takes the word back. */
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
  /** Ends, in slices, what lists say of things that a guard source protects. */
  | { readonly op: 'enforce'; readonly source: string; readonly after: number }
  /**
   * Ends, in slices, the sightings of the run's source that the run did not see. `after` is the
   * indicator the last slice ended at, 0 to begin; the answer says where to go on, or null when
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
  /** Sets or takes back an operator's word, which stands above every feed. */
  | {
      readonly op: 'decide'
      readonly type: IndicatorType
      readonly value: string
      readonly host?: string
      readonly platform?: string
      /** It is a shared-infrastructure apex, which only this word may block as a whole. */
      readonly doNotBlock?: true
      /** The brand that the look-alike rules name. */
      readonly targetBrand?: string
      /** Whom it concerns, when it is listed anew. */
      readonly audiences?: AudienceWords
      /** It is the answer to an appeal. */
      readonly isAppeal?: true
      readonly verdict: DecisionVerdict
      readonly reason: string
      readonly by: string
      readonly until: number | null
    }
  /** Takes a report down, or counts it with the one that it repeats; the answer says which. */
  | { readonly op: 'report'; readonly report: ProposedReport }
  /**
   * Says how a report fares. Accepting one may list what it names; a report that was accepted and is
   * rejected after all takes that back.
   */
  | {
      readonly op: 'settleReport'
      readonly id: number
      /** How it fared when that was decided: whoever decides at the same time must not undo it. */
      readonly from?: ReportStatus
      readonly status: Exclude<ReportStatus, 'received'>
      readonly reason: string | null
      readonly by: string
      readonly audiences: AudienceWords
      readonly listing: Sighting | null
    }
  /** Forgets, in slices, articles from before a time, and what is personal in reports settled before one. */
  | { readonly op: 'forgetTexts'; readonly newsBefore: number; readonly reportsBefore: number }
  /**
   * Says which brands the look-alike rules name and whom rows concern, in slices over the rows that
   * stand. What a source says of a brand stands above it.
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
  /** The operator's word about a source: fetched by itself (null: as described), taken back whole. */
  | {
      readonly op: 'switchSource'
      readonly source: SourceDescription
      readonly enabled: boolean | null
      readonly isWithdrawn: boolean
    }
  /** Takes back, in slices, all that a withdrawn source lists; `reinstate` gives it back. */
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
  /** Indicators that were known and of which weir now says something else. */
  readonly changed: number
  /** Sightings that only confirmed what was known. */
  readonly seenAgain: number
  /** Indicators that are no longer active. */
  readonly delisted: number
  /** The run a `startRun` began. */
  readonly run: number | null
  /** Where an operation in slices has to go on; null when it is complete. */
  readonly next: number | null
  /** The name of the report that a `report` was taken down as, or counted with; null: too many wait. */
  readonly report: string | null
}
