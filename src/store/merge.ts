/**
 * Merges sightings and the operator's decisions into indicator rows: the middle of applying a batch.
 *
 * Every row whose meaning changes takes the batch's next number, is counted, and records an event
 * when its state changes. Reads the batch and the database, nothing else.
 */

import type { AudienceWords } from '../model/audience.ts'
import type { RemovalReason } from '../model/indicator.ts'
import { formatListingWords, toAudienceBits } from './audience-bits.ts'
import type { Operation, Sighting } from './batch.ts'
import type { CounterTable } from './counters.ts'
import type { DecisionTable } from './decisions.ts'
import type { EventTable } from './events.ts'
import type { Exports } from './exports.ts'
import type { GuardTable } from './guards.ts'
import { changesMeaning, type IndicatorState, mergeSightings, toState } from './indicator-state.ts'
import type { IndicatorRow, IndicatorTable } from './indicators.ts'
import type { MetaTable } from './meta.ts'
import type { NewsTable } from './news.ts'
import { nextIndicatorSeq, nextTextSeq, type Progress } from './progress.ts'
import type { ReportedCallTable } from './reported-calls.ts'
import type { ReportTable } from './reports.ts'
import { isSameSighting, type SightingRow, type SightingTable, toSightingRow } from './sightings.ts'
import type { SourceTable, StoredSource } from './sources.ts'

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

/** An operator's decision about a row; null: none any more. */
interface NewDecision
  extends Pick<Operation & { op: 'decide' }, 'by' | 'targetBrand' | 'audiences' | 'isAppeal'> {
  readonly decision: IndicatorRow['decision']
  readonly doNotBlock: number
}

/** Maximum number of reports of one indicator that follow its state; more are repetitions. */
const followedReportsMax = 100

/** The fields that a new row starts with. */
interface NewRow {
  readonly type: IndicatorRow['type']
  readonly value: string
  readonly host: string | undefined
  readonly platform: string | undefined
  readonly doNotBlock: true | undefined
  readonly decision: IndicatorRow['decision']
  readonly audiences: AudienceWords | undefined
}

/** Merges on one connection, inside the transaction of the batch that `Progress` belongs to. */
export class Merger {
  readonly #tables: Tables

  constructor(tables: Tables) {
    this.#tables = tables
  }

  /** Merges one sighting; reports whether it is newly live, and the run's first of its indicator. */
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
      const seen = toSightingRow(progress.nextId, source, run, progress.at, sighting, null)
      this.#insert(progress, source, sighting, seen)
      return { isFresh: true, isFirstInRun: true }
    }
    const known = sightings.find(row.id, source.id)
    const seen = toSightingRow(row.id, source, run, progress.at, sighting, known)
    const isFresh = known === null || known.live === 0
    const isFirstInRun = isFresh || known.runId < run
    const platform = sighting.platform ?? null
    const doNotBlock = this.#flagOf(row, sighting.doNotBlock === true ? 1 : 0)
    const hasMoved = row.platform !== platform || row.doNotBlock !== doNotBlock
    if (known !== null && !hasMoved && isSameSighting(known, seen)) {
      sightings.touch(row.id, source.id, seen.runId, progress.at)
      // While a public source lists it, a private one changes no date that is shown.
      const isShown = source.redistribute === 1 || row.published === 0
      if (isShown) indicators.touch(row.id, progress.at)
      progress.seenAgain++
      return { isFresh, isFirstInRun }
    }
    sightings.put(seen)
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

  #insert(progress: Progress, source: StoredSource, sighting: Sighting, seen: SightingRow): void {
    const { type, value, host, platform, doNotBlock, audiences } = sighting
    const state = mergeSightings([{ ...seen, source: source.name }], null, null)
    const start = { type, value, host, platform, doNotBlock, decision: null, audiences }
    this.#insertRow(progress, start, state, { reason: 'sighted', by: source.name })
    this.#tables.sightings.put(seen)
  }

  /** Writes a row that was not there under the next id and number. */
  #insertRow(progress: Progress, start: NewRow, state: IndicatorState, cause: Cause): IndicatorRow {
    const seq = nextIndicatorSeq(progress)
    const row: IndicatorRow = {
      id: progress.nextId++,
      type: start.type,
      value: start.value,
      host: start.host ?? null,
      platform: start.platform ?? null,
      doNotBlock: start.doNotBlock === true ? 1 : 0,
      decision: start.decision,
      ...state,
      listedAt: progress.at,
      seq,
      listedSeq: seq,
      ...neverExported,
      ...addressed(start.audiences),
    }
    this.#tables.exports.follow(progress, null, row, false)
    this.#tables.indicators.insert(row)
    this.#tables.counters.countRow(null, row, progress.at)
    this.#record(progress, null, row, cause)
    progress.added++
    return row
  }

  /** Rewrites a row after its sightings or its decision changed; reports whether its meaning did. */
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
    const state = mergeSightings(live, wanted.decision, wanted)
    const after: IndicatorRow = { ...wanted, ...state }
    if (!changesMeaning(before, after)) {
      indicators.refresh(after)
      counters.countRow(before, after, progress.at)
      return false
    }
    after.seq = nextIndicatorSeq(progress)
    const isNewlyListed =
      (before.active === 0 && after.active === 1) ||
      (before.published === 0 && after.published === 1) ||
      // Clients that pull lists of what to block have not had it before.
      (after.active === 1 && before.doNotBlock === 1 && after.doNotBlock === 0)
    if (isNewlyListed) {
      after.listedSeq = after.seq
      after.listedAt = progress.at
    } else {
      // Whom it concerns was decided when it was listed.
      after.audiences = before.audiences
      after.audienceWords = before.audienceWords
    }
    this.#tables.exports.follow(progress, before, after, isMistake(after, cause))
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

  /** Gives the reports by which an indicator was listed a new number: they are shown with it. */
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
    const from = toState(before)
    const to = toState(after)
    // An operator's decision is recorded also where it changes no state.
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

  /** Sets the brand that the rules find in an indicator, where no source names one. */
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

  /** Sets or (null) removes the operator's decision. */
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
    const record = { indicatorId: row.id, verdict: decision, reason, by, at: progress.at, until }
    decisions.put({ ...record, doNotBlock: hidden })
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
    const start = { type, value, host, platform, doNotBlock, decision, audiences }
    const seen = { firstSeen: progress.at, lastSeen: progress.at }
    const { targetBrand = null } = operation
    const brand =
      targetBrand === null ? {} : { targetBrand: targetBrand, targetBrandOrigin: 'rules' as const }
    const state = { ...mergeSightings([], decision, null), ...seen, ...brand }
    return this.#insertRow(progress, start, state, { reason: 'operator', by })
  }

  /** Removes the operator's decision, and restores the flag the row had before. */
  undecide(progress: Progress, row: IndicatorRow, by: string): void {
    const { decisions } = this.#tables
    const doNotBlock = decisions.find(row.id)?.doNotBlock ?? row.doNotBlock
    decisions.remove(row.id)
    this.#redecide(progress, row, { decision: null, doNotBlock, by })
    // A listing that has been guarded meanwhile does not come back.
    const after = this.#tables.indicators.byId(row.id)
    if (after !== null && this.#tables.guards.covers(after)) this.endLists(progress, after, by)
  }

  /** Ends the sightings of an indicator by lists, because a guard covers it. */
  endLists(progress: Progress, row: IndicatorRow, by: string): void {
    const { sightings, sources } = this.#tables
    for (const { sourceId } of sightings.live(row.id)) {
      const source = sources.byId(sourceId)
      if (source?.role !== 'list') continue
      const cause = { reason: 'withdrawn', by, isMistake: true } as const
      this.endSighting(progress, row.id, source, { cause, isWithheld: false })
    }
  }

  #redecide(progress: Progress, row: IndicatorRow, wanted: NewDecision): void {
    const { decision, doNotBlock, by, targetBrand = null, audiences, isAppeal } = wanted
    const isBlocked = decision === 'block'
    // A listing that no redistributable source supports is dated by the operator's decision.
    const isFirstPublic = isBlocked && row.published === 0
    const seen = isFirstPublic ? { firstSeen: progress.at, lastSeen: progress.at } : {}
    // A brand that a source names comes back from its sighting.
    const named: Partial<IndicatorRow> =
      isBlocked && targetBrand !== null
        ? { targetBrand: targetBrand, targetBrandOrigin: 'rules' }
        : {}
    const decided = { decision, doNotBlock, ...addressed(audiences) }
    const reason = isAppeal === true ? 'appeal' : 'operator'
    this.#reconcile(progress, row, { ...row, ...seen, ...named, ...decided }, { reason, by })
  }
}

/** Returns the fields of a row for these audiences; none when they are left out. */
const addressed = (
  audiences: AudienceWords | undefined,
): Pick<IndicatorRow, 'audiences' | 'audienceWords'> | undefined =>
  audiences && {
    audiences: toAudienceBits(audiences),
    audienceWords: formatListingWords(audiences),
  }

/** Reports whether a row that is no longer exported should never have been. */
const isMistake = (row: IndicatorRow, cause: Cause): boolean =>
  row.decision === 'allow' ||
  (row.published === 1 && row.doNotBlock === 1) ||
  cause.reason === 'appeal' ||
  cause.isMistake === true

/** The fields of a new row that `Exports.follow` sets. */
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
