/**
 * TAXII error messages (TAXII 2.1 §3.6.1): the format of every refusal of a TAXII endpoint, those of the gate and of
 * unknown paths included.
 */

import { taxiiMediaType } from '../../publish/stix/taxii.ts'
import { jsonText } from '../../publish/wire.ts'
import { headersWith } from '../answer.ts'
import type { Answering, RefusalFormat } from '../endpoint.ts'
import type { FieldError } from '../problem.ts'

/** The path of discovery, and the two API roots: that of the specification and that of the standard. */
export const taxiiDiscoveryPath = '/taxii2'
export const taxiiRootPaths = {
  specification: '/api/taxii/2.1',
  standard: '/taxii2/feeds',
} as const
export type TaxiiRoot = keyof typeof taxiiRootPaths

const titles = {
  400: 'The request cannot be processed',
  403: 'Read-only',
  404: 'Not found',
  406: 'Not acceptable',
} as const

/** Returns a refusal. The standard makes `http_status` a string. */
export function taxiiError(
  status: keyof typeof titles,
  description: string,
  errors: readonly FieldError[] = [],
): Response {
  return new Response(errorText(titles[status], description, status, errors), {
    status,
    headers: errorHeaders,
  })
}

const errorHeaders = headersWith({
  'content-type': taxiiMediaType,
  'cache-control': 'no-store',
  vary: 'accept, accept-encoding',
})

function errorText(
  title: string,
  description: string,
  status: number,
  errors: readonly FieldError[],
): string {
  const details = Object.fromEntries(errors.map(({ field, message }) => [field, message]))
  const named = errors.length === 0 ? {} : { details }
  return jsonText({ title, description, http_status: String(status), ...named })
}

/** 400: names every wrong parameter. */
function badTaxiiRequest(errors: readonly FieldError[]): Response {
  return taxiiError(
    400,
    errors.map(({ field, message }) => `${field}: ${message}`).join(' '),
    errors,
  )
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Reads a problem document. */
async function problemIn(response: Response): Promise<{ title: string; detail: string }> {
  const problem: unknown = await response.json()
  if (typeof problem !== 'object' || problem === null) return { title: '', detail: '' }
  const title = 'title' in problem && isText(problem.title) ? problem.title : ''
  const detail = 'detail' in problem && isText(problem.detail) ? problem.detail : ''
  return { title, detail }
}

async function asTaxiiError(response: Response): Promise<Response> {
  const { title, detail } = await problemIn(response)
  const { headers, status } = response
  headers.set('content-type', taxiiMediaType)
  headers.set('vary', 'accept, accept-encoding')
  return new Response(errorText(title, detail, status, []), { status, headers })
}

const isProblem = ({ headers }: Response): boolean =>
  headers.get('content-type') === 'application/problem+json'

/** The format of refusals that TAXII prescribes. */
export const taxiiRefusals: RefusalFormat = {
  badRequest: badTaxiiRequest,
  notFound: (description) => taxiiError(404, description),
  rewrite: (answer): Answering => {
    if (answer instanceof Promise) {
      return answer.then((settled) => (isProblem(settled) ? asTaxiiError(settled) : settled))
    }
    return isProblem(answer) ? asTaxiiError(answer) : answer
  },
}
