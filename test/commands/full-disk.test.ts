/**
 * A disk that is full (safety, §4 and §7 line 60): an import stops and says so, what is known is
 * answered, and with room again everything goes on. Needs a small file system of its own, which Linux
 * gives to anybody in most places.
 */

import { expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { describeWith } from '../needs.ts'
import { checkPath, DataDir, eventually, lines, manyNames, parseRecord } from './process.ts'

/** Machines are shared. */
setDefaultTimeout(60_000)

const weir = process.env['WEIR_COMMAND'] ?? `${process.execPath} src/main.ts`
const shell = ['unshare', '--user', '--map-root-user', '--mount', 'sh']

function canMount(): boolean {
  using directory = new DataDir()
  if (Bun.which('unshare') === null) return false
  const script = 'mount -t tmpfs none "$0"'
  return Bun.spawnSync([...shell, '-c', script, directory.path], { stderr: 'ignore' }).success
}

/** A shell that alone sees a small file system in the data directory. */
class SmallDisk implements AsyncDisposable {
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'ignore'>
  readonly #heard: Promise<void>
  #said = ''

  constructor(dataDir: DataDir) {
    const { PATH, HOME, TMPDIR } = process.env
    const settings = { WEIR_PORT: '0', WEIR_STARTER: 'off', WEIR_FETCH: 'off' }
    this.#child = Bun.spawn(shell, {
      env: { PATH, HOME, TMPDIR, WEIR_DATA: dataDir.path, WEIR_BACKUP_EVERY: 'off', ...settings },
      cwd: resolve(import.meta.dir, '../..'),
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
    this.#heard = this.#listen(this.#child.stdout)
  }

  /** Runs a line of the shell and resolves with what is said until `pattern` is. */
  async run(line: string, pattern: RegExp): Promise<string> {
    this.#said = ''
    await this.#child.stdin.write(`${line}\n`)
    await this.#child.stdin.flush()
    return eventually(line, () => (pattern.test(this.#said) ? this.#said : null))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run('kill $!; wait $!; echo ended $?', /ended 0/)
    await this.#child.stdin.end()
    await Promise.all([this.#child.exited, this.#heard])
  }

  async #listen(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const chunk of stream) this.#said += new TextDecoder().decode(chunk)
  }
}

describeWith({ what: 'the right to mount a file system', isMet: canMount() })('a full disk', () => {
  test('ends an import, no look-up, and nothing that follows', async () => {
    using dataDir = new DataDir()
    using lists = new DataDir()
    const first = await lists.file('first.txt', lines('good.example'))
    const many = await lists.file('many.txt', manyNames(3_000))
    await using disk = new SmallDisk(dataDir)
    await disk.run('exec 2>&1; echo ended $?', /ended 0/)
    const end = /ended \d+/
    await disk.run('mount -t tmpfs -o size=1m none "$WEIR_DATA"; echo ended $?', /ended 0/)
    await disk.run(`${weir} import ${first}; echo ended $?`, /ended 0/)
    const started = await disk.run(`${weir} serve &`, /"msg":"started"/)
    const url = /"address":"([^"]+)"/.exec(started)?.[1] ?? ''
    const ask = async (path: string) => parseRecord(await (await fetch(url + path)).text())

    const full = await disk.run(`${weir} import ${many} --format domains; echo ended $?`, end)
    expect(full).toContain('the disk is full; free some space')
    expect(full).toEndWith('ended 3\n')
    expect(await ask(checkPath('good.example'))).toMatchObject({ status: 'found' })
    expect(await ask(checkPath('clean.example'))).toMatchObject({ status: 'not_found' })
    expect(await ask('/ready')).toMatchObject({ status: 'ready' })
    const { total } = await ask('/api/v1/blacklist?limit=1')
    expect(total).toBeLessThan(3_001)

    await disk.run('mount -o remount,size=64m "$WEIR_DATA"; echo ended $?', /ended 0/)
    await disk.run(`${weir} import ${many} --format domains; echo ended $?`, /ended 0/)
    await eventually('the server has followed', async () =>
      (await ask('/api/v1/blacklist?limit=1'))['total'] === 3_001 ? true : null,
    )
  })
})
