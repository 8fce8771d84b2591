/** Asks the example world for examples, and keeps their bodies as `data/examples.json` has them. */

import {
  type AnswerDescription,
  type EndpointDescription,
  type Example,
  exampleKey,
} from '../../../src/http/contract/description.ts'
import { unknownPath } from '../../../src/http/contract/problems.ts'
import { documentedEndpoints } from '../../../src/http/endpoints/endpoints.ts'
import { bodyOf, isObject, type ReadAnswer } from './documented.ts'
import type { ExampleWorld } from './world.ts'

/** Asks for an example. */
export async function askExample(
  world: ExampleWorld,
  { when, request }: Pick<Example, 'when' | 'request'>,
  method: string,
): Promise<ReadAnswer> {
  const { path, headers = {}, body, blanks = 0 } = request
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const init = {
    method: request.method ?? method.toUpperCase(),
    // Bun's own header would have every long answer compressed.
    headers: { 'accept-encoding': 'identity', ...headers },
    body: blanks > 0 ? ' '.repeat(blanks) : (text ?? null),
  }
  const url = world.base(when ?? null) + path
  world.nextClient()
  if (when === 'limit_used_up') await (await fetch(url, init)).text()
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Returns the body of an answer as it is recorded, with the members that are new each time from `recorded`. */
export function recordedForm(
  { headers, text }: ReadAnswer,
  { newEachTime = [] }: Pick<Example, 'newEachTime'>,
  recorded: unknown,
): unknown {
  if (text === '') return undefined
  const given = bodyOf(headers.get('content-type') ?? '', text)
  if (!isObject(given) || !isObject(recorded)) return given
  return {
    ...given,
    ...Object.fromEntries(newEachTime.map((name) => [name, recorded[name] ?? given[name]])),
  }
}

/** An example with its place in the documentation. */
export interface PlacedExample {
  readonly key: string
  readonly endpoint: EndpointDescription
  readonly answer: AnswerDescription
  readonly example: Example
}

/** Returns every example of the documentation. */
export function placedExamples(): PlacedExample[] {
  const all: readonly EndpointDescription[] = documentedEndpoints
  return all.flatMap((endpoint) => {
    const { answers, otherwise = unknownPath } = endpoint
    const described: [string, AnswerDescription][] = [
      ...Object.entries(answers),
      ['default', otherwise],
    ]
    return described.flatMap(([status, answer]) =>
      Object.entries(answer.examples).map(([name, example]) => ({
        key: exampleKey(answer, endpoint.id, status, name),
        endpoint,
        answer,
        example,
      })),
    )
  })
}

/** Returns the body of every example, by its key; `recorded` are the bodies of the last recording. */
export async function recordExamples(
  world: ExampleWorld,
  recorded: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const bodies: Record<string, unknown> = {}
  for (const { key, endpoint, answer, example } of placedExamples()) {
    if (key in bodies) continue
    // The example of a shared answer is asked with its own method.
    const method = answer.id === undefined ? endpoint.method : 'get'
    const body = recordedForm(await askExample(world, example, method), example, recorded[key])
    if (body !== undefined) bodies[key] = body
  }
  return bodies
}
