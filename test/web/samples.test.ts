/**
 * Runs the programs of the documentation as a reader would, against a running weir. A program is
 * skipped if its language is not installed.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { SetHash } from '../../src/model/set-hash.ts'
import { startWeir, type WeirProcess } from '../http/harness.ts'
import { program, testWith } from '../needs.ts'

const repository = resolve(import.meta.dir, '../..')
const samples = join(repository, 'docs/samples')

/** Compiling with cold caches takes minutes on a busy machine. */
const patienceMs = 300_000

const topics = ['check-url', 'bulk', 'blacklist', 'changes'] as const
type Topic = (typeof topics)[number]

const runTypeScript = (file: string): string[] => [process.execPath, file]
const runPython = (file: string): string[] => ['python3', file]

/** How the samples of a language are named and run. */
const languages = [
  { name: 'curl', ending: 'sh', program: 'curl', command: (file: string) => ['sh', file] },
  { name: 'TypeScript', ending: 'ts', program: process.execPath, command: runTypeScript },
  { name: 'the client', ending: 'client.ts', program: process.execPath, command: runTypeScript },
  { name: 'Python', ending: 'py', program: 'python3', command: runPython },
  // Built before they are run.
  { name: 'Go', ending: 'go', program: 'go', command: (file: string) => [file.slice(0, -3)] },
] as const

type Language = (typeof languages)[number]

/** The samples under the names that their languages need. */
const directory = mkdtempSync(join(tmpdir(), 'weir-samples-'))

/** Runs a command and returns its output; fails if the command fails. */
async function run(
  command: readonly string[],
  changes: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { PATH, HOME, TMPDIR } = process.env
  const child = Bun.spawn([...command], {
    cwd: directory,
    env: { PATH, HOME, TMPDIR, GOTOOLCHAIN: 'local', GOPROXY: 'off', ...changes },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  expect(code, err + out).toBe(0)
  return out
}

const runSample = ({ command, ending }: Language, topic: Topic, env: Record<string, string>) =>
  run(command(join(directory, `${topic}.${ending}`)), env)

/** More names than one answer of the delta feed has. */
const namesCount = 10_500
const names = Array.from({ length: namesCount }, (_, n) => `n${n}.example`)

const createList = (source: string, entries: readonly string[]) =>
  ({ source, format: 'domains', text: `${entries.join('\n')}\n` }) as const

/** Returns the line that a program prints when its copy has exactly these names. */
function inSyncWith(entries: readonly string[]): string {
  const hash = new SetHash()
  for (const name of entries) hash.toggle(name)
  return `in sync: ${entries.length} domains, set_hash ${hash.hex}\n`
}

/** The server under test, and one with another history. */
let weir: WeirProcess
let other: WeirProcess
const otherNames = ['n0.example', 'elsewhere.example']

beforeAll(async () => {
  for (const { ending } of languages) {
    for (const topic of topics) {
      const name = `${topic}.${ending}`
      cpSync(join(samples, ending.endsWith('ts') ? `${name}.txt` : name), join(directory, name))
    }
  }
  mkdirSync(join(directory, 'node_modules'))
  symlinkSync(repository, join(directory, 'node_modules/weir'))
  if (Bun.which('go') !== null) {
    for (const topic of topics) await run(['go', 'build', `${topic}.go`])
  }
  // Eleven pages of the list: one is refused at first.
  const env = { WEIR_LIMIT_BLACKLIST: '10/1s', WEIR_LIMIT_BLACKLIST_CHANGES: 'off' }
  weir = await startWeir({ env, lists: [createList('list', names)] })
  other = await startWeir({ lists: [createList('list', otherNames)] })
}, patienceMs)

afterAll(async () => {
  await weir.stop()
  await other.stop()
  rmSync(directory, { recursive: true })
})

/** What the samples print for the self-test names; those with curl print the answers. */
const checked = `https://found.weir.test/login?a=1&b=2: found
  self_test: This name always answers found, for testing a client.
`
const checkedMany = `https://found.weir.test/login: found
https://shared.weir.test/: shared_infrastructure
suspicious.weir.test: suspicious
clean.weir.test: not_found
not a name: invalid
`

describe.each(languages)('the samples with $name', (language) => {
  const isShell = language.name === 'curl'
  const testSample = testWith(program(language.program), `the samples with ${language.name}:`)

  testSample(
    'check-url prints the verdict on a URL and its reasons',
    async () => {
      const out = await runSample(language, 'check-url', { WEIR: weir.url })
      if (!isShell) expect(out).toBe(checked)
      else expect(JSON.parse(out)).toMatchObject({ domain: 'found.weir.test', status: 'found' })
    },
    patienceMs,
  )

  testSample(
    'bulk prints the verdict on each item; an address in the argument has priority',
    async () => {
      const command = language.command(join(directory, `bulk.${language.ending}`))
      const out = await run([...command, weir.url], { WEIR: 'http://127.0.0.1:1' })
      if (!isShell) expect(out).toBe(checkedMany)
      else expect(JSON.parse(out)).toMatchObject({ total: 5, counts: { found: 1, invalid: 1 } })
    },
    patienceMs,
  )

  testSample(
    'blacklist prints the whole list, even if the limit is exhausted on the way',
    async () => {
      const out = await runSample(language, 'blacklist', { WEIR: weir.url })
      const printed = out.trimEnd().split('\n')
      // The names of other tests are among them.
      const ours = printed.filter((name) => /^n\d+\.example$/.test(name))
      expect(ours.toSorted()).toEqual(names.toSorted())
    },
    patienceMs,
  )

  if (isShell) return

  testSample(
    'changes syncs a copy: empty, outdated, damaged, and of another history',
    async () => {
      const copy = join(directory, `copy.${language.ending}`)
      const bring = (address: string): Promise<string> =>
        runSample(language, 'changes', { WEIR: address, WEIR_COPY: copy })
      const first = `first.${language.ending}.example`
      const second = `second.${language.ending}.example`

      await weir.import(createList('second', [first]))
      expect(await bring(weir.url)).toBe(inSyncWith([...names, first]))

      await weir.import(createList('second', [second]))
      expect(await bring(weir.url)).toBe(inSyncWith([...names, second]))

      const saved = await Bun.file(copy).text()
      await Bun.write(copy, saved.replaceAll('"n777.example"', '"n7.example"'))
      expect(await bring(weir.url)).toBe(inSyncWith([...names, second]))

      expect(await bring(other.url)).toBe(inSyncWith(otherNames))
    },
    patienceMs,
  )
})

describe('the samples', () => {
  testWith(program('curl'))(
    'changes with curl prints what was added and removed, call by call',
    async () => {
      const [language] = languages
      const env = { WEIR: weir.url, WEIR_COPY: join(directory, 'cursor') }
      const shown = async () => JSON.parse(await runSample(language, 'changes', env))

      await weir.import(createList('second', ['first.example']))
      expect(await shown()).toMatchObject({ more: true, set_hash: null })
      expect(await shown()).toMatchObject({ more: false, total: namesCount + 1 })

      await weir.import(createList('second', ['second.example']))
      expect(await shown()).toMatchObject({
        added: [{ domain: 'second.example' }],
        removed: [{ domain: 'first.example', reason: 'withdrawn' }],
      })
      expect(await shown()).toMatchObject({ added: [], removed: [] })
    },
    patienceMs,
  )

  test(
    'are type-correct as strict TypeScript',
    async () => {
      const files = topics.flatMap((topic) => [`${topic}.ts`, `${topic}.client.ts`])
      const modules = ['--module', 'preserve', '--moduleDetection', 'force', '--noEmit']
      const types = ['--types', 'bun-types', '--typeRoots', join(repository, 'node_modules')]
      const client = ['--allowImportingTsExtensions', '--skipLibCheck']
      const tsc = join(repository, 'node_modules/.bin/tsc')
      expect(await run([tsc, '--strict', ...modules, ...types, ...client, ...files])).toBe('')
    },
    patienceMs,
  )

  testWith(program('gofmt', 'golang-go'), 'the samples')(
    'are formatted as Go programs are',
    async () => {
      expect(await run(['gofmt', '-l', ...topics.map((topic) => `${topic}.go`)])).toBe('')
    },
  )
})
