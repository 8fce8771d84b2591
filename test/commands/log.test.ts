/** What weir logs: each kind of line, and what a server says from its start to its end. */

import { afterAll, describe, expect, test } from 'bun:test'
import { closeSync, constants, mkdtempSync, openSync, read, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Log } from '../../src/commands/log.ts'
import type { LogLevel } from '../../src/config.ts'
import type { ImportReport } from '../../src/ingest/importer.ts'
import { StoreError } from '../../src/store/store-error.ts'
import { version } from '../../src/version.ts'
import {
  checkPath,
  DataDir,
  eventually,
  parseRecord,
  Server,
  spawnServer,
  spawnServerAtTerminal,
} from './process.ts'
import { RawConnection } from './raw-connection.ts'

const readInto = promisify(read)

const directory = mkdtempSync(join(tmpdir(), 'weir-log-'))
afterAll(() => rmSync(directory, { recursive: true }))

const canary = 'canary7f3a'
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** Returns what `use` logs, line by line. */
async function logged(level: LogLevel, use: (log: Log) => void) {
  const path = join(directory, crypto.randomUUID())
  const fd = openSync(path, 'w')
  const log = new Log(level, fd)
  use(log)
  await log.flush()
  closeSync(fd)
  const lines = readFileSync(path, 'utf8').split('\n')
  expect(lines.pop()).toBe('')
  return lines.map(parseRecord)
}

const report: ImportReport = {
  source: 'list',
  format: 'domains',
  read: 10,
  added: 3,
  changed: 2,
  seenAgain: 1,
  delisted: 1,
  refused: {
    empty: { count: 2, lines: [1, 2] },
    not_public_host: { count: 1, lines: [3] },
  },
  heldBack: null,
  run: 1,
  seq: 4096,
}

/** A line of every kind. */
function everything(log: Log): void {
  log.started({ version: '1.2.3', address: 'http://a.example', data: '/data', indicators: 5 })
  log.noteAnswer('/lists/:name', 'GET', 200, 0.0012345)
  log.refreshed({ source: 'list', kind: 'imported', report })
  log.refreshed({ source: 'same', kind: 'unchanged' })
  log.refreshed({ source: 'small', kind: 'held_back', report, error: 'it shrank' })
  log.refreshed({ source: 'gone', kind: 'failed', error: 'no such host' })
  log.failed(new RangeError('no backup could be made'))
  log.answerFailed(new RangeError(canary), '/api/check-url')
  log.stopping()
  log.stopped()
  log.broken(new RangeError(canary))
}

describe('Log', () => {
  test('writes one line of JSON for each event, with its level and time', async () => {
    const error = { class: 'RangeError', stack: expect.any(Array) }
    const info = { level: 'info', time }
    const address = 'http://a.example'
    const refreshed = { read: 10, added: 3, changed: 2, delisted: 1, refused: 3 }
    const answered = { route: '/lists/:name', method: 'GET', status: 200, ms: 1.235 }
    const own = { ...error, message: 'no backup could be made' }
    expect(await logged('trace', everything)).toEqual([
      { ...info, version: '1.2.3', address, data: '/data', indicators: 5, msg: 'started' },
      { level: 'debug', time, ...answered, msg: 'answered' },
      { ...info, source: 'list', ...refreshed, msg: 'source refreshed' },
      { level: 'debug', time, source: 'same', msg: 'source unchanged' },
      { level: 'warn', time, source: 'small', problem: 'it shrank', msg: 'source held back' },
      { level: 'warn', time, source: 'gone', problem: 'no such host', msg: 'source failed' },
      { level: 'error', time, error: own, msg: 'failed' },
      { level: 'error', time, route: '/api/check-url', error, msg: 'answer failed' },
      { ...info, msg: 'stopping' },
      { ...info, msg: 'stopped' },
      { level: 'fatal', time, error, msg: 'broken' },
    ])
  })

  const levels: readonly (readonly [LogLevel, number])[] = [
    ['silent', 0],
    ['fatal', 1],
    ['error', 3],
    ['warn', 5],
    ['info', 9],
    ['debug', 11],
    ['trace', 11],
  ]

  test.each(levels)('at %s writes %d of them', async (level, count) => {
    expect(await logged(level, everything)).toHaveLength(count)
  })

  test('logs only the place of an error that occurred while answering', async () => {
    const errors = [
      new Error(canary),
      new TypeError('no', { cause: new Error(canary) }),
      Object.assign(new Error('no'), { name: canary, code: canary, input: canary }),
      canary,
      { canary },
      [canary],
    ]
    const lines = await logged('trace', (log) => {
      for (const error of errors) log.answerFailed(error, null)
      for (const error of errors) log.broken(error)
    })
    expect(lines).toHaveLength(2 * errors.length)
    expect(JSON.stringify(lines)).not.toContain(canary)
  })

  test('logs the messages of the store, which quote no request', async () => {
    const error = new StoreError('write', 'the disk is full', { hint: 'free some space' })
    const [line] = await logged('info', (log) => log.answerFailed(error, '/api/report-scam'))
    expect(line).toMatchObject({ error: { message: 'the disk is full; free some space' } })
  })

  test('names no method that a caller has made up', async () => {
    const lines = await logged('debug', (log) => {
      for (const method of ['HEAD', canary, 'get']) log.noteAnswer('other', method, 404, 0)
    })
    expect(lines.map(({ method }) => method)).toEqual(['HEAD', 'other', 'other'])
  })
})

describe('endWhenBroken', () => {
  const module = resolve(import.meta.dir, '../../src/commands/log.ts')
  const ways = [
    ['an exception', `setTimeout(() => { throw new Error('${canary}') }, 0)`],
    ['a rejection', `Promise.reject(new Error('${canary}'))`],
    ['a rejection of no error', `Promise.reject('${canary}')`],
  ] as const

  test.each(ways)('logs %s that is not caught, and ends the process', async (_way, source) => {
    const code = `import { endWhenBroken, Log } from '${module}'
      endWhenBroken(new Log('info'), 7)
      ${source}
      await Bun.sleep(60_000)`
    const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'pipe' })
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect({ code: await child.exited, err }).toEqual({ code: 7, err: '' })
    expect(parseRecord(out)).toMatchObject({ level: 'fatal', msg: 'broken' })
    expect(out).not.toContain(canary)
  })
})

/** Reads the one line that has the address, and no more. */
async function addressIn(fd: number): Promise<string> {
  const bytes = Buffer.alloc(4_096)
  const { bytesRead } = await readInto(fd, bytes, 0, bytes.length, null)
  return String(parseRecord(bytes.toString('utf8', 0, bytesRead))['address'])
}

describe('the log of weir serve', () => {
  test('begins with where it listens, and ends with its end', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir)
    expect(server.started).toEqual({
      level: 'info',
      time,
      version,
      address: server.url,
      data: dataDir.path,
      indicators: 0,
      msg: 'started',
    })
    await server.text(checkPath(`${canary}.example`))
    expect(await server.stop()).toEqual({ code: 0, err: '' })
    expect(server.logged().map(({ msg }) => msg)).toEqual(['started', 'stopping', 'stopped'])
  })

  test('logs every answer at debug, and none at info', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir, { WEIR_LOG: 'debug' })
    await server.text(checkPath(`${canary}.example`))
    await server.text(`/${canary}?${canary}`)
    const { code } = await server.stop()
    expect(code).toBe(0)
    const answers = server.logged().filter(({ msg }) => msg === 'answered')
    expect(answers).toEqual([
      expect.objectContaining({ route: '/api/check-url', method: 'GET', status: 200 }),
      expect.objectContaining({ route: 'other', method: 'GET', status: 404 }),
    ])
    expect(await server.said()).not.toContain(canary)
  })

  test('is words for a person at a terminal, who sees what to try', async () => {
    using dataDir = new DataDir()
    let text = ''
    const child = spawnServerAtTerminal(dataDir, {}, (said) => {
      text += said.replaceAll('\r\n', '\n')
    })
    await eventually('the announcement is printed', () => (text.includes('Ctrl-C') ? true : null))
    const address = /^weir \S+ listens on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(text)?.[1] ?? ''
    expect(text).toContain(`\n  holds  0 indicators\n  data   ${dataDir.path}\n`)
    const tries = [...text.matchAll(/curl '([^']+)'/g)].map(([, target]) => target ?? '')
    expect(tries).toHaveLength(2)
    for (const target of tries) {
      expect(target).toStartWith(`${address}/`)
      expect((await fetch(target)).status).toBe(200)
    }
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(text).not.toContain('"started"')
    await eventually('the end is logged', () => (text.includes('"stopped"') ? true : null))
    child.terminal?.close()
  })

  test('blocks nothing without a reader, not even the end', async () => {
    using dataDir = new DataDir()
    const pipe = dataDir.at('log')
    expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
    const fd = openSync(pipe, constants.O_RDWR)
    const child = spawnServer(dataDir, { WEIR_LOG: 'debug' }, fd)
    const url = await addressIn(fd)
    // More lines than the pipe and the queue in front of it take together.
    const request = 'GET /health HTTP/1.1\r\nHost: weir.test\r\n'
    const calls = `${`${request}\r\n`.repeat(499)}${request}Connection: close\r\n\r\n`
    const connections = await Promise.all(Array.from({ length: 40 }, () => RawConnection.open(url)))
    for (const connection of connections) connection.send(calls)
    for (const connection of connections) {
      expect((await connection.closed).split('{"status":"ok"}')).toHaveLength(501)
    }
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(await child.stderr.text()).toBe('')
    closeSync(fd)
  })
})
