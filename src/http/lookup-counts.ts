/** Counts lookups by verdict. What was looked up is not kept. */

import type { BulkChecker } from '../checks/bulk.ts'
import type { UrlChecker } from '../checks/url.ts'
import { type VerdictStatus, verdictStatuses } from '../model/verdict.ts'

/** How a lookup can end. */
export const lookupVerdicts = [...verdictStatuses, 'invalid'] as const

const none: Readonly<Record<VerdictStatus | 'invalid', number>> = {
  found: 0,
  suspicious: 0,
  shared_infrastructure: 0,
  not_found: 0,
  invalid: 0,
}

/** The lookups since the start, of single URLs and of bulk checks, by verdict. */
export class LookupCounts {
  readonly url = { ...none }
  readonly bulk = { ...none }
}

/** Returns `checker` with its answers counted. */
export function countedUrls(checker: UrlChecker, { url }: LookupCounts): UrlChecker {
  return {
    check: (input) => {
      const answer = checker.check(input)
      url[answer.ok ? answer.value.verdict.status : 'invalid']++
      return answer
    },
  }
}

/** Returns `checker` with every item of its answers counted. */
export function countedBulk(checker: BulkChecker, { bulk }: LookupCounts): BulkChecker {
  return {
    check: (request) => {
      const answer = checker.check(request)
      for (const verdict of lookupVerdicts) bulk[verdict] += answer.counts[verdict]
      return answer
    },
  }
}
