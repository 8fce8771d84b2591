/**
 * Load on a server in this process, from a process of its own: `wrk` where it is installed, else
 * `load-client`. Goes to 127.0.0.1 only, and ends by itself.
 *
 * A round tells what an answer cost in processor time here, which depends neither on the client nor on
 * who else uses the machine, besides answers a second and the 99th percentile of their latency.
 */

import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What is asked, in turn. */
export interface Load {
  readonly paths: readonly string[]
  /** A JSON body makes every request a POST of it. */
  readonly body?: string
  readonly connections: number
}

/** One round of load. */
export interface Round {
  readonly perSecond: number
  /** Processor time of this process for one answer. */
  readonly microseconds: number
  /** The 99th percentile of the latency in milliseconds. */
  readonly p99Ms: number
}

/** How long a round lasts. */
export const roundSeconds = 1

/** The load as files that a client reads; removed when it is done. */
export class LoadFiles implements AsyncDisposable {
  readonly #load: Load
  readonly #stem = join(tmpdir(), `weir-load-${process.pid}-${crypto.randomUUID()}`)

  constructor(load: Load) {
    this.#load = load
  }

  get #script(): string {
    return `${this.#stem}.lua`
  }

  get #list(): string {
    return `${this.#stem}.json`
  }

  async write(): Promise<void> {
    const { paths, body } = this.#load
    const quoted = (text: string): string => JSON.stringify(text)
    const method =
      body === undefined
        ? ''
        : `wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.body = ${quoted(body)}
`
    const script = `${method}local paths = {${paths.map(quoted).join(',')}}
local n = 0
request = function() n = n % ${paths.length} + 1; return wrk.format(nil, paths[n]) end`
    await Bun.write(this.#script, script)
    await Bun.write(this.#list, JSON.stringify(this.#load))
  }

  /** Puts the load on a server for a second. */
  async round(base: string): Promise<Round> {
    const { connections } = this.#load
    const command =
      Bun.which('wrk') === null
        ? [process.execPath, join(import.meta.dir, 'load-client.ts'), base, this.#list]
        : [
            'wrk',
            '-t1',
            `-c${connections}`,
            `-d${roundSeconds}s`,
            '--latency',
            '-s',
            this.#script,
            base,
          ]
    const before = process.cpuUsage()
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
    const output = await new Response(child.stdout).text()
    const { user, system } = process.cpuUsage(before)
    const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
    const count = Number(/(\d+) requests in/.exec(output)?.[1])
    const [, latency = '', unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? []
    if (!(perSecond > 0) || !(count > 0) || output.includes('Non-2xx')) {
      throw new Error(`load on ${base} failed: ${output}`)
    }
    const p99Ms = Number(latency) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1)
    return { perSecond, microseconds: (user + system) / count, p99Ms }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#script, this.#list].map((path) => Bun.file(path).delete()))
  }
}

/**
 * Puts the load on each of `servers` in turn, `rounds` times after one to warm up, and returns the
 * rounds of each.
 */
export async function interleave(
  load: Load,
  servers: readonly { readonly url: URL }[],
  rounds: number,
): Promise<Round[][]> {
  await using files = new LoadFiles(load)
  await files.write()
  const results = servers.map((): Round[] => [])
  for (let round = -1; round < rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const result = await files.round(server.url.origin)
      if (round >= 0) results[index]?.push(result)
    }
  }
  return results
}

/** The processor time of an answer in the least disturbed of the rounds. */
export function leastCost(rounds: readonly Round[]): number {
  return Math.min(...rounds.map(({ microseconds }) => microseconds))
}
