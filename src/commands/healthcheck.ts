/**
 * `weir healthcheck`: asks a running weir whether it is healthy, for containers, supervisors and scripts.
 *
 * Not through `net/outbound`, which refuses addresses of this machine and of private networks on
 * purpose: here the operator names the address. It is built from the same guarded parts, so that no
 * proxy of the environment is used, no redirect followed, and every wait and buffer has a limit.
 */

import type { Config } from '../config.ts'
import { parseAddress, toUrlHost } from '../model/address.ts'
import { exitCodes } from '../model/operator-error.ts'
import { bodyStream } from '../net/body.ts'
import { connectFirst } from '../net/connection.ts'
import { exchange } from '../net/exchange.ts'
import { Lifetime } from '../net/lifetime.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { parseDuration } from '../setting-values.ts'
import { version } from '../version.ts'
import { command, flag, text, UsageError } from './command.ts'
import { formatCount } from './terminal.ts'

/** How long an answer may take unless `--timeout` says otherwise. */
const timeoutDefault = '3s'

/** The longest timeout: a slower answer is useless to a supervisor. */
const timeoutMsMax = 60_000

/** An answer has about 100 bytes per source. */
const bodyBytesMax = 1024 ** 2

/** Loopback addresses of a server that listens on every address. */
const loopbacks: ReadonlyMap<string, readonly string[]> = new Map([
  ['0.0.0.0', ['127.0.0.1']],
  // It usually accepts IPv4 as well, which works even where IPv6 does not.
  ['::', ['::1', '127.0.0.1']],
])

/** The states of a healthy server: the first of `/health`, the others of `/ready`. */
const healthyStates: ReadonlySet<string> = new Set(['ok', 'ready', 'degraded'])

/** Every state that weir reports. */
const states: ReadonlySet<unknown> = new Set([...healthyStates, 'loading', 'stopping'])

/** The server to ask. */
interface ServerAddress {
  /** Its addresses, in the order in which they are tried. */
  readonly hosts: readonly string[]
  readonly port: number
  /** Host and port as in a URL. */
  readonly authority: string
}

/** The outcome; without an answer, status is null. */
interface Health {
  readonly isHealthy: boolean
  readonly url: string
  readonly status: number | null
  /** The state that weir reports; null: the answer is not weir's. */
  readonly state: string | null
  readonly indicators: number | null
  readonly error: string | null
}

export const healthcheckCommand = command({
  summary: 'ask a running server whether it is healthy',
  usage: `weir healthcheck [--url URL] [--live] [--timeout DURATION] [--json]

Asks the server that the settings describe for GET /ready and prints its answer.

Ends with 0 when the server is healthy, with 1 when it is not or does not answer, with 2 when the
call is wrong.`,
  options: {
    url: text('URL', 'ask the server there, such as http://127.0.0.1:8080'),
    live: flag('ask only whether the process answers at all, also while it loads (GET /health)'),
    timeout: text('DURATION', `how long the whole answer may take (${timeoutDefault}; units s, m)`),
    json: flag('print the outcome as JSON'),
  },
  async run({ url, live, timeout, json }, session) {
    const timeoutMs = parseTimeout(timeout ?? timeoutDefault)
    const server = url === undefined ? configuredServer(await session.config()) : namedServer(url)
    const health = await ask(server, live ? '/health' : '/ready', timeoutMs)
    console.log(json ? JSON.stringify(health) : describe(health))
    return health.isHealthy ? exitCodes.ok : exitCodes.failed
  },
})

function parseTimeout(text: string): number {
  const timeoutMs = parseDuration(text)
  if (timeoutMs !== undefined && timeoutMs <= timeoutMsMax) return timeoutMs
  throw new UsageError(
    `--timeout ${text}: write a duration up to ${timeoutMsMax / 1000}s, such as 5s`,
  )
}

function configuredServer({ host, port }: Config): ServerAddress {
  if (port === 0) {
    throw new UsageError('WEIR_PORT is 0, a port that only the server knows; give it with --url')
  }
  const address = parseAddress(host)
  const [first, ...others] = loopbacks.get(address?.text ?? '') ?? [address?.text ?? host]
  return toServerAddress(first ?? host, others, port)
}

/** Parses the value of `--url`: scheme, host and port, without a path. */
function namedServer(text: string): ServerAddress {
  const url = URL.parse(text)
  const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === ''
  if (url?.protocol !== 'http:' || !isOrigin || url.username !== '' || url.password !== '') {
    throw new UsageError(`--url ${text}: write the server as http://host:port`)
  }
  const host = parseAddress(url.hostname)?.text ?? url.hostname
  return toServerAddress(host, [], url.port === '' ? 80 : Number(url.port))
}

function toServerAddress(host: string, others: readonly string[], port: number): ServerAddress {
  const address = parseAddress(host)
  const name = address === null ? host : toUrlHost(address)
  return { hosts: [host, ...others], port, authority: `${name}:${port}` }
}

async function ask(
  { hosts, port, authority }: ServerAddress,
  path: string,
  timeoutMs: number,
): Promise<Health> {
  const url = `http://${authority}${path}`
  const unanswered = { isHealthy: false, url, status: null, state: null, indicators: null }
  const lifetime = new Lifetime(timeoutMs, undefined)
  try {
    const places = hosts.map((address) => ({ address, port }))
    const socket = await connectFirst(places, authority, 'host', lifetime.signal)
    const headers = { host: authority, 'user-agent': `weir/${version}`, connection: 'close' }
    const message = await exchange(socket, path, headers, authority)
    const { statusCode: status = 0 } = message
    const body = bodyStream(message, {
      host: authority,
      bytesMax: bodyBytesMax,
      encoding: 'identity',
      lifetime,
    })
    const text = await new Response(body).text()
    const { state, indicators } = readAnswer(text)
    const isHealthy = status === 200 && state !== null && healthyStates.has(state)
    return { isHealthy, url, status, state, indicators, error: null }
  } catch (error) {
    const failure = lifetime.explain(error, authority)
    if (failure instanceof OutboundError) return { ...unanswered, error: failure.message }
    throw failure
  } finally {
    lifetime.end()
  }
}

/** Parses weir's report of its state; every other answer gives nulls. */
function readAnswer(text: string): Pick<Health, 'state' | 'indicators'> {
  const answer = parseJson(text)
  const isObject = typeof answer === 'object' && answer !== null
  const state = isObject && 'status' in answer && states.has(answer.status) ? answer.status : null
  const count = isObject && 'indicators' in answer ? answer.indicators : null
  return {
    state: typeof state === 'string' ? state : null,
    indicators: state !== null && typeof count === 'number' ? count : null,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function describe({ url, status, state, indicators, error }: Health): string {
  if (error !== null) return `${url}: ${error}`
  const holds = indicators === null ? '' : `, ${formatCount(indicators)} indicators`
  return `${url}: ${status}, ${state ?? 'not an answer of weir; another program may listen there'}${holds}`
}
