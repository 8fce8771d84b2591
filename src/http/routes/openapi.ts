/**
 * GET /openapi.json: the API as a document, with the limits of this instance. Written when it is first
 * asked for, and compressed once in each coding, so that reading it costs next to nothing.
 */

import { Elysia } from 'elysia'
import { jsonText } from '../../publish/wire.ts'
import type { OpenApiSettings } from '../openapi.ts'
import { StaticAnswer } from '../static-answer.ts'

export const openApiPath = '/openapi.json'

export interface OpenApiServices extends OpenApiSettings {
  now(): number
}

/** The route; GET and HEAD. */
export function openApiRoute({ publicUrl, version, limits, now }: OpenApiServices) {
  let written: Promise<StaticAnswer> | null = null
  const write = async (): Promise<StaticAnswer> => {
    // A start has no need of the contract.
    const { openApiDocument } = await import('../openapi.ts')
    const text = jsonText(openApiDocument({ publicUrl, version, limits }))
    return new StaticAnswer(text, { 'content-type': 'application/json' }, now)
  }
  const read = async (request: Request): Promise<Response> => {
    written ??= write()
    return (await written).to(request)
  }
  return new Elysia({ name: 'route.openapi', normalize: false })
    .get(openApiPath, ({ request }) => read(request))
    .head(openApiPath, ({ request }) => read(request))
}
