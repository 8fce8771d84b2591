/**
 * HTTP tests as tables: what is sent, and what must come back. The same tables run against the app
 * with stand-ins, against `weir serve`, and against the compiled program.
 */

import { expect, test } from 'bun:test'

export interface Scenario {
  readonly name: string
  /** GET unless told. */
  readonly method?: string
  readonly path: string
  readonly requestHeaders?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly status: number
  /** Headers of the answer; null for one that must not be there. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>
  /** Part of the JSON of the answer. */
  readonly json?: object
  readonly text?: string | RegExp
  /** The fields that a problem document must name, in order; `[]` for one that names none. */
  readonly problem?: readonly string[]
}

function expectHeaders(headers: Headers, expected: NonNullable<Scenario['headers']>): void {
  for (const [name, value] of Object.entries(expected)) {
    const actual = headers.get(name)
    if (value instanceof RegExp) expect(`${name}: ${actual}`).toMatch(value)
    else expect([name, actual]).toEqual([name, value])
  }
}

/** The headers that every answer of weir carries. */
export const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'cross-origin',
} as const

/** Checks the shape of a problem document (RFC 9457) and that it names `fields`. */
export function expectProblem(status: number, text: string, fields?: readonly string[]): void {
  const problem = JSON.parse(text)
  expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'errors'])
  expect(problem.status).toBe(status)
  expect(problem.detail).not.toBe('')
  if (fields === undefined) return
  expect(problem.errors.map(({ field }: { field: string }) => field)).toEqual(fields)
  for (const { message } of problem.errors) expect(message).toMatch(/^[A-Z].*\.$/)
}

/** Sends the request of a scenario to `base` and checks the answer. */
export async function play(base: string, scenario: Scenario): Promise<void> {
  const { method = 'GET', path, requestHeaders = {}, body = null } = scenario
  const response = await fetch(base + path, { method, headers: requestHeaders, body })
  const text = await response.text()
  expect(response.status, text.slice(0, 500)).toBe(scenario.status)
  expectHeaders(response.headers, everywhere)
  if (scenario.headers !== undefined) expectHeaders(response.headers, scenario.headers)
  if (scenario.json !== undefined) expect(JSON.parse(text)).toMatchObject(scenario.json)
  if (scenario.text instanceof RegExp) expect(text).toMatch(scenario.text)
  else if (scenario.text !== undefined) expect(text).toBe(scenario.text)
  if (response.status < 400 || method === 'HEAD') return
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expectProblem(scenario.status, text, scenario.problem)
}

/** Declares one test for each scenario; `base` is asked when they run. */
export function playAll(base: () => string, scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) test(scenario.name, () => play(base(), scenario))
}
