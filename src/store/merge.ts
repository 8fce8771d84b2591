/**
 * Merges what sources and the operator say into indicator rows: the middle of applying a batch.
 *
 * Every row whose meaning changes takes the batch's next number, is counted, and records an event
 * when its state changes. Reads the batch and the database, nothing else.
 */

import type { AudienceWords } from '../model/audience.ts'
import type { RemovalReason } from '../model/indicator.ts'
import { bitsOf, listingWordsText } from './audience-bits.ts'
import type { Operation, Sighting } from './batch.ts'
import type { CounterTable } from './counters.ts'
import type { DecisionTable } from './decisions.ts'
import type { EventTable } from './events.ts'
import type { Exports } from './exports.ts'
import type { GuardTable } from './guards.ts'
import type { IndicatorRow, IndicatorTable } from './indicators.ts'
import type { MetaTable } from './meta.ts'
import type { NewsTable } from './news.ts'
import { nextIndicatorSeq, nextTextSeq, type Progress } from './progress.ts'
import type { ReportedCallTable } from './reported-calls.ts'
import type { ReportTable } from './reports.ts'
import { type SightingRow, type SightingTable, saysTheSame, sightingRow } from './sightings.ts'
import type { SourceTable, StoredSource } from './sources.ts'
import { isNews, type Standing, standingOf, stateOf } from './standing.ts'

export interface Tables {
  readonly meta: MetaTable
  readonly indicators: IndicatorTable
  readonly sightings: SightingTable
  readonly sources: SourceTable
  readonly counters: CounterTable
  readonly decisions: DecisionTable
  readonly events: EventTable
  readonly guards: GuardTable
  readonly reportedCalls: ReportedCallTable
  readonly exports: Exports
  readonly news: NewsTable
  readonly reports: ReportTable
}

/** Why a row changes, for its event. */
interface Cause {
  readonly reason: 'sighted' | RemovalReason
  readonly by: string
  /** What ends should never have been listed. */
  readonly isMistake?: true
}

/** What the operator says of a row; null: nothing any more. */
interface Word
  extends Pick<Operation & { op: 'decide' }, 'by' | 'targetBrand' | 'audiences' | 'isAppeal'> {
  readonly decision: IndicatorRow['decision']
  readonly doNotBlock: number
}

/** So many reports of one indicator follow its state at most; more are the same one told again. */
const followedReportsMax = 100

/** What a row that is not there yet begins with. */
interface NewRow {
  readonly type: IndicatorRow['type']
  readonly value: string
  readonly host: string | undefined
  readonly platform: string | undefined
  readonly doNotBlock: true | undefined
  readonly decision: IndicatorRow['decision']
  readonly audiences: AudienceWords | undefined
}

/** Merges on one connection, inside the transaction of the batch that `Progress` stands for. */
export class Merger {
  readonly #tables: Tables

  constructor(tables: Tables) {
    this.#tables = tables
  }

  /** Merges one sighting; says whether it is newly live, and the run's first of its indicator. */
  sight(
    progress: Progress,
    source: StoredSource,
    run: number,
    sighting: Sighting,
  ): { isFresh: boolean; isFirstInRun: boolean } {
    const { indicators, sightings } = this.#tables
    const row = indicators.byValue(sighting.value, sighting.type)
    const { calls = [] } = sighting
    this.#tables.reportedCalls.put(row?.id ?? progress.nextId, source.id, calls, progress.at)
    if (row === null) {
      const said = sightingRow(progress.nextId, source, run, progress.at, sighting, null)
      this.#insert(progress, source, sighting, said)
      return { isFresh: true, isFirstInRun: true }
    }
    const known = sightings.find(row.id, source.id)
    const said = sightingRow(row.id, source, run, progress.at, sighting, known)
    const isFresh = known === null || known.live === 0
    const isFirstInRun = isFresh || known.runId < run
    const platform = sighting.platform ?? null
    const doNotBlock = this.#flagOf(row, sighting.doNotBlock === true ? 1 : 0)
    const hasMoved = row.platform !== platform || row.doNotBlock !== doNotBlock
    if (known !== null && !hasMoved && saysTheSame(known, said)) {
      sightings.touch(row.id, source.id, said.runId, progress.at)
      // Where a public source speaks, a private one moves no date that is shown.
      const isShown = source.redistribute === 1 || row.published === 0
      if (isShown) indicators.touch(row.id, progress.at)
      progress.seenAgain++
      return { isFresh, isFirstInRun }
    }
    sightings.put(said)
    const moved = { ...row, platform, doNotBlock: doNotBlock, ...addressed(sighting.audiences) }
    const cause: Cause = { reason: 'sighted', by: source.name }
    if (!this.#reconcile(progress, row, moved, cause)) progress.seenAgain++
    return { isFresh, isFirstInRun }
  }

  /** Returns the flag that takes effect: what the operator blocks is blocked, a platform too. */
  #flagOf(row: IndicatorRow, doNotBlock: number): number {
    if (row.decision === null) return doNotBlock
    this.#tables.decisions.noteFlag(row.id, doNotBlock)
    return row.decision === 'block' ? 0 : doNotBlock
  }

  #insert(progress: Progress, source: StoredSource, sighting: Sighting, said: SightingRow): void {
    const { type, value, host, platform, doNotBlock, audiences } = sighting
    const standing = standingOf([{ ...said, source: source.name }], null, null)
    const words = { type, value, host, platform, doNotBlock, decision: null, audiences }
    this.#insertRow(progress, words, standing, { reason: 'sighted', by: source.name })
    this.#tables.sightings.put(said)
  }

  /** Writes a row that was not there under the next id and number. */
  #insertRow(progress: Progress, words: NewRow, standing: Standing, cause: Cause): IndicatorRow {
    const seq = nextIndicatorSeq(progress)
    const row: IndicatorRow = {
      id: progress.nextId++,
      type: words.type,
      value: words.value,
      host: words.host ?? null,
      platform: words.platform ?? null,
      doNotBlock: words.doNotBlock === true ? 1 : 0,
      decision: words.decision,
      ...standing,
      listedAt: progress.at,
      seq,
      listedSeq: seq,
      ...neverExported,
      ...addressed(words.audiences),
    }
    this.#tables.exports.settle(progress, null, row, false)
    this.#tables.indicators.insert(row)
    this.#tables.counters.countRow(null, row, progress.at)
    this.#record(progress, null, row, cause)
    progress.added++
    return row
  }

  /** Rewrites a row after its sightings or its decision changed; says whether that is news. */
  #reconcile(
    progress: Progress,
    before: IndicatorRow,
    wanted: IndicatorRow,
    cause: Cause,
  ): boolean {
    const { indicators, sightings, sources, counters } = this.#tables
    const live = sightings
      .live(before.id)
      .map((sighting) => ({ ...sighting, source: sources.nameOf(sighting.sourceId) }))
    const standing = standingOf(live, wanted.decision, wanted)
    const after: IndicatorRow = { ...wanted, ...standing }
    if (!isNews(before, after)) {
      indicators.refresh(after)
      counters.countRow(before, after, progress.at)
      return false
    }
    after.seq = nextIndicatorSeq(progress)
    const isNewlyListed =
      (before.active === 0 && after.active === 1) ||
      (before.published === 0 && after.published === 1) ||
      // Whoever pulls lists of what to block has not had it before.
      (after.active === 1 && before.doNotBlock === 1 && after.doNotBlock === 0)
    if (isNewlyListed) {
      after.listedSeq = after.seq
      after.listedAt = progress.at
    } else {
      // Whom it concerns was decided when it was listed.
      after.audiences = before.audiences
      after.audienceWords = before.audienceWords
    }
    this.#tables.exports.settle(progress, before, after, isMistake(after, cause))
    const isAsListed =
      before.active === after.active && before.published === after.published && !isNewlyListed
    if (isAsListed) indicators.restate(after)
    else indicators.change(after)
    counters.countRow(before, after, progress.at)
    this.#record(progress, before, after, cause)
    if (before.published !== after.published) this.#followReports(progress, after.id)
    if (before.active === 1 && after.active === 0) progress.delisted++
    else progress.changed++
    return true
  }

  /** What was listed by accepting reports shows them, or hides them. */
  #followReports(progress: Progress, indicatorId: number): void {
    const { reports } = this.#tables
    for (const { id } of reports.ofIndicator(indicatorId, followedReportsMax)) {
      reports.follow(id, nextTextSeq(progress))
    }
  }

  #record(
    progress: Progress,
    before: IndicatorRow | null,
    after: IndicatorRow,
    cause: Cause,
  ): void {
    const wasPublished = before?.published === 1
    const isPublished = after.published === 1
    if (after.type === 'domain' && (wasPublished || isPublished)) {
      progress.listedChangedAt = Math.max(progress.listedChangedAt, progress.at)
      progress.listSeq = after.seq
      if (wasPublished !== isPublished) progress.setHash.toggle(after.value)
    }
    const from = stateOf(before)
    const to = stateOf(after)
    // What the operator says stands in the history also where it changes no state.
    if (from === to && (before?.decision ?? null) === after.decision) return
    const reason: Cause['reason'] =
      from === 'listed' && to === 'private' ? 'unpublished' : cause.reason
    this.#tables.events.add({
      seq: after.seq,
      indicatorId: after.id,
      at: progress.at,
      fromState: from,
      toState: to,
      reason,
      by: cause.by,
    })
  }

  /** Ends one source's sighting, and with it perhaps the listing. */
  endSighting(
    progress: Progress,
    indicatorId: number,
    source: StoredSource,
    ending: { readonly cause: Cause; readonly isWithheld: boolean } = {
      cause: { reason: 'withdrawn', by: source.name },
      isWithheld: false,
    },
  ): void {
    const { indicators, sightings, counters } = this.#tables
    sightings.end(indicatorId, source.id, ending.isWithheld)
    counters.add('source', source.name, -1)
    const row = indicators.byId(indicatorId)
    if (row === null) return
    this.#reconcile(progress, row, row, ending.cause)
  }

  /** Names the brand that the rules read out of an indicator, where no source names one. */
  nameBrand(progress: Progress, indicatorId: number, brand: string | null): void {
    const { indicators, sightings } = this.#tables
    const row = indicators.byId(indicatorId)
    if (row === null) return
    sightings.nameBrand(indicatorId, brand)
    const isOperators = row.decision === 'block' && row.targetBrandOrigin !== 'source'
    const origin: IndicatorRow['targetBrandOrigin'] = brand === null ? null : 'rules'
    const named = isOperators ? { ...row, targetBrand: brand, targetBrandOrigin: origin } : row
    this.#reconcile(progress, row, named, { reason: 'sighted', by: row.sources })
  }

  /** Brings back a sighting that was withheld, and with it perhaps the listing. */
  reinstate(progress: Progress, indicatorId: number, source: StoredSource): void {
    const { indicators, sightings, counters } = this.#tables
    sightings.reinstate(indicatorId, source.id)
    counters.add('source', source.name, 1)
    const row = indicators.byId(indicatorId)
    if (row === null) return
    this.#reconcile(progress, row, row, { reason: 'sighted', by: source.name })
  }

  /** Sets or (null) takes back the operator's word. */
  decide(
    progress: Progress,
    operation: Operation & { op: 'decide' },
    decision: 'block' | 'allow' | null,
  ): void {
    const { indicators, decisions } = this.#tables
    const known = indicators.byValue(operation.value, operation.type)
    if (decision === null) {
      if (known !== null) this.undecide(progress, known, operation.by)
      return
    }
    const flag = operation.doNotBlock === true ? 1 : 0
    const row = known ?? this.#insertDecided(progress, operation, decision)
    const hidden = decisions.find(row.id)?.doNotBlock ?? (known === null ? flag : row.doNotBlock)
    const { reason, by, until } = operation
    const word = { indicatorId: row.id, verdict: decision, reason, by, at: progress.at, until }
    decisions.put({ ...word, doNotBlock: hidden })
    const doNotBlock = decision === 'block' ? 0 : hidden
    if (known === null) return
    this.#redecide(progress, row, { ...operation, decision, doNotBlock })
  }

  #insertDecided(
    progress: Progress,
    operation: Operation & { op: 'decide' },
    decision: 'block' | 'allow',
  ): IndicatorRow {
    const { type, value, host, platform, by, audiences } = operation
    const doNotBlock = decision === 'block' ? undefined : operation.doNotBlock
    const words = { type, value, host, platform, doNotBlock, decision, audiences }
    const seen = { firstSeen: progress.at, lastSeen: progress.at }
    const { targetBrand = null } = operation
    const brand =
      targetBrand === null ? {} : { targetBrand: targetBrand, targetBrandOrigin: 'rules' as const }
    const standing = { ...standingOf([], decision, null), ...seen, ...brand }
    return this.#insertRow(progress, words, standing, { reason: 'operator', by })
  }

  /** Takes the operator's word back, and gives the row the flag it had before. */
  undecide(progress: Progress, row: IndicatorRow, by: string): void {
    const { decisions } = this.#tables
    const doNotBlock = decisions.find(row.id)?.doNotBlock ?? row.doNotBlock
    decisions.remove(row.id)
    this.#redecide(progress, row, { decision: null, doNotBlock, by })
    // What has been guarded meanwhile does not come back with it.
    const after = this.#tables.indicators.byId(row.id)
    if (after !== null && this.#tables.guards.covers(after)) this.endLists(progress, after, by)
  }

  /** Ends what lists say of an indicator, on the word of a guard. */
  endLists(progress: Progress, row: IndicatorRow, by: string): void {
    const { sightings, sources } = this.#tables
    for (const { sourceId } of sightings.live(row.id)) {
      const source = sources.byId(sourceId)
      if (source?.role !== 'list') continue
      const cause = { reason: 'withdrawn', by, isMistake: true } as const
      this.endSighting(progress, row.id, source, { cause, isWithheld: false })
    }
  }

  #redecide(progress: Progress, row: IndicatorRow, word: Word): void {
    const { decision, doNotBlock, by, targetBrand = null, audiences, isAppeal } = word
    const isBlocked = decision === 'block'
    // What no source may be named for is dated by the operator's word.
    const isFirstPublic = isBlocked && row.published === 0
    const seen = isFirstPublic ? { firstSeen: progress.at, lastSeen: progress.at } : {}
    // What a source says of the brand comes back from its sighting.
    const named: Partial<IndicatorRow> =
      isBlocked && targetBrand !== null
        ? { targetBrand: targetBrand, targetBrandOrigin: 'rules' }
        : {}
    const said = { decision, doNotBlock: doNotBlock, ...addressed(audiences) }
    const reason = isAppeal === true ? 'appeal' : 'operator'
    this.#reconcile(progress, row, { ...row, ...seen, ...named, ...said }, { reason, by })
  }
}

/** Returns whom a row concerns, as far as that is said. */
const addressed = (
  audiences: AudienceWords | undefined,
): Pick<IndicatorRow, 'audiences' | 'audienceWords'> | undefined =>
  audiences && { audiences: bitsOf(audiences), audienceWords: listingWordsText(audiences) }

/** Reports whether a row that is no longer exported should never have been. */
const isMistake = (row: IndicatorRow, cause: Cause): boolean =>
  row.decision === 'allow' ||
  (row.published === 1 && row.doNotBlock === 1) ||
  cause.reason === 'appeal' ||
  cause.isMistake === true

/** What exports say of a row that is new, before they are settled. */
const neverExported = {
  dateAdded: 0,
  exported: 0,
  generation: 1,
  createdAt: null,
  statedConfidence: null,
  inCampaigns: 0,
  audiences: 0,
  audienceWords: null,
} as const
