/** What text costs: an address made to keep its parser busy, and sorting a name by its words. */

import { findListingAudiences } from '../src/ingest/audiences.ts'
import { canonicalizeUrl } from '../src/model/url.ts'
import type { BenchRow } from './rounds.ts'

const rounds = 5
const addressLength = 8_000
const names = Array.from({ length: 20_000 }, (_, n) => `login-${n}.accounts.bank-of-example.test`)

/** Returns the microseconds that `work` takes, at the best of the rounds. */
function measureUs(work: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const startedAt = Bun.nanoseconds()
    work()
    return (Bun.nanoseconds() - startedAt) / 1000
  })
  return Math.min(...times)
}

function rowOf(name: string, us: number, usMax: number): BenchRow {
  const value = Number(us.toFixed(1))
  return { name, value, unit: 'µs', yardstick: `${usMax} µs`, ratio: usMax / us, goal: '≥ 1' }
}

export function benchText(): BenchRow[] {
  const pieces = ['%25', '%', '/../', '/./', '@', '[', '.', '[.]', ':', '&u=//', 'xn--', '\\']
  const worst = Math.max(
    ...pieces.flatMap((piece) => {
      const body = piece.repeat(addressLength / piece.length)
      const texts = [body, `http://${body}`, `http://example.com/${body}`]
      return texts.map((text) => measureUs(() => canonicalizeUrl(text)))
    }),
  )
  const sorted = measureUs(() => {
    for (const value of names) {
      findListingAudiences({ type: 'domain', value, threatType: 'scam', confidence: 60 })
    }
  })
  return [
    rowOf(`the worst of ${pieces.length * 3} hostile addresses of 8 kB`, worst, 5_000),
    rowOf('audiences of a name', sorted / names.length, 5),
  ]
}
