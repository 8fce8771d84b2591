/** GET /metrics: what weir measures of itself, for Prometheus. */

import { Elysia } from 'elysia'
import { headersWith } from '../answer.ts'
import type { Metrics } from '../metrics.ts'

export const metricsPath = '/metrics'

/** The text format of Prometheus. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** The route; GET and HEAD. */
export function metricsRoute({ metrics }: { readonly metrics: Metrics }) {
  const headers = headersWith({ 'content-type': contentType, 'cache-control': 'no-store' })
  const read = async (): Promise<Response> => new Response(await metrics.render(), { headers })
  return new Elysia({ name: 'route.metrics', normalize: false })
    .get(metricsPath, () => read())
    .head(metricsPath, () => read())
}
