/**
 * Runs weir as a user does: as a process with a data directory of its own.
 *
 * `WEIR_COMMAND` names the command, so that the same tests run against the sources and against the
 * executable. Children get none of this process's settings, and only they are ever killed.
 */

import { Database } from 'bun:sqlite'
import { afterAll, setDefaultTimeout } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { checkAnswersFrom } from '../http/checked-answers.ts'
import type { Answer, Order } from './warm-weir.ts'

const repository = resolve(import.meta.dir, '../..')

const command = process.env['WEIR_COMMAND']?.split(' ') ?? [process.execPath, 'src/main.ts']

/** How long anything here may take before a test gives up on it: machines are shared. */
const patienceMs = 20_000
setDefaultTimeout(2 * patienceMs)

/** What is still running then is killed, so that nothing outlives its test for long. */
const lifeMs = 300_000

/** Between two looks at something that is waited for. */
const pollMs = 5

export type Environment = Readonly<Record<string, string>>

/** A server of a test's own: no port of others, no list but the test's, no limits. */
const quietServing = {
  WEIR_PORT: '0',
  WEIR_STARTER: 'off',
  WEIR_FETCH: 'off',
  WEIR_BACKUP_EVERY: 'off',
  WEIR_LIMIT_EXEMPT: '127.0.0.1',
}

/** A directory of a test's own, removed when the test is through with it. */
export class DataDir implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'weir-command-'))

  /** Returns a directory of its own with the same files. */
  copy(): DataDir {
    const copied = new DataDir()
    cpSync(this.path, copied.path, { recursive: true })
    return copied
  }

  /** Writes a file into the data directory and returns its path. */
  async file(name: string, content: string | Uint8Array): Promise<string> {
    const path = this.at(name)
    await Bun.write(path, content)
    return path
  }

  at(name: string): string {
    return join(this.path, name)
  }

  /** Reads the database, which another process may have open. */
  rows<Row>(sql: string): Row[] {
    const database = new Database(this.at('weir.db'), { readonly: true })
    try {
      database.run(`PRAGMA busy_timeout = ${patienceMs}`)
      return database.query<Row, []>(sql).all()
    } finally {
      database.close()
    }
  }

  /** Changes the database behind weir's back, for tests of the consequences. */
  write(sql: string): void {
    const database = new Database(this.at('weir.db'), { readwrite: true })
    database.run(sql)
    database.close()
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** How a process ended, and all it said. */
export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly dataDir: DataDir
  readonly env?: Environment
  readonly input?: string | Uint8Array
}

function environmentOf({ dataDir, env }: RunOptions): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, TMPDIR, WEIR_DATA: dataDir.path, ...env }
}

/** Starts `weir` with these arguments and leaves it to the caller. */
export function spawnWeir(args: readonly string[], options: RunOptions) {
  return Bun.spawn([...command, ...args], {
    cwd: repository,
    env: environmentOf(options),
    stdin: options.input === undefined ? 'ignore' : Buffer.from(options.input),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: lifeMs,
    killSignal: 'SIGKILL',
  })
}

/** Starts a server that logs to a descriptor of the caller's, and leaves it to the caller. */
export function spawnServer(dataDir: DataDir, env: Environment, stdout: number) {
  return Bun.spawn([...command, 'serve'], {
    cwd: repository,
    env: environmentOf({ dataDir, env: { ...quietServing, ...env } }),
    stdout,
    stderr: 'pipe',
    timeout: lifeMs,
    killSignal: 'SIGKILL',
  })
}

/** Starts a server at a terminal; `hear` gets what it prints. */
export function spawnServerAtTerminal(
  dataDir: DataDir,
  env: Environment,
  hear: (text: string) => void,
) {
  const decoder = new TextDecoder()
  return Bun.spawn([...command, 'serve'], {
    cwd: repository,
    env: environmentOf({ dataDir, env: { ...quietServing, ...env } }),
    terminal: {
      data: (_terminal, bytes) => hear(decoder.decode(bytes, { stream: true })),
    },
    timeout: lifeMs,
    killSignal: 'SIGKILL',
  })
}

/** A process that runs commands one after the other; those of a test file are ended with it. */
class WarmWeir {
  static readonly #idle: WarmWeir[] = []
  readonly #child: Bun.Subprocess<'ignore', 'ignore', 'inherit'>
  #answer = Promise.withResolvers<Answer>()

  constructor() {
    this.#child = Bun.spawn([process.execPath, join(import.meta.dir, 'warm-weir.ts')], {
      cwd: repository,
      stdio: ['ignore', 'ignore', 'inherit'],
      ipc: (answer: Answer) => this.#answer.resolve(answer),
      onExit: (_, code) => this.#answer.reject(new Error(`a command ended its process: ${code}`)),
    })
  }

  /** Runs a command in a process that has nothing else to do. */
  static async run(order: Order): Promise<Ended> {
    const runner = WarmWeir.#idle.pop() ?? new WarmWeir()
    runner.#answer = Promise.withResolvers()
    runner.#child.send(order)
    const { ended, isReady } = await runner.#answer.promise
    if (isReady) WarmWeir.#idle.push(runner)
    else {
      runner.#child.kill()
      await runner.#child.exited
    }
    return ended
  }

  static end(): void {
    for (const runner of WarmWeir.#idle.splice(0)) runner.#child.kill()
  }
}
afterAll(() => WarmWeir.end())

/** Reports whether a command may share a process: none that hears of the runtime's own settings. */
function canShare(args: readonly string[], { env = {}, input }: RunOptions): boolean {
  const isOurs = Object.keys(env).every((name) => name.startsWith('WEIR_'))
  const readsInput = input !== undefined && args[0] !== 'import'
  return process.env['WEIR_COMMAND'] === undefined && isOurs && !readsInput && args[0] !== 'serve'
}

/** Runs `weir` with these arguments to its end: of the sources, in a process that ran others before. */
export async function weir(args: readonly string[], options: RunOptions): Promise<Ended> {
  if (canShare(args, options)) {
    return await WarmWeir.run({ args, env: environmentOf(options), input: options.input ?? '' })
  }
  const child = spawnWeir(args, options)
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  return { code, out, err }
}

/** Imports with `--json` and returns the report; fails when anything else is said. */
export async function importList(
  args: readonly string[],
  options: RunOptions,
): Promise<Record<string, unknown>> {
  const { code, out, err } = await weir(['import', ...args, '--json'], options)
  if (code !== 0 || err !== '') throw new Error(`import ended with ${code}: ${err}`)
  return parseRecord(out)
}

/** Resolves with the first answer of `probe` that is not null; rejects after `withinMs`. */
export async function eventually<Value>(
  what: string,
  probe: () => Value | null | Promise<Value | null>,
  withinMs = patienceMs,
): Promise<Value> {
  const endsAt = performance.now() + withinMs
  for (;;) {
    const value = await probe()
    if (value !== null) return value
    if (performance.now() > endsAt) throw new Error(`${what}: not within ${withinMs} ms`)
    await Bun.sleep(pollMs)
  }
}

/** Runs `weir serve` where it is to refuse; should it start after all, it is on no port of others. */
export function serveToEnd(dataDir: DataDir, env: Environment = {}): Promise<Ended> {
  return weir(['serve'], { dataDir, env: { ...quietServing, ...env } })
}

/** What a process prints, line by line, from its start to its end. */
class Output {
  /** Resolves with all of it when the process has closed it. */
  readonly text: Promise<string>
  #text = ''
  #listeners: (() => void)[] = []

  constructor(stream: ReadableStream<Uint8Array>) {
    this.text = this.#read(stream)
  }

  /** Resolves with the first line of the log that says `msg`; null when the process ends without. */
  heard(msg: string): Promise<Record<string, unknown> | null> {
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown> | null>()
    const look = (): void => {
      const line = this.lines().find((text) => text.includes(`"msg":${JSON.stringify(msg)}`))
      if (line !== undefined) resolve(parseRecord(line))
    }
    this.#listeners.push(look)
    look()
    this.text.then(
      () => resolve(null),
      () => resolve(null),
    )
    return promise
  }

  /** Returns the whole lines so far. */
  lines(): string[] {
    return this.#text.split('\n').slice(0, -1)
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<string> {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      this.#text += decoder.decode(chunk, { stream: true })
      for (const listener of this.#listeners) listener()
    }
    return this.#text
  }
}

/** A server on a port it picked, without limits for this machine; killed at the end of the test. */
export class Server implements AsyncDisposable {
  /** Where it listens, as it says itself. */
  readonly url: string
  /** The line of its log about the start. */
  readonly started: Readonly<Record<string, unknown>>
  readonly #child: ReturnType<typeof spawnWeir>
  readonly #out: Output
  readonly #err: Promise<string>
  #isLeft = false

  private constructor(
    child: ReturnType<typeof spawnWeir>,
    out: Output,
    started: Readonly<Record<string, unknown>>,
  ) {
    this.#child = child
    this.#out = out
    this.#err = child.stderr.text()
    this.started = started
    this.url = String(started['address'])
    void child.exited.then(checkAnswersFrom(this.url))
  }

  /** Starts a server and resolves when it is ready; without the embedded list unless asked for. */
  static async start(dataDir: DataDir, env: Environment = {}): Promise<Server> {
    const child = spawnWeir(['serve'], { dataDir, env: { ...quietServing, ...env } })
    const out = new Output(child.stdout)
    const started = await out.heard('started')
    if (started !== null) return new Server(child, out, started)
    throw new Error(`the server did not start: ${await child.stderr.text()}`)
  }

  get pid(): number {
    return this.#child.pid
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    this.#child.kill(name)
  }

  /** Resolves when the process has ended, with its exit code and all of its standard error. */
  async ended(): Promise<{ code: number; err: string }> {
    const [code, err] = await Promise.all([this.#child.exited, this.#err])
    this.#isLeft = true
    return { code, err }
  }

  /** Stops it in order. */
  async stop(): Promise<{ code: number; err: string }> {
    this.signal('SIGTERM')
    return this.ended()
  }

  /** Returns what it has logged so far, line by line. */
  logged(): Record<string, unknown>[] {
    return this.#out.lines().map(parseRecord)
  }

  /** Resolves with the first line of its log that says `msg`. */
  async heard(msg: string): Promise<Record<string, unknown>> {
    const line = await this.#out.heard(msg)
    if (line === null) throw new Error(`the log ended without "${msg}"`)
    return line
  }

  /** Resolves when its log is closed, with all of standard output. */
  said(): Promise<string> {
    return this.#out.text
  }

  async text(path: string, init?: RequestInit): Promise<string> {
    return (await fetch(`${this.url}${path}`, init)).text()
  }

  /** Returns a JSON answer as an object; fails when it is none. */
  async json(path: string, init?: RequestInit): Promise<Record<string, unknown>> {
    return parseRecord(await this.text(path, init))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isLeft) return
    this.signal('SIGKILL')
    await this.ended()
  }
}

/** Parses a JSON object; throws when the text is anything else. */
export function parseRecord(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`no JSON object: ${text.slice(0, 200)}`)
  }
  return { ...value }
}

/** Returns a file of these lines. */
export function lines(...entries: readonly string[]): string {
  return entries.map((entry) => `${entry}\n`).join('')
}

/** Returns every listed value, in the order in which it came. */
export function listed(dataDir: DataDir): string[] {
  const rows = dataDir.rows<{ value: string }>(
    'SELECT value FROM indicator WHERE active = 1 ORDER BY id',
  )
  return rows.map(({ value }) => value)
}

/** Returns a list of `count` names, `n0.example` and on. */
export function manyNames(count: number): string {
  return Array.from({ length: count }, (_, n) => `n${n}.example\n`).join('')
}

/** Returns the path under which a value is checked. */
export function checkPath(value: string): string {
  return `/api/check-url?url=${encodeURIComponent(value)}`
}
