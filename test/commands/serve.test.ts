/** `weir serve`: how it starts, lets other processes write, and stops. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import {
  checkPath,
  DataDir,
  eventually,
  importList,
  manyNames,
  Server,
  serveToEnd,
  spawnWeir,
} from './process.ts'
import { RawConnection } from './raw-connection.ts'

describe('a first start', () => {
  const dataDir = new DataDir()
  let server: Server

  beforeAll(async () => {
    server = await Server.start(dataDir, { WEIR_STARTER: 'on' })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    dataDir[Symbol.dispose]()
  })

  test('reads the embedded list and lists most of it', async () => {
    const read = dataDir.rows<{ read: number; seen: number }>('SELECT read, seen FROM run')
    expect(read).toEqual([{ read: 13_752, seen: expect.any(Number) }])
    expect(read[0]?.seen).toBeGreaterThan(13_000)
    expect(await server.json('/ready')).toMatchObject({
      status: 'ready',
      sources: [{ name: 'eth-phishing-detect' }, { name: 'shared-infrastructure' }],
    })
  })

  test('says where it listens, what it holds and where its data lies', async () => {
    const { indicators } = await server.json('/ready')
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(server.started).toMatchObject({ level: 'info', indicators, data: dataDir.path })
  })

  test('is the only one on its data: a second one names it, and it goes on', async () => {
    const { code, out, err } = await serveToEnd(dataDir)
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(err).toContain(`a server (process ${server.pid}) already serves ${dataDir.path}`)
    expect(err).toContain('stop it, choose another WEIR_DATA')
    expect(await server.json('/health')).toEqual({ status: 'ok' })
  })

  test('is stopped by SIGTERM and leaves the database and the views alone behind', async () => {
    expect(await server.stop()).toEqual({ code: 0, err: '' })
    expect(readdirSync(dataDir.path).toSorted()).toEqual([
      'instance.key',
      'views.snapshot',
      'weir.db',
    ])
  })

  test('is followed by starts that read nothing again', async () => {
    await using second = await Server.start(dataDir, { WEIR_STARTER: 'on' })
    expect(second.started['indicators']).toBe(server.started['indicators'])
    expect(dataDir.rows('SELECT id FROM run')).toHaveLength(1)
  })
})

describe('a start', () => {
  test('that is stopped before it is through leaves no lock, and the next one is complete', async () => {
    using dataDir = new DataDir()
    const env = { WEIR_PORT: '0' }
    const child = spawnWeir(['serve'], { dataDir, env })
    const locked = async () => ((await Bun.file(dataDir.at('serve.lock')).exists()) ? true : null)
    await eventually('the start is under way', locked)
    child.kill('SIGTERM')
    const [code, err] = await Promise.all([child.exited, child.stderr.text()])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(await Bun.file(dataDir.at('serve.lock')).exists()).toBe(false)
    await using server = await Server.start(dataDir, { WEIR_STARTER: 'on' })
    expect(Number((await server.json('/ready'))['indicators'])).toBeGreaterThan(13_000)
  })

  test('reports unknown settings, and starts all the same', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir, { WEIR_PROT: '80' })
    const err = 'unknown setting WEIR_PROT, ignored; did you mean WEIR_PORT?\n'
    expect(await server.stop()).toEqual({ code: 0, err })
  })
})

describe('an import while a server runs', () => {
  test('is answered from, and disturbs no request', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir)
    expect(await server.json('/ready')).toMatchObject({ status: 'ready', indicators: 0, seq: 0 })
    const importing = { isOver: false }
    const path = await dataDir.file('feed.txt', manyNames(10_000))
    const imported = importList([path], { dataDir }).finally(() => {
      importing.isOver = true
    })
    const statuses = new Set<unknown>()
    while (!importing.isOver)
      statuses.add((await server.json(checkPath('clean.example')))['status'])
    expect([...statuses]).toEqual(['not_found'])
    const { seq } = await imported
    const follows = async () => {
      const { status } = await server.json(checkPath('login.n9999.example'))
      return status === 'found' ? true : null
    }
    await eventually('the last name is found', follows)
    expect(await server.json('/ready')).toMatchObject({ seq, indicators: 10_000 })
    const list = await server.json('/api/v1/blacklist?limit=1')
    expect(list).toMatchObject({ total: 10_000, count: 1 })
  })

  test('that delists is followed as well', async () => {
    using dataDir = new DataDir()
    await importList(['-', '--source', 'feed'], { dataDir, input: 'a.example\nb.example\n' })
    await using server = await Server.start(dataDir)
    await importList(['-', '--source', 'feed'], { dataDir, input: 'a.example\n' })
    const follows = async () => {
      const { status } = await server.json(checkPath('b.example'))
      return status === 'not_found' ? true : null
    }
    await eventually('the delisted name is not found', follows)
    expect(await server.json(checkPath('a.example'))).toMatchObject({ status: 'found' })
    expect(await server.text('/api/v1/blacklist?format=txt')).toBe('a.example\n')
  })
})

describe('SIGTERM', () => {
  const request = `GET ${checkPath('found.weir.test')} HTTP/1.1\r\nHost: weir.test\r\n\r\n`

  test('lets every request be answered that was sent before it', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir)
    const connections = await Promise.all(
      Array.from({ length: 64 }, () => RawConnection.open(server.url)),
    )
    // An answer first: the connection is accepted, and all that follows is on it.
    for (const connection of connections) connection.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
    await Promise.all(connections.map((connection) => connection.heard('"ok"')))
    for (const connection of connections) connection.send(request.repeat(5))
    server.signal('SIGTERM')
    const heard = await Promise.all(connections.map((connection) => connection.closed))
    expect(heard.map((text) => text.split('"status":"found"').length - 1)).toEqual(
      Array(64).fill(5),
    )
    expect(await server.ended()).toEqual({ code: 0, err: '' })
    expect(readdirSync(dataDir.path).toSorted()).toEqual([
      'instance.key',
      'views.snapshot',
      'weir.db',
    ])
  })

  test('under load gives every client a whole answer or a refused connection', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir)
    let answered = 0
    const client = async (): Promise<string> => {
      for (;;) {
        try {
          const { status } = await server.json(checkPath('found.weir.test'))
          if (status !== 'found') return `answered ${status}`
          answered++
          if (answered === 300) server.signal('SIGTERM')
        } catch (error) {
          return error instanceof Error && 'code' in error ? String(error.code) : String(error)
        }
      }
    }
    const ends = await Promise.all(Array.from({ length: 16 }, client))
    expect(new Set(ends)).toEqual(new Set(['ECONNREFUSED']))
    expect(answered).toBeGreaterThanOrEqual(300)
    expect(await server.ended()).toEqual({ code: 0, err: '' })
  })

  test('waits for a body that is still under way', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir)
    const body = JSON.stringify({ domains: Array(500).fill('found.weir.test') })
    const head = [
      'POST /api/v1/check/bulk HTTP/1.1',
      'Host: weir.test',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    const connection = await RawConnection.open(server.url)
    connection.send(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 100)}`)
    server.signal('SIGTERM')
    await eventually('new connections are refused', () =>
      fetch(`${server.url}/health`, { keepalive: false }).then(
        () => null,
        () => true,
      ),
    )
    connection.send(body.slice(100))
    const answer = await connection.closed
    expect(answer).toStartWith('HTTP/1.1 200 OK\r\n')
    expect(answer).toContain('"total":500,"counts":{"found":500,')
    expect(await server.ended()).toEqual({ code: 0, err: '' })
  })
})
