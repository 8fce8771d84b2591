/** Requests that follow from a definition: each bound and its neighbours, each word, each way of being wrong. */

import type { TSchema } from '@sinclair/typebox'
import type { App } from '../../../src/http/app.ts'
import type { EndpointDescription } from '../../../src/http/contract/description.ts'
import { bytesMax, numberIn, wordsIn } from '../../../src/http/contract/schema-messages.ts'
import type { CostlyClass } from '../../../src/http/in-flight.ts'
import { echoNow, quota } from './echo.ts'

/** An endpoint, as far as requests depend on it. */
export interface Defined extends EndpointDescription {
  readonly bodyBytesMax?: number
  readonly costly?: CostlyClass
  readonly limitsBelow?: string
}

/** A request, or several: the answers to all of them are seen. */
export interface Probe {
  readonly method: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Sends it this number of times, one after the other. */
  readonly times?: number
  /** Sends it this number of times at once. */
  readonly atOnce?: number
  /** Sends these before it, all at once and each for another client. */
  readonly crowd?: readonly Probe[]
}

/** A text that is among no words and matches no pattern; `facts` adds it to words. */
export const otherWord = 'zzz'

const json = { 'content-type': 'application/json' }

const examplesIn = ({ examples }: TSchema): string[] =>
  Array.isArray(examples) ? examples.map(String) : []

/** Returns a value that a schema accepts. */
function sampleOf(schema: TSchema): unknown {
  if (schema['type'] === 'array') return []
  if (schema['type'] === 'integer') return numberIn(schema, 'minimum') ?? 0
  return examplesIn(schema)[0] ?? wordsIn(schema)?.[0] ?? 'name.test'
}

const around = (bound: number): number[] =>
  [bound - 1, bound, bound + 1, bound + 2].filter((n) => n >= 0)

const boundsIn = (schema: TSchema, ...keywords: (string | symbol)[]): number[] =>
  keywords.flatMap((keyword) => around(numberIn(schema, keyword) ?? 0))

/** Returns texts around every bound of a text. */
const textsAround = (schema: TSchema): string[] => [
  ...(wordsIn(schema) ?? []).map(String),
  ...examplesIn(schema),
  ...boundsIn(schema, 'minLength', 'maxLength', bytesMax).map((length) => 'a'.repeat(length)),
  otherWord,
  '',
]

/** Returns the texts of a parameter to try. */
const parameterTexts = (schema: TSchema): string[] =>
  schema['type'] === 'integer'
    ? [...boundsIn(schema, 'minimum', 'maximum').map(String), otherWord, '7']
    : textsAround(schema)

/** Returns the values of a member of a body to try. */
function memberValues(schema: TSchema): unknown[] {
  const lengths = boundsIn(schema, 'minItems', 'maxItems')
  const own =
    schema['type'] === 'array'
      ? lengths.map((length) => Array.from({ length }, () => 'name.test'))
      : textsAround(schema)
  return [...own, 5, null, [5]]
}

/** Returns the longest list that a schema accepts; of what is no list any value. */
const fullest = (schema: TSchema): unknown =>
  schema['type'] === 'array'
    ? Array.from({ length: numberIn(schema, 'maxItems') ?? 1 }, () => 'name.test')
    : sampleOf(schema)

const propertiesOf = (schema: TSchema | undefined): [string, TSchema][] =>
  Object.entries<TSchema>(schema?.['properties'] ?? {})

/** Returns the required members with values that are accepted. */
function needed(schema: TSchema | undefined): Record<string, unknown> {
  const required: readonly string[] = schema?.['required'] ?? []
  const members = propertiesOf(schema).filter(([name]) => required.includes(name))
  return Object.fromEntries(members.map(([name, member]) => [name, sampleOf(member)]))
}

function targetOf(path: string, values: object, query: object): string {
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replace(`:${name}`, encodeURIComponent(String(value))),
    path,
  )
  const asked = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return asked.length === 0 ? filled : `${filled}?${asked.join('&')}`
}

/** Returns a request that an endpoint answers well. */
export function goodProbe({ method, path, pathParameters, query, body }: Defined): Probe {
  return {
    method: method.toUpperCase(),
    target: targetOf(path, needed(pathParameters), needed(query)),
    ...(body === undefined ? {} : { headers: json, body: JSON.stringify(needed(body)) }),
  }
}

function parameterProbes({ path, pathParameters, query }: Defined, good: Probe): Probe[] {
  const values = needed(pathParameters)
  const asked = needed(query)
  const to = (inPath: object, inQuery: object): Probe => ({
    ...good,
    target: targetOf(path, inPath, inQuery),
  })
  return [
    ...propertiesOf(query).flatMap(([name, schema]) => {
      const { [name]: _, ...others } = asked
      return [
        to(values, others),
        ...parameterTexts(schema).map((text) => to(values, { ...asked, [name]: text })),
      ]
    }),
    ...propertiesOf(pathParameters).flatMap(([name, schema]) =>
      parameterTexts(schema)
        // An empty segment is another path.
        .filter((text) => text !== '')
        .map((text) => to({ ...values, [name]: text }, asked)),
    ),
  ]
}

function bodyProbes({ body: schema, bodyBytesMax }: Defined, good: Probe): Probe[] {
  if (schema === undefined) return []
  const base = needed(schema)
  const members = propertiesOf(schema)
  const bodies = [
    { [otherWord]: 1 },
    Object.fromEntries(members.map(([name, member]) => [name, fullest(member)])),
    ...members.flatMap(([name, member]) => {
      const { [name]: _, ...others } = base
      return [others, ...memberValues(member).map((value) => ({ ...base, [name]: value }))]
    }),
  ]
  const announced = around(bodyBytesMax ?? 0).map(
    (length): Probe => ({
      method: good.method,
      target: good.target,
      headers: { ...json, 'content-length': String(length) },
    }),
  )
  return [...announced, ...bodies.map((body) => ({ ...good, body: JSON.stringify(body) }))]
}

function headerProbes({ requestHeaders }: Defined, good: Probe): Probe[] {
  const date = new Date(echoNow).toUTCString()
  return propertiesOf(requestHeaders).flatMap(([name, schema]) =>
    [...examplesIn(schema), '*', date].map((text) => ({ ...good, headers: { [name]: text } })),
  )
}

const clientCallsMax = 6

/** Returns what fills the class of a costly endpoint, and what one client may have of it. */
function crowdProbes({ costly }: Defined, good: Probe, all: readonly Defined[]): Probe[] {
  if (costly === undefined) return []
  const siblings = all.filter((other) => other.costly?.class === costly.class)
  const crowd = siblings.map((each) => ({ ...goodProbe(each), atOnce: costly.inFlightMax + 1 }))
  return [
    { ...good, crowd },
    { ...good, atOnce: clientCallsMax },
  ]
}

/** Returns every request by which a fact of a definition can be seen. */
export function probesOf(endpoint: Defined, all: readonly Defined[]): Probe[] {
  const good = goodProbe(endpoint)
  const { limitsBelow } = endpoint
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']
  const below = limitsBelow === undefined ? [] : ['', `/${otherWord}/${otherWord}`]
  return [
    good,
    ...methods.map((method) => ({ method, target: good.target })),
    ...parameterProbes(endpoint, good),
    ...bodyProbes(endpoint, good),
    ...headerProbes(endpoint, good),
    { method: good.method, target: `/${otherWord}${good.target}` },
    ...below.map((rest) => ({ method: 'GET', target: `${limitsBelow}${rest}` })),
    { ...good, times: quota + 1 },
    ...crowdProbes(endpoint, good, all),
  ]
}

/** Sends probes to an app; each comes from clients of its own. */
export class Prober {
  readonly #app: App
  readonly #nextClient: () => void

  /** `nextClient` is called before a request that another client sends. */
  constructor(app: App, nextClient: () => void) {
    this.#app = app
    this.#nextClient = nextClient
  }

  /** Returns all that a client sees of the answers to a probe. */
  async see(probe: Probe): Promise<string> {
    const { times = 1, atOnce, crowd = [] } = probe
    const waiting = crowd.flatMap((each) => this.#sendAtOnce(each, this.#nextClient))
    this.#nextClient()
    if (atOnce !== undefined) return seenOf(await Promise.all(this.#sendAtOnce(probe)))
    const answers: Response[] = []
    for (let sent = 0; sent < times; sent++) answers.push(await this.#send(probe))
    return seenOf([...answers, ...(await Promise.all(waiting))])
  }

  #sendAtOnce(probe: Probe, before = (): void => {}): Promise<Response>[] {
    return Array.from({ length: probe.atOnce ?? 1 }, async () => {
      before()
      return this.#send(probe)
    })
  }

  #send({ method, target, headers = {}, body }: Probe): Response | Promise<Response> {
    const init = { method, headers, body: body ?? null }
    return this.#app.fetch(new Request(`http://weir.test${target}`, init))
  }
}

async function seenOf(answers: readonly Response[]): Promise<string> {
  const seen: unknown[] = []
  for (const answer of answers) {
    const headers = [...answer.headers].sort(([a], [b]) => (a < b ? -1 : 1))
    const body = await answer.bytes()
    // Metrics hold how long calls took.
    const isMeasured = answer.headers.get('content-type')?.includes('version=0.0.4') === true
    seen.push([answer.status, headers, isMeasured || Bun.hash(body).toString(36)])
  }
  return JSON.stringify(seen)
}
