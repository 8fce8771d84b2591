/** Every example of the contract is asked for, and must be what a real weir answers. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { operations } from '../../../src/http/contract/contract.ts'
import type { Answer, Example, Operation } from '../../../src/http/contract/operation.ts'
import { unknownPath } from '../../../src/http/contract/problems.ts'
import { bodyOf, Documented, objectAt, type ReadAnswer } from './documented.ts'
import { ExampleWorld, patienceMs } from './world.ts'

setDefaultTimeout(patienceMs)

const all: readonly Operation[] = operations

let world: ExampleWorld
let documented: Documented

beforeAll(async () => {
  world = await ExampleWorld.open()
  documented = new Documented(world.services)
})
afterAll(() => world.close())

/** Asks for an example as it says. */
async function ask(
  { when, request }: Pick<Example, 'when' | 'request'>,
  method: string,
): Promise<ReadAnswer> {
  const { path, headers = {}, body, blanks = 0 } = request
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const init = {
    method: request.method ?? method.toUpperCase(),
    // Bun's own would have every long answer compressed.
    headers: { 'accept-encoding': 'identity', ...headers },
    body: blanks > 0 ? ' '.repeat(blanks) : (text ?? null),
  }
  const url = world.base(when ?? null) + path
  world.nextClient()
  if (when === 'limit_used_up') await (await fetch(url, init)).text()
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function expectBody({ headers, text }: ReadAnswer, body: unknown): void {
  if (body === undefined) expect(text).toBe('')
  else expect(bodyOf(headers.get('content-type') ?? '', text)).toEqual(body)
}

const statusesOf = (operation: Operation): [number, Answer][] =>
  Object.entries(operation.answers).map(([status, answer]) => [Number(status), answer])

/** A request that an operation answers well. */
function goodRequest({ path, answers }: Operation): Example['request'] {
  const [first] = Object.values(answers[200]?.examples ?? {})
  return first?.request ?? { path }
}

for (const operation of all) {
  const { method, path } = operation
  describe(`${method.toUpperCase()} ${path}`, () => {
    for (const [status, answer] of statusesOf(operation)) {
      if (answer.id !== undefined) {
        test(`gives the ${status} that all paths share`, async () => {
          const [example] = Object.values(answer.examples)
          const { when } = example ?? {}
          const own = status === 405 ? { path, method: 'PUT' } : goodRequest(operation)
          const given = await ask(
            when === undefined ? { request: own } : { when, request: own },
            method,
          )
          expect(given.status).toBe(status)
          expect(documented.complaints(method, path, given)).toEqual([])
          expectBody(given, example?.body)
        })
        continue
      }
      for (const [name, example] of Object.entries(answer.examples)) {
        test(`${status} ${name}: ${example.summary}`, async () => {
          const given = await ask(example, method)
          expect(given.status, given.text.slice(0, 500)).toBe(status)
          const asked = example.request.method ?? method
          // A method that is not the operation's own is answered as the operation says, for all that.
          expect(documented.complaints(status === 405 ? method : asked, path, given)).toEqual([])
          expectBody(given, example.body)
        })
      }
    }

    test('answers well as documented, compressed where it is long', async () => {
      const { headers, ...request } = goodRequest(operation)
      const given = await ask(
        { request: { ...request, headers: { ...headers, 'accept-encoding': 'zstd' } } },
        method,
      )
      expect(given.status).toBe(200)
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
  const shared = new Map<string, Answer>(
    all
      .flatMap((operation): Answer[] => Object.values(operation.answers))
      .concat(unknownPath)
      .flatMap((answer) => (answer.id === undefined ? [] : [[answer.id, answer]])),
  )

  test.each([...shared])('%s', async (_name, { examples }) => {
    for (const example of Object.values(examples)) {
      const given = await ask(example, 'get')
      expect(given.status).toBe(Number(objectAt(example.body)['status']))
      expectBody(given, example.body)
    }
  })

  test('every header’s example is among the answers', async () => {
    const given: ReadAnswer[] = []
    const examples = new Map<string, string>()
    for (const operation of all) {
      const { method, path } = operation
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
