/** Starts of `weir serve` that cannot be: what is in the way is named, and left as it is. */

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
  DataDir,
  type Environment,
  importList,
  manyNames,
  Server,
  serveToEnd,
  weir,
} from './process.ts'

/** Runs `weir serve` and returns the one line it said, with the exit code. */
async function refusal(dataDir: DataDir, env: Environment = {}) {
  const { code, out, err } = await serveToEnd(dataDir, env)
  expect(out).toBe('')
  expect(err.trimEnd().split('\n')).toHaveLength(1)
  return { code, err }
}

describe('a start that cannot be', () => {
  test('for a port that is taken says so in one line and leaves no lock', async () => {
    using dataDir = new DataDir()
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') })
    const { code, err } = await refusal(dataDir, { WEIR_PORT: String(other.port) })
    expect(code).toBe(2)
    expect(err).toStartWith(`weir: WEIR_HOST and WEIR_PORT are "127.0.0.1" and "${other.port}"`)
    expect(err).toContain('EADDRINUSE')
    expect(await Bun.file(dataDir.at('serve.lock')).exists()).toBe(false)
  })

  test("for an address that is not this machine's says so in one line", async () => {
    using dataDir = new DataDir()
    const { code, err } = await refusal(dataDir, { WEIR_HOST: '203.0.113.1' })
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('"203.0.113.1"') })
  })

  /** Fails unless every command that needs the database ends with 3 and says `why`. */
  async function refuseAll(dataDir: DataDir, why: string): Promise<void> {
    const path = dataDir.at('weir.db')
    const before = await digestOf(path)
    const list = ['import', 'README.md', '--format', 'domains']
    const ends = await Promise.all([
      serveToEnd(dataDir),
      weir(['check', 'a.example'], { dataDir }),
      weir(list, { dataDir }),
    ])
    for (const { code, out, err } of ends) {
      expect({ code, out }).toEqual({ code: 3, out: '' })
      expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(why)])
    }
    expect(await digestOf(path)).toBe(before)
    expect(await Bun.file(dataDir.at('serve.lock')).exists()).toBe(false)
  }

  test('for a file that is no database ends with 3, and the file is untouched', async () => {
    using dataDir = new DataDir()
    await dataDir.file('weir.db', 'weir'.repeat(10_000))
    await refuseAll(dataDir, 'is damaged or no database')
  })

  test('for a database cut short ends with 3, and the file is untouched', async () => {
    using dataDir = new DataDir()
    await importList(['-'], { dataDir, input: manyNames(3_000) })
    const whole = await Bun.file(dataDir.at('weir.db')).bytes()
    await dataDir.file('weir.db', whole.slice(0, whole.length / 2))
    await refuseAll(dataDir, 'is damaged or no database')
  })

  test('for a database of a newer weir ends with 3, and the file is untouched', async () => {
    using dataDir = new DataDir()
    await importList(['-'], { dataDir, input: manyNames(3) })
    sqlite(dataDir, 'PRAGMA user_version = 99')
    await refuseAll(dataDir, 'was written by a newer version of weir')
  })

  test("for somebody else's database ends with 3, and the file is untouched", async () => {
    using dataDir = new DataDir()
    sqlite(dataDir, 'PRAGMA journal_mode = WAL', 'CREATE TABLE x (y)')
    await refuseAll(dataDir, "is a database, but not one of weir's")
  })

  test("leaves somebody else's database untouched in its own journal mode", async () => {
    using dataDir = new DataDir()
    sqlite(dataDir, 'CREATE TABLE x (y)')
    await refuseAll(dataDir, "is a database, but not one of weir's")
  })

  test('for damaged pages ends with 3 however often it is tried', async () => {
    using dataDir = new DataDir()
    await importList(['-'], { dataDir, input: manyNames(3_000) })
    const damaged = await damagePages(dataDir)
    for (const _ of ['first', 'second', 'third']) expect((await refusal(dataDir)).code).toBe(3)
    expect(await digestOf(dataDir.at('weir.db'))).toBe(damaged)
  })

  test('damaged pages stop `weir check` with 3 as well', async () => {
    using dataDir = new DataDir()
    await importList(['-'], { dataDir, input: manyNames(3_000) })
    await damagePages(dataDir)
    const { code, out, err } = await weir(['check', 'n5.example'], { dataDir })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  test('for a data directory that is a file says so in one line', async () => {
    using dataDir = new DataDir()
    const path = await dataDir.file('file', '')
    const { code, err } = await refusal(dataDir, { WEIR_DATA: path })
    expect(code).toBe(3)
    expect(err).toContain(path)
  })

  test('for pages damaged in an unclean stop ends with 3 however often it is tried', async () => {
    using dataDir = new DataDir()
    await importList(['-'], { dataDir, input: manyNames(3_000) })
    const server = await Server.start(dataDir)
    await server.stop()
    await damagePages(dataDir)
    await dataDir.file('serve.lock', '999999999\n')
    for (const _ of ['first', 'second']) {
      // With the views' snapshot it could start, and must not.
      const outcome = await Server.start(dataDir).then(
        (started) => started.stop(),
        (error) => String(error),
      )
      expect(outcome).toEqual(expect.stringContaining('is damaged or no database'))
    }
  })
})

/** Overwrites the middle of a database and returns its digest. */
async function damagePages(dataDir: DataDir): Promise<string> {
  const path = dataDir.at('weir.db')
  const bytes = await Bun.file(path).bytes()
  bytes.fill(0xa5, bytes.length / 4, (bytes.length * 3) / 4)
  await Bun.write(path, bytes)
  return digestOf(path)
}

const digestOf = async (path: string): Promise<string> =>
  Bun.SHA256.hash(await Bun.file(path).bytes(), 'hex')

/** Does something to the file `weir.db` that weir would not do. */
function sqlite(dataDir: DataDir, ...statements: readonly string[]): void {
  const database = new Database(dataDir.at('weir.db'), { create: true })
  for (const statement of statements) database.run(statement)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close(true)
}
