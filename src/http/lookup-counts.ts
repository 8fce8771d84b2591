/**
 * Counts look-ups by their verdict: how much weir is asked, and how much of it is bad. What was asked
 * is not kept.
 */

import type { BulkChecker } from '../checks/bulk.ts'
import type { UrlChecker } from '../checks/url.ts'
import { type VerdictStatus, verdictStatuses } from '../model/verdict.ts'

/** How a look-up can end. */
export const lookupVerdicts = [...verdictStatuses, 'invalid'] as const
type LookupVerdict = VerdictStatus | 'invalid'

/** Which door it came in by. */
export const lookupKinds = ['url', 'bulk'] as const
type LookupKind = (typeof lookupKinds)[number]

const noneYet = (): Record<LookupVerdict, number> => ({
  found: 0,
  suspicious: 0,
  shared_infrastructure: 0,
  not_found: 0,
  invalid: 0,
})

/** The counts since the start. */
export class LookupCounts {
  readonly #counts: Readonly<Record<LookupKind, Record<LookupVerdict, number>>> = {
    url: noneYet(),
    bulk: noneYet(),
  }

  add(kind: LookupKind, verdict: LookupVerdict, count: number): void {
    this.#counts[kind][verdict] += count
  }

  get(kind: LookupKind, verdict: LookupVerdict): number {
    return this.#counts[kind][verdict]
  }
}

/** Returns `checker` with its answers counted. */
export function countedUrls(checker: UrlChecker, counts: LookupCounts): UrlChecker {
  return {
    check: (input) => {
      const answer = checker.check(input)
      counts.add('url', answer.ok ? answer.value.verdict.status : 'invalid', 1)
      return answer
    },
  }
}

/** Returns `checker` with every item of its answers counted. */
export function countedBulk(checker: BulkChecker, counts: LookupCounts): BulkChecker {
  return {
    check: (request) => {
      const answer = checker.check(request)
      for (const verdict of lookupVerdicts) counts.add('bulk', verdict, answer.counts[verdict])
      return answer
    },
  }
}
