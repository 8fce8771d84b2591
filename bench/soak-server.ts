/**
 * The weir that a soak is about: a process of its own on a data directory of its own, looked at from
 * outside, and imports beside it.
 *
 * `WEIR_COMMAND` names another command than the sources, such as `dist/weir`.
 */

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { listOf, nameAt } from './fixture.ts'

const root = resolve(import.meta.dir, '..')
const command = process.env['WEIR_COMMAND']?.split(' ') ?? [process.execPath, 'src/main.ts']

/** How long a start and a stop may take. */
const patienceMs = 30_000

/** Names that are listed all the time. */
export const namesListed = 100_000

/** Names that come and go: each import lists so many, of so many, and the next begins so much later. */
const movingListed = 4_000
const movingNames = 8_000
const movingStep = 500

/** Whatever this machine's own settings are, they are not the soak's. */
const { PATH, HOME, TMPDIR } = process.env

/** Where the soak differs from what an operator has. */
const settings = {
  WEIR_PORT: '0',
  WEIR_FETCH: 'off',
  WEIR_BACKUP_EVERY: '3m',
  // The load comes as many clients.
  WEIR_TRUSTED_PROXIES: '127.0.0.1',
}

/** Runs `weir import` beside the server; throws with what it said when it fails. */
async function importBeside(dataDir: string, source: string, list: ReadableStream): Promise<void> {
  const child = Bun.spawn([...command, 'import', '-', '--source', source, '--format', 'domains'], {
    cwd: root,
    env: { PATH, HOME, TMPDIR, WEIR_DATA: dataDir },
    stdin: list,
    stdout: 'ignore',
    stderr: 'pipe',
    detached: true,
  })
  const [code, said] = await Promise.all([child.exited, child.stderr.text()])
  if (code !== 0) throw new Error(`an import ended with ${code}: ${said}`)
}

/** Lists what the whole soak looks up. */
export function importBase(dataDir: string): Promise<void> {
  return importBeside(dataDir, 'soak-base', listOf(0, namesListed))
}

/** Imports the list whose names come and go, for the `round`th time. */
export function importMoving(dataDir: string, round: number): Promise<void> {
  const names = Array.from({ length: movingListed }, (_, index) => {
    const at = (round * movingStep + index) % movingNames
    return `moving-${nameAt(namesListed + at)}\n`
  })
  return importBeside(dataDir, 'soak-moving', new Blob(names).stream())
}

/** A weir under soak. */
export class SoakedServer {
  readonly url: string
  readonly #child: ReturnType<typeof spawnServer>
  readonly #said: Promise<string>

  private constructor(child: ReturnType<typeof spawnServer>, url: string, said: Promise<string>) {
    this.#child = child
    this.url = url
    this.#said = said
  }

  /** Starts a server and resolves when it is ready. */
  static async start(dataDir: string): Promise<SoakedServer> {
    const child = spawnServer(dataDir)
    const said = child.stderr.text()
    const url = await addressIn(child.stdout)
    if (url === null) throw new Error(`weir did not start: ${await said}`)
    const server = new SoakedServer(child, url, said)
    await server.#untilReady()
    return server
  }

  async #untilReady(): Promise<void> {
    for (const endsAt = performance.now() + patienceMs; performance.now() < endsAt; ) {
      const response = await fetch(`${this.url}/ready`)
      await response.arrayBuffer()
      if (response.ok) return
      await Bun.sleep(50)
    }
    throw new Error(`weir is not ready after ${patienceMs / 1000} s`)
  }

  /** Resident memory in bytes. */
  async residentBytes(): Promise<number> {
    const { pid } = this.#child
    if (process.platform === 'linux') {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
    }
    const shown = await Bun.$`ps -o rss= -p ${pid}`.quiet().text()
    return Number(shown.trim()) * 1024
  }

  /** The JavaScript heap in bytes, as weir tells it; null when it does not. */
  async heapBytes(): Promise<number | null> {
    const text = await fetch(`${this.url}/metrics`).then(
      (response) => response.text(),
      () => '',
    )
    const bytes = /^weir_heap_bytes (\d+)/m.exec(text)?.[1]
    return bytes === undefined ? null : Number(bytes)
  }

  /** How many files and sockets are open, where that can be seen. */
  openFiles(): string {
    const directory = `/proc/${this.#child.pid}/fd`
    if (!existsSync(directory)) return 'not known'
    const links = readdirSync(directory).map((name) => targetOf(join(directory, name)))
    const sockets = links.filter((link) => link.startsWith('socket:')).length
    return `${links.length - sockets} files, ${sockets} sockets`
  }

  /**
   * How long the serving thread has run and has waited for a processor, in milliseconds; null where that
   * cannot be seen. What it waited is the machine's part in latencies.
   */
  processorTimes(): { readonly ranMs: number; readonly waitedMs: number } | null {
    const path = `/proc/${this.#child.pid}/task/${this.#child.pid}/schedstat`
    if (!existsSync(path)) return null
    const [ran, waited] = readFileSync(path, 'utf8').split(' ')
    return { ranMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 }
  }

  /** Resolves when the process ends, in whatever way. */
  async ended(): Promise<void> {
    await this.#child.exited
  }

  /** Stops it in order and returns its exit code, and what it said on standard error. */
  async stop(): Promise<{ readonly code: number; readonly said: string }> {
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), patienceMs)
    const [code, said] = await Promise.all([this.#child.exited, this.#said])
    clearTimeout(timer)
    return { code, said }
  }
}

/** Returns where a link leads; one that is gone by now leads nowhere. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

/** Detached, as are imports: Ctrl-C is the soak's to hear, which then stops the server in order. */
function spawnServer(dataDir: string) {
  return Bun.spawn([...command, 'serve'], {
    cwd: root,
    env: { PATH, HOME, TMPDIR, ...settings, WEIR_DATA: dataDir },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
}

/**
 * Resolves with the address that a server tells of, or with null when it ends without; reads on, so
 * that its log never stands in its way.
 */
function addressIn(output: ReadableStream<Uint8Array>): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    let text: string | null = ''
    for await (const chunk of output) {
      if (text === null) continue
      text += decoder.decode(chunk, { stream: true })
      const url = /http:\/\/[\d.]+:\d+/.exec(text)?.[0]
      if (url === undefined) continue
      text = null
      resolve(url)
    }
    resolve(null)
  }
  read().catch(reject)
  return promise
}
