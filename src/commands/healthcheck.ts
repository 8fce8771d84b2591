/**
 * `weir healthcheck`: asks a running weir how it is, for containers, supervisors and scripts.
 *
 * Not through `net/outbound`, which refuses addresses of this machine and of private networks on
 * purpose: what is dialled here the operator names himself. It is built on the same guarded parts, so that
 * no proxy of the environment is asked, no redirect followed, and nothing awaited or held without end.
 */

import { parseArgs } from 'node:util'
import { type Config, loadConfig } from '../config.ts'
import { parseAddress, toUrlHost } from '../model/address.ts'
import { exitCodes } from '../model/operator-error.ts'
import { bodyStream } from '../net/body.ts'
import { connectFirst } from '../net/connection.ts'
import { exchange } from '../net/exchange.ts'
import { Lifetime } from '../net/lifetime.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { parseDuration } from '../setting-values.ts'
import { version } from '../version.ts'
import { type Command, UsageError } from './command.ts'
import { formatCount } from './terminal.ts'

/** How long an answer may take unless `--timeout` says otherwise. */
const timeoutDefault = '3s'

/** A check that takes longer than this is of no use to who asked. */
const timeoutMsMax = 60_000

/** An answer tells of each source in about 100 bytes. */
const bodyBytesMax = 1024 ** 2

/** Where a server that listens on every address is reached from its own machine. */
const loopbacks: ReadonlyMap<string, readonly string[]> = new Map([
  ['0.0.0.0', ['127.0.0.1']],
  // It most often takes IPv4 as well, which is there even where IPv6 is not.
  ['::', ['::1', '127.0.0.1']],
])

/** What weir says of itself when all is well: `/health` the first, `/ready` the others. */
const healthyStates: ReadonlySet<string> = new Set(['ok', 'ready', 'degraded'])

/** Every word that weir has for its state. */
const states: ReadonlySet<unknown> = new Set([...healthyStates, 'loading', 'stopping'])

/** Whom to ask. */
interface Server {
  /** Where it may be reached, the best first. */
  readonly hosts: readonly string[]
  readonly port: number
  /** Host and port as a URL has them. */
  readonly authority: string
}

/** What was seen; without an answer there is no status. */
interface Health {
  readonly isHealthy: boolean
  readonly url: string
  readonly status: number | null
  /** Weir's own word for how it is; null: what answered is not weir. */
  readonly state: string | null
  readonly indicators: number | null
  readonly error: string | null
}

export const healthcheckCommand: Command = {
  summary: 'ask a running server whether it is well',
  usage: `weir healthcheck [--url URL] [--live] [--timeout DURATION] [--json]

Asks the server that WEIR_HOST and WEIR_PORT name whether it answers from its data (GET /ready). A
server that is degraded answers, so it counts as well.

--url URL           ask the server there, such as http://127.0.0.1:8080
--live              ask only whether the process answers at all, also while it loads (GET /health)
--timeout DURATION  how long the whole answer may take (${timeoutDefault}; units s, m)
--json              print what was seen as JSON

Ends with 0 when the server is well, with 1 when it is not or does not answer, with 2 when called
wrongly.`,
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        live: { type: 'boolean' },
        timeout: { type: 'string' },
        json: { type: 'boolean' },
      },
    })
    const timeoutMs = parseTimeout(values.timeout ?? timeoutDefault)
    const server =
      values.url === undefined
        ? configuredServer((await loadConfig(process.env)).config)
        : namedServer(values.url)
    const health = await ask(server, values.live === true ? '/health' : '/ready', timeoutMs)
    console.log(values.json === true ? JSON.stringify(health) : describe(health))
    return health.isHealthy ? exitCodes.ok : exitCodes.failed
  },
}

function parseTimeout(text: string): number {
  const timeoutMs = parseDuration(text)
  if (timeoutMs !== undefined && timeoutMs <= timeoutMsMax) return timeoutMs
  throw new UsageError(`--timeout ${text}: name a time up to ${timeoutMsMax / 1000}s, such as 5s`)
}

function configuredServer({ host, port }: Config): Server {
  if (port === 0) {
    throw new UsageError('WEIR_PORT is 0, a port that only the server knows; name it with --url')
  }
  const address = parseAddress(host)
  const [first, ...others] = loopbacks.get(address?.text ?? '') ?? [address?.text ?? host]
  return serverOf(first ?? host, others, port)
}

/** Reads what `--url` names: scheme, host and port, as weir itself listens; nothing is in front. */
function namedServer(text: string): Server {
  const url = URL.parse(text)
  const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === ''
  if (url?.protocol !== 'http:' || !isOrigin || url.username !== '' || url.password !== '') {
    throw new UsageError(`--url ${text}: name a server as http://host:port`)
  }
  const host = parseAddress(url.hostname)?.text ?? url.hostname
  return serverOf(host, [], url.port === '' ? 80 : Number(url.port))
}

function serverOf(host: string, others: readonly string[], port: number): Server {
  const address = parseAddress(host)
  const name = address === null ? host : toUrlHost(address)
  return { hosts: [host, ...others], port, authority: `${name}:${port}` }
}

async function ask(
  { hosts, port, authority }: Server,
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

/** Reads what weir says of itself; of any other answer nothing is taken over. */
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
  return `${url}: ${status}, ${state ?? 'not as weir answers; another program may listen there'}${holds}`
}
