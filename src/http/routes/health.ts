/**
 * GET /health: the process runs. GET /ready: what it can be asked, and how far its views follow.
 */

import { Elysia } from 'elysia'
import { uncachedAnswer } from '../answer.ts'

/** How fresh one source is. */
export interface SourceReadiness {
  readonly name: string
  /** Since its last success; null when there was none. */
  readonly ageSeconds: number | null
  readonly overdue: boolean
}

export interface Readiness {
  /** `degraded` answers, but writes fail or data is old; `stopping` answers what has begun. */
  readonly status: 'ready' | 'loading' | 'degraded' | 'stopping'
  readonly seq: number
  readonly indicators: number
  /** How far the views in memory are behind the store. */
  readonly viewLag: { readonly rows: number; readonly seconds: number }
  /** How far search is behind it, whose indexes are filled beside. */
  readonly searchLag: { readonly rows: number; readonly seconds: number }
  readonly sources: readonly SourceReadiness[]
  readonly walBytes: number
  readonly version: string
}

/** The routes; GET and HEAD. */
export function healthRoutes({ readiness }: { readiness(): Readiness }) {
  const health = (): Response => uncachedAnswer({ status: 'ok' })
  const ready = (): Response => {
    const answer = readiness()
    const isOpen = answer.status === 'ready' || answer.status === 'degraded'
    return uncachedAnswer(answer, isOpen ? 200 : 503)
  }
  return new Elysia({ name: 'route.health', normalize: false })
    .get('/health', health)
    .head('/health', health)
    .get('/ready', ready)
    .head('/ready', ready)
}
