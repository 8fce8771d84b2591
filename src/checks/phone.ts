/**
 * Answers "who may be behind this number?" (specification §4, GET /api/check-phone):
 *
 *     input ─▶ ten digits ─▶ listed? ─▶ found (or suspicious, by its confidence)
 *                 │             └ no ─▶ does the plan forbid it? ─▶ suspicious
 *                 └▶ refused                       └ no ─▶ not found
 *
 * Caller ID can be forged, so an answer is about reports and numbers, never about people: no one is
 * called a fraud, and no number is cleared. Pure, given the listings.
 */

import type { Indicator } from '../model/indicator.ts'
import {
  type CallSubject,
  callSubjectLabels,
  findPlanProblem,
  type PhoneNumber,
  type PhoneReason,
  type PhoneRefusal,
  type PhoneStatus,
  type PlanProblem,
  parsePhone,
  planProblemMessages,
} from '../model/phone.ts'
import type { Result } from '../model/result.ts'
import { type AreaCode, loadAreaCodes } from './area-codes.ts'
import { loadReportingLinks, type ReportingLink } from './reporting-links.ts'

/** The reported calls from a number about one subject. */
export interface ReportedCalls {
  readonly subject: CallSubject
  readonly count: number
  /** Midnight UTC of the first and the last day, milliseconds since the epoch. */
  readonly firstDay: number
  readonly lastDay: number
}

/** A listed number with its reported calls; none, where it is listed for another reason. */
export interface NumberListing {
  readonly indicator: Indicator
  readonly calls: readonly ReportedCalls[]
}

/** The listings that a check of numbers needs. */
export interface NumberListings {
  /** Returns the listing of a number in E.164, or null. */
  phone(e164: string): NumberListing | null
}

/** The answer about a number. */
export interface PhoneAnswer {
  readonly number: PhoneNumber
  /** Why the number is unassignable in the numbering plan, or null. */
  readonly problem: PlanProblem | null
  readonly status: PhoneStatus
  /** The most reported subject; null when no report names one. */
  readonly scamType: CallSubject | null
  /** The number of reported calls. */
  readonly reports: number
  readonly areaCode: AreaCode
  readonly reasons: readonly PhoneReason[]
  readonly reportingLinks: readonly ReportingLink[]
}

/** Looks up phone numbers. */
export interface PhoneChecker {
  check(input: string): Result<PhoneAnswer, PhoneRefusal>
}

/** Subjects that say nothing of what a call was about. */
const silentSubjects: readonly CallSubject[] = ['none_given', 'other']

/** Builds the checker; `foundAt` is the confidence from which a listing answers `found`. */
export function createPhoneChecker(numbers: NumberListings, foundAt: number): PhoneChecker {
  const areaCodes = loadAreaCodes()
  const links = loadReportingLinks()
  return {
    check(input) {
      const parsed = parsePhone(input)
      if (!parsed.ok) return parsed
      const number = parsed.value
      const listing = findActive(numbers.phone(number.e164))
      const known = { number, problem: findPlanProblem(number), areaCode: areaCodes.of(number) }
      const scamType = listing === null ? null : findScamType(listing.calls)
      const value: PhoneAnswer = {
        ...known,
        status: toStatus(known, listing, foundAt),
        scamType,
        reports: listing === null ? 0 : sumReports(listing.calls),
        reasons: [
          ...(listing === null ? [] : listingReasons(listing, scamType, foundAt)),
          ...planReasons(known),
          ...(listing === null ? [notListed(number)] : []),
          callerId,
        ],
        reportingLinks: links.about(scamType, known.areaCode.country),
      }
      return { ok: true, value }
    },
  }
}

type Known = Pick<PhoneAnswer, 'number' | 'problem' | 'areaCode'>

/** Returns the listing if it is still active. */
function findActive(listing: NumberListing | null): NumberListing | null {
  return listing?.indicator.isActive === true ? listing : null
}

function toStatus(known: Known, listing: NumberListing | null, foundAt: number): PhoneStatus {
  if (listing !== null) return listing.indicator.confidence >= foundAt ? 'found' : 'suspicious'
  return known.problem !== null || known.areaCode.risk === 'high' ? 'suspicious' : 'not_found'
}

function findScamType(calls: readonly ReportedCalls[]): CallSubject | null {
  const telling = calls.filter(({ subject }) => !silentSubjects.includes(subject))
  return telling.toSorted((a, b) => b.count - a.count)[0]?.subject ?? null
}

const sumReports = (calls: readonly ReportedCalls[]): number =>
  calls.reduce((sum, { count }) => sum + count, 0)

const dayText = (day: number): string => new Date(day).toISOString().slice(0, 10)

/** Returns how often and when a number was reported, with a caveat. */
function reportedMessage(calls: readonly ReportedCalls[]): string {
  const reports = sumReports(calls)
  const first = dayText(Math.min(...calls.map(({ firstDay }) => firstDay)))
  const last = dayText(Math.max(...calls.map(({ lastDay }) => lastDay)))
  const when = first === last ? `on ${first}` : `between ${first} and ${last}`
  return reports === 1
    ? `Reported once ${when}; the report is not verified, and caller ID can be spoofed.`
    : `Reported ${reports} times ${when}; the reports are not verified, and caller ID can be spoofed.`
}

function forgedMessage(problem: PlanProblem): string {
  return problem === 'area_code_first_digit'
    ? 'If it is none, the caller ID is forged.'
    : 'A call that shows this number has a forged caller ID.'
}

/** Returns the sentence about a listing without reported calls. */
function listedMessage({ isPublished, listedAt, sources }: Indicator): string {
  if (!isPublished) return 'The number is listed by a source that is not published.'
  return `The number is listed since ${dayText(listedAt)} by ${sources.join(', ')}.`
}

function listingReasons(
  { indicator, calls }: NumberListing,
  scamType: CallSubject | null,
  foundAt: number,
): readonly PhoneReason[] {
  const reasons: PhoneReason[] = [
    calls.length === 0
      ? { code: 'listed_number', message: listedMessage(indicator) }
      : { code: 'reported_calls', message: reportedMessage(calls) },
  ]
  if (scamType !== null) {
    const message = `The subject that reports name most often: ${callSubjectLabels[scamType]}.`
    reasons.push({ code: 'reported_subject', message })
  }
  if (indicator.confidence < foundAt) {
    const message = `The listing's confidence is ${indicator.confidence}, under ${foundAt}.`
    reasons.push({ code: 'low_confidence', message })
  }
  return reasons
}

function planReasons({ problem, areaCode }: Known): readonly PhoneReason[] {
  const reasons: PhoneReason[] = []
  if (problem !== null) {
    const message = `${planProblemMessages[problem]} ${forgedMessage(problem)}`
    reasons.push({ code: 'forbidden_number', message })
  }
  const { note, risk, kind } = areaCode
  // What the plan forbids need not be said to be unassigned as well.
  const isSaid = problem !== null && kind === 'unassigned'
  if (note !== null && (risk === 'elevated' || risk === 'high') && !isSaid) {
    reasons.push({ code: 'area_code', message: note })
  }
  return reasons
}

const notListed = ({ formatted }: PhoneNumber): PhoneReason => ({
  code: 'not_listed',
  message: `${formatted} is on none of the lists.`,
})

const callerId: PhoneReason = {
  code: 'caller_id',
  message:
    'Caller ID can be spoofed: a call need not come from the number it shows, so judge a caller by what is asked for.',
}
