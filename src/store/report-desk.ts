/**
 * Saves reports and decides them, inside the transaction of a batch. What a report names changes only by an
 * operator's decision: by accepting it, or by rejecting one that had been accepted.
 */

import { openReportsMax } from '../model/report.ts'
import { formatWords, toAudienceBits } from './audience-bits.ts'
import type { Operation, ProposedReport, Sighting, SourceDescription } from './batch.ts'
import type { Merger, Tables } from './merge.ts'
import { nextTextSeq, type Progress } from './progress.ts'
import type { StoredReport } from './reports.ts'
import { StoreError } from './store-error.ts'

/** The source of what was listed by accepting a report. */
export const reportSource: SourceDescription = {
  name: 'reports',
  title: 'Reports that an operator has accepted',
  home: null,
  licence: 'CC0-1.0',
  redistribute: true,
  // A guard ends these like those of any list.
  role: 'list',
  listing: 'full',
  confidence: 80,
  threatType: 'phishing',
}

type Settling = Operation & { op: 'settleReport' }

/** How many accepted reports of one indicator are read: enough to see that there is another one. */
const othersMax = 2

/** Saves and decides reports on one connection. */
export class ReportDecisions {
  readonly #tables: Tables
  readonly #merger: Merger

  constructor(tables: Tables, merger: Merger) {
    this.#tables = tables
    this.#merger = merger
  }

  /** Saves a report, or counts it with the one that it repeats; neither when too many are open. */
  save(progress: Progress, report: ProposedReport): void {
    const { reports, counters } = this.#tables
    const known = reports.byIdentity(report.identity)
    if (known !== null) {
      reports.repeat(known.id, progress.at, nextTextSeq(progress))
      progress.report = known.name
      return
    }
    const open = counters.current('report', 'received') + counters.current('report', 'in_review')
    // The reporter is asked to try again later.
    if (open >= openReportsMax) return
    const id = reports.add(report, progress.at, nextTextSeq(progress))
    const { at } = progress
    reports.addEvent({ reportId: id, at, status: 'received', reason: null, by: 'reporter' })
    counters.add('report', 'received', 1)
    progress.report = report.name
  }

  /** Writes an operator's decision about a report, and lists or delists what it names. */
  decide(progress: Progress, operation: Settling): void {
    const { reports, counters } = this.#tables
    const { id, status, reason, by, audiences, listing } = operation
    const report = reports.byId(id)
    if (report === null) {
      throw new StoreError('write', `there is no report ${id}`, { hint: 'see "weir reports list"' })
    }
    const { from = report.status } = operation
    if (report.status !== from) {
      // Another operator was quicker: a review need not begin, and a decision has to be reconsidered.
      if (status === 'in_review') return
      throw new StoreError('write', `report ${id} has become ${report.status} meanwhile`, {
        hint: `see "weir reports show ${id}"`,
      })
    }
    const listed = status === 'accepted' && listing !== null ? this.#list(progress, listing) : null
    const isAccepted = status === 'accepted'
    reports.settle({
      id,
      status,
      reason,
      updatedAt: progress.at,
      audiences: isAccepted ? toAudienceBits(audiences) : 0,
      words: isAccepted ? formatWords(audiences) : null,
      indicatorId: listed,
      personalSince: status === 'in_review' ? null : progress.at,
      seq: nextTextSeq(progress),
    })
    reports.addEvent({ reportId: id, at: progress.at, status, reason, by })
    counters.add('report', report.status, -1)
    counters.add('report', status, 1)
    // The same thing may be listed by mistake again.
    if (isAccepted && report.type === 'false_positive') reports.free(id)
    if (report.indicatorId !== listed) this.#unlist(progress, report)
  }

  /** Lists what an accepted report names, and returns its id. */
  #list(progress: Progress, listing: Sighting): number {
    const { sources, sightings, indicators, counters } = this.#tables
    const source = sources.byName(reportSource.name) ?? sources.describe(reportSource)
    if (source.withdrawn === 1) {
      throw new StoreError('write', 'what was reported has been withdrawn as a whole', {
        hint: `"weir sources enable ${reportSource.name}" gives it back`,
      })
    }
    const { isFresh } = this.#merger.sight(progress, source, 0, listing)
    if (isFresh) counters.add('source', source.name, 1)
    const row = indicators.byValue(listing.value, listing.type)
    if (row === null || sightings.find(row.id, source.id) === null) {
      throw new StoreError('write', `${listing.value} was not listed`, { hint: 'try again' })
    }
    return row.id
  }

  /** Ends what a report has listed, unless another accepted one lists the same. */
  #unlist(progress: Progress, { indicatorId: id }: StoredReport): void {
    const { reports, sources, sightings } = this.#tables
    const source = sources.byName(reportSource.name)
    if (id === null || source === null || reports.ofIndicator(id, othersMax).length > 0) return
    const sighting = sightings.find(id, source.id)
    // Withheld with its source, it would come back with it.
    if (sighting?.withheld === 1) sightings.end(id, source.id, false)
    if (sighting?.live !== 1) return
    const cause = { reason: 'withdrawn', by: source.name, isMistake: true } as const
    this.#merger.endSighting(progress, id, source, { cause, isWithheld: false })
  }
}
