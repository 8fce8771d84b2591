/**
 * Names that always answer the same, so that a client can prove its wiring. They are in no list and
 * no export.
 */

import type { Verdict, VerdictStatus } from '../model/verdict.ts'

const makeVerdict = (status: VerdictStatus, note: string | null): Verdict => ({
  status,
  confidence: status === 'found' ? 100 : 0,
  score: 0,
  reasons: [
    { code: 'self_test', message: `This name always answers ${status}, for testing a client.` },
  ],
  match: null,
  note,
})

const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ['found.weir.test', makeVerdict('found', null)],
  ['suspicious.weir.test', makeVerdict('suspicious', null)],
  ['shared.weir.test', makeVerdict('shared_infrastructure', 'A shared platform, for testing.')],
  ['clean.weir.test', makeVerdict('not_found', null)],
])

/** The suffix of all self-test names, to skip other hosts quickly. */
const ending = '.weir.test'

/** Returns the fixed verdict of a self-test name, or null for every other host. */
export function selfTestVerdict(host: string): Verdict | null {
  return host.endsWith(ending) ? (verdicts.get(host) ?? null) : null
}
