/** Every example of the contract is asked for, and must be what a real weir answers. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import recordedExamples from '../../../data/examples.json' with { type: 'json' }
import {
  type AnswerDescription,
  type EndpointDescription,
  type Example,
  exampleKey,
} from '../../../src/http/contract/description.ts'
import { documentedEndpoints } from '../../../src/http/endpoints/endpoints.ts'
import { askExample, recordExamples, recordedForm } from './asked-example.ts'
import { at, bodyOf, Documented, objectAt, type ReadAnswer } from './documented.ts'
import { filledPath } from './filled-path.ts'
import { ExampleWorld, patienceMs } from './world.ts'

setDefaultTimeout(patienceMs)

const all: readonly EndpointDescription[] = documentedEndpoints

let world: ExampleWorld
let documented: Documented

beforeAll(async () => {
  world = await ExampleWorld.open()
  documented = new Documented(world.services)
})
afterAll(() => world.close())

const ask = (example: Pick<Example, 'when' | 'request'>, method: string): Promise<ReadAnswer> =>
  askExample(world, example, method)

const recorded: Readonly<Record<string, unknown>> = recordedExamples

/** Compares a body with the recorded one; members that are new each time have to differ from it. */
function expectRecorded(given: ReadAnswer, key: string, example: Example): void {
  const body = recorded[key]
  expect(recordedForm(given, example, body)).toEqual(body)
  for (const name of example.newEachTime ?? []) {
    const value = at(bodyOf(given.headers.get('content-type') ?? '', given.text), name)
    expect([undefined, at(body, name)]).not.toContain(value)
  }
}

const statusesOf = (operation: EndpointDescription): [number, AnswerDescription][] =>
  Object.entries(operation.answers).map(([status, answer]) => [Number(status), answer])

/** The status of a good answer. */
const goodStatus = ({ answers }: EndpointDescription): 200 | 202 =>
  answers[200] === undefined ? 202 : 200

/** A request that an operation answers well. */
function goodRequest(operation: EndpointDescription): Example['request'] {
  const [first] = Object.values(operation.answers[goodStatus(operation)]?.examples ?? {})
  return first?.request ?? { path: filledPath(operation) }
}

/** A request that an operation answers as all paths answer such an example. */
function likeRequest(operation: EndpointDescription, { request }: Example): Example['request'] {
  const { method, headers } = request
  // Of a method that is refused neither headers nor parameters matter.
  if (method !== undefined && method !== 'GET') return { path: filledPath(operation), method }
  const own = goodRequest(operation)
  return { ...own, headers: { ...own.headers, ...headers } }
}

for (const operation of all) {
  const { method, path } = operation
  describe(`${method.toUpperCase()} ${path}`, () => {
    for (const [status, answer] of statusesOf(operation)) {
      if (answer.id !== undefined) {
        test(`gives the ${status} that all paths share`, async () => {
          const [[name, example] = []] = Object.entries(answer.examples)
          if (name === undefined || example === undefined)
            throw new Error(`give ${answer.id} an example`)
          const given = await ask({ ...example, request: likeRequest(operation, example) }, method)
          expect(given.status).toBe(status)
          expect(documented.complaints(method, path, given)).toEqual([])
          expectRecorded(given, exampleKey(answer, operation.id, String(status), name), example)
        })
        continue
      }
      for (const [name, example] of Object.entries(answer.examples)) {
        test(`${status} ${name}: ${example.summary}`, async () => {
          const given = await ask(example, method)
          expect(given.status, given.text.slice(0, 500)).toBe(status)
          const asked = example.request.method ?? method
          // A method that is not the operation's own is answered as the operation says, for all that.
          const isKnown = documented.operation(asked, path) !== undefined
          expect(documented.complaints(isKnown ? asked : method, path, given)).toEqual([])
          expectRecorded(given, exampleKey(answer, operation.id, String(status), name), example)
        })
      }
    }

    test('answers well as documented, compressed where it is long', async () => {
      const { headers, ...request } = goodRequest(operation)
      const given = await ask(
        { request: { ...request, headers: { ...headers, 'accept-encoding': 'zstd' } } },
        method,
      )
      expect(given.status).toBe(goodStatus(operation))
      expect(documented.complaints(method, path, given)).toEqual([])
    })

    test('counts against the limit it names, and no other', async () => {
      const { headers } = await ask({ request: goodRequest(operation) }, method)
      const limit = objectAt(documented.operation(method, path), 'x-rate-limit')
      const { policy, quota, windowSeconds } = limit
      const field = policy === undefined ? null : `"${policy}";q=${quota};w=${windowSeconds}`
      expect(headers.get('ratelimit-policy')).toBe(field)
    })
  })
}

describe('what all paths share', () => {
  test('the recorded bodies are those of the examples, shared ones included', async () => {
    const bodies = await recordExamples(world, recorded)
    if (process.env['WEIR_RECORD_EXAMPLES'] === '1') {
      const path = join(import.meta.dir, '../../../data/examples.json')
      await Bun.write(path, `${JSON.stringify(bodies, null, 2)}\n`)
      return
    }
    // As JSON: a member without a value is no difference.
    expect(JSON.parse(JSON.stringify(bodies))).toEqual(recorded)
  })

  test('every header’s example is among the answers', async () => {
    const given: ReadAnswer[] = []
    const examples = new Map<string, string>()
    for (const operation of all) {
      const { method } = operation
      const path = filledPath(operation)
      given.push(await ask({ request: { path, headers: { 'accept-encoding': 'zstd' } } }, method))
      for (const answer of Object.values(operation.answers)) {
        for (const { name, example } of answer.headers) examples.set(example, name)
        for (const example of Object.values(answer.examples)) given.push(await ask(example, method))
      }
    }
    for (const [example, name] of examples) {
      const values = new Set(given.map(({ headers }) => headers.get(name)))
      expect([...values]).toContain(example)
    }
  })
})
