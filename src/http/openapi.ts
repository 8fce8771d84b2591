/**
 * The API as an OpenAPI 3.1 document, derived from the definitions: every path, parameter, answer, header,
 * refusal and example, with the limits of this instance. A schema or answer with a name (`$id`, `id`)
 * is written once, among the components.
 */

import type { PolicyName } from '../config.ts'
import type { Limit } from '../setting-values.ts'
import { type EndpointDescription, tags } from './contract/description.ts'
import { overview } from './contract/overview.ts'
import { unknownPath } from './contract/problems.ts'
import { type OpenApiObject, OpenApiParts, toTemplate } from './openapi-parts.ts'

/** What the document says of the instance it is of. */
export interface OpenApiSettings {
  readonly publicUrl: string
  readonly version: string
  readonly limits: Readonly<Partial<Record<PolicyName, Limit | null>>>
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: OpenApiObject
  readonly servers: readonly OpenApiObject[]
  readonly tags: readonly OpenApiObject[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiObject>>>>
  readonly components: OpenApiObject
  readonly externalDocs: OpenApiObject
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** Returns a window in words: `a minute`, `2 hours`. */
function windowText(windowMs: number): string {
  const [unit, length] = units.find(([, each]) => windowMs % each === 0) ?? ['millisecond', 1]
  const count = windowMs / length
  if (count !== 1) return `${count} ${unit}s`
  return unit === 'hour' ? 'an hour' : `a ${unit}`
}

/** Returns the name of a policy as the headers write it. */
const fieldName = (policy: PolicyName): string => policy.toLowerCase().replaceAll('_', '-')

/** Returns the limit of an operation as a sentence. */
function limitText(policy: PolicyName | null, limits: OpenApiSettings['limits']): string {
  const limit = policy === null ? null : limits[policy]
  if (limit === null || limit === undefined) return '**Limit:** none.'
  return `**Limit:** ${limit.quota} calls in ${windowText(limit.windowMs)} per client.`
}

/** Returns the limit of an operation for programs; null for none. */
function limitOf(policy: PolicyName | null, limits: OpenApiSettings['limits']) {
  const limit = policy === null ? null : limits[policy]
  if (policy === null || limit === null || limit === undefined) return null
  const { quota, windowMs } = limit
  return { policy: fieldName(policy), quota, windowSeconds: windowMs / 1000 }
}

/** Returns the API of an instance as an OpenAPI document. */
export function openApiDocument(
  endpoints: readonly EndpointDescription[],
  { publicUrl, version, limits }: OpenApiSettings,
): OpenApiDocument {
  const parts = new OpenApiParts()
  const operationObject = (
    operation: EndpointDescription,
    method: EndpointDescription['method'] | 'head',
  ): OpenApiObject => {
    const isHead = method === 'head'
    const { id, tag, summary, description, policy, body, otherwise = unknownPath } = operation
    const parameters = parts.parameters(operation)
    const about = isHead
      ? `The headers of \`GET ${toTemplate(operation.path)}\`, without a body.`
      : description
    return {
      operationId: isHead ? `${id}Head` : id,
      tags: [tag],
      summary: isHead ? `${summary} (headers only)` : summary,
      description: `${about}\n\n${limitText(policy, limits)}`,
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(body === undefined ? {} : { requestBody: parts.requestBody(operation, body) }),
      responses: {
        ...Object.fromEntries(
          Object.entries(operation.answers).map(([status, answer]) => [
            status,
            parts.answer(id, status, answer, method),
          ]),
        ),
        default: parts.answer(id, 'default', otherwise, 'get'),
      },
      'x-rate-limit': limitOf(policy, limits),
    }
  }

  const methodsOf = (operation: EndpointDescription) => [
    [operation.method, operationObject(operation, operation.method)] as const,
    ...(operation.method === 'get' ? [['head', operationObject(operation, 'head')] as const] : []),
  ]
  const paths = Object.fromEntries(
    [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, siblings]) => [
      toTemplate(path),
      Object.fromEntries(siblings.flatMap(methodsOf)),
    ]),
  )

  return {
    openapi: '3.1.1',
    info: {
      title: 'weir',
      summary: 'Phishing threat data, self-hosted.',
      description: `${overview}${generalLimit(limits)}`,
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: parts.components(),
    externalDocs: { description: 'The documentation, to be read', url: `${publicUrl}/docs` },
  }
}

function generalLimit({ GENERAL: limit = null }: OpenApiSettings['limits']): string {
  if (limit === null) return ''
  const { quota, windowMs } = limit
  return `\n\nOver all limited paths together: ${quota} calls in ${windowText(windowMs)} per client.`
}
