/**
 * Runs weir as its users do, as a process of its own: `bun src/main.ts`, or whatever `WEIR_COMMAND`
 * names, such as the compiled program. Every instance has its own data directory and a free port of
 * 127.0.0.1, and only its own process is ever ended.
 */

import { setDefaultTimeout } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkAnswersFrom } from './checked-answers.ts'

const command = process.env['WEIR_COMMAND']?.split(' ') ?? [process.execPath, 'src/main.ts']
const startMs = 20_000
const stopMs = 15_000
// Machines are shared, and some tests start several processes.
setDefaultTimeout(2 * startMs)

/** A list to import. */
export interface ListFile {
  readonly text: string
  readonly source: string
  readonly format: 'domains' | 'hosts' | 'urls' | 'eth-phishing-detect'
}

export interface WeirOptions {
  /** Settings beside the test's own (`WEIR_…`). */
  readonly env?: Readonly<Record<string, string>>
  /** Lists that are imported before it serves. */
  readonly lists?: readonly ListFile[]
}

/** A running weir. */
export interface WeirProcess {
  /** Its address, without a trailing slash. */
  readonly url: string
  readonly pid: number
  /** Imports a list beside the running server, and waits until the server answers from it. */
  import(list: ListFile): Promise<void>
  /** Ends it as an operator would, with SIGTERM, and removes its data; answers the exit code. */
  stop(): Promise<number>
}

/** More calls than any test makes, unless a test is about limits. */
const testSettings = {
  WEIR_PORT: '0',
  WEIR_HOST: '127.0.0.1',
  WEIR_STARTER: 'off',
  WEIR_FETCH: 'off',
  WEIR_BACKUP_EVERY: 'off',
  WEIR_LIMIT_CHECK_URL: '100000/1m',
  WEIR_LIMIT_BLACKLIST: '100000/1m',
  WEIR_LIMIT_BULK: '100000/1m',
  WEIR_LIMIT_CHECK_PHONE: '100000/1m',
  WEIR_LIMIT_CHECK_EMAIL: '100000/1m',
}

type Environment = Record<string, string | undefined>

/** This process's environment without its own settings of weir. */
function bareEnvironment(): Environment {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('WEIR_')),
  )
}

async function runImport(
  environment: Environment,
  { text, source, format }: ListFile,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'weir-list-'))
  const path = join(directory, 'list.txt')
  await Bun.write(path, text)
  const child = Bun.spawn([...command, 'import', path, '--source', source, '--format', format], {
    env: environment,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [code, errors] = await Promise.all([child.exited, new Response(child.stderr).text()])
  await rm(directory, { recursive: true })
  if (code !== 0) throw new Error(`importing ${source} ended with ${code}: ${errors}`)
}

/** Reads the log until the line that tells the address. */
async function readAddress(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true })
    const address = /"address":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(text)?.[1]
    if (address !== undefined) return address
  }
  throw new Error(`weir ended before it told its address: ${text}`)
}

/** Resolves when weir has caught up with everything that is committed. */
async function untilLevel(url: string): Promise<void> {
  for (const end = Date.now() + startMs; Date.now() < end; await Bun.sleep(20)) {
    const ready = await (await fetch(`${url}/ready`)).json()
    if (isLevel(ready)) return
  }
  throw new Error(`weir at ${url} does not catch up with its store`)
}

function isLevel(ready: unknown): boolean {
  if (typeof ready !== 'object' || ready === null) return false
  if (!('status' in ready) || !('viewLag' in ready) || ready.status !== 'ready') return false
  const lag = ready.viewLag
  return typeof lag === 'object' && lag !== null && 'rows' in lag && lag.rows === 0
}

/** Starts weir on an empty data directory; rejects when it does not come up in 20 seconds. */
export async function startWeir({ env = {}, lists = [] }: WeirOptions = {}): Promise<WeirProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'weir-test-'))
  const environment = { ...bareEnvironment(), ...testSettings, WEIR_DATA: dataDir, ...env }
  for (const list of lists) await runImport(environment, list)
  const child = Bun.spawn([...command, 'serve'], {
    env: environment,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const errors = new Response(child.stderr).text()
  const slow = Bun.sleep(startMs).then(() => null)
  const url = await Promise.race([readAddress(child.stdout), slow]).catch(() => null)
  if (url === null) {
    child.kill('SIGKILL')
    throw new Error(`weir did not start: ${await errors}`)
  }
  void child.exited.then(checkAnswersFrom(url))
  return {
    url,
    pid: child.pid,
    import: async (list) => {
      await runImport(environment, list)
      await untilLevel(url)
    },
    stop: async () => {
      child.kill('SIGTERM')
      const code = await Promise.race([child.exited, Bun.sleep(stopMs).then(() => null)])
      if (code === null) child.kill('SIGKILL')
      await child.exited
      await rm(dataDir, { recursive: true, force: true })
      if (code === null) throw new Error(`weir did not stop: ${await errors}`)
      return code
    },
  }
}
