import { describe, expect, test } from 'bun:test'
import { type Answerer, RawServer, says, saysForever } from '../net/raw-server.ts'
import { DataDir, type Environment, parseRecord, Server, weir } from './process.ts'

/** Runs the check with `--json` and returns its exit code and what it saw. */
async function seen(
  args: readonly string[],
  env: Environment = {},
): Promise<Record<string, unknown>> {
  using dataDir = new DataDir()
  const { code, out, err } = await weir(['healthcheck', '--json', ...args], { dataDir, env })
  expect(err).toBe('')
  return { code, ...parseRecord(out) }
}

const answering = (status: string, body: string): Answerer =>
  says(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)

describe('weir healthcheck', () => {
  test('reports the server of the settings, in one line', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir)
    const { port } = new URL(server.url)
    const { code, out } = await weir(['healthcheck'], { dataDir, env: { WEIR_PORT: port } })
    expect({ code, out }).toEqual({
      code: 0,
      out: `${server.url}/ready: 200, ready, 0 indicators\n`,
    })
    expect(await seen(['--live', '--url', server.url])).toEqual({
      code: 0,
      isHealthy: true,
      url: `${server.url}/health`,
      status: 200,
      state: 'ok',
      indicators: null,
      error: null,
    })
    await server.stop()
    const gone = await weir(['healthcheck'], { dataDir, env: { WEIR_PORT: port } })
    expect(gone.code).toBe(1)
    expect(gone.out).toMatch(/^\S+\/ready: .*cannot connect to the host \(ECONNREFUSED\).*\n$/)
  })

  const answers: readonly (readonly [
    name: string,
    Answerer,
    code: number,
    state: string | null,
  ])[] = [
    ['is ready', answering('200 OK', '{"status":"ready","indicators":5}'), 0, 'ready'],
    ['is degraded', answering('200 OK', '{"status":"degraded"}'), 0, 'degraded'],
    ['loads', answering('503 Unavailable', '{"status":"loading"}'), 1, 'loading'],
    ['stops', answering('503 Unavailable', '{"status":"stopping"}'), 1, 'stopping'],
    ['says it is ready with an error', answering('500 Oh', '{"status":"ready"}'), 1, 'ready'],
    ['is of another kind', answering('200 OK', '<h1>It works</h1>'), 1, null],
    ['has a state of its own', answering('200 OK', '{"status":"\\u001b[2J"}'), 1, null],
    ['answers null', answering('200 OK', 'null'), 1, null],
    ['says less than it announced', says('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'), 1, null],
    ['speaks no HTTP', says('220 mail.example ESMTP\r\n'), 1, null],
    ['says nothing and hangs up', says(), 1, null],
    ['says nothing and waits', () => {}, 1, null],
    ['sends headers without end', saysForever('HTTP/1.1 200 OK\r\n', 'x-more: yes\r\n'), 1, null],
    ['sends a body without end', saysForever('HTTP/1.1 200 OK\r\n\r\n', '[[[['), 1, null],
  ]

  test.each(answers)('judges a server that %s', async (_, answer, code, state) => {
    await using server = await RawServer.start(answer)
    const health = await seen(['--url', `http://127.0.0.1:${server.port}`, '--timeout', '2s'])
    expect(health).toMatchObject({ code, isHealthy: code === 0, state })
  })

  test('follows no redirect', async () => {
    await using target = await RawServer.start(answering('200 OK', '{"status":"ready"}'))
    const location = `location: http://127.0.0.1:${target.port}/ready`
    await using server = await RawServer.start(
      says(`HTTP/1.1 302 Found\r\n${location}\r\ncontent-length: 0\r\n\r\n`),
    )
    const health = await seen(['--url', `http://127.0.0.1:${server.port}`])
    expect(health).toMatchObject({ code: 1, status: 302 })
    expect(target.connections).toBe(0)
  })

  test('asks no proxy of the environment', async () => {
    await using server = await RawServer.start(answering('200 OK', '{"status":"ready"}'))
    await using proxy = await RawServer.start(answering('200 OK', '{"status":"ready"}'))
    const address = `http://127.0.0.1:${proxy.port}`
    const names = ['http_proxy', 'https_proxy', 'all_proxy']
    const proxies = names.flatMap((name) => [name, name.toUpperCase()])
    const env = Object.fromEntries(proxies.map((name) => [name, address]))
    const health = await seen(['--url', `http://127.0.0.1:${server.port}`], {
      ...env,
      NODE_USE_ENV_PROXY: '1',
    })
    expect(health).toMatchObject({ code: 0, isHealthy: true })
    expect([proxy.connections, server.connections]).toEqual([0, 1])
    expect(server.heads[0]).toStartWith('GET /ready HTTP/1.1\r\n')
  })

  test.each(['0.0.0.0', '::', '0', '127.0.0.1', 'localhost'])(
    'reaches a server whose WEIR_HOST is %s',
    async (host) => {
      await using server = await RawServer.start(answering('200 OK', '{"status":"ready"}'))
      const env = { WEIR_HOST: host, WEIR_PORT: String(server.port) }
      expect(await seen([], env)).toMatchObject({ code: 0 })
    },
  )

  const wrongCalls: readonly (readonly [readonly string[], Environment, hint: string])[] = [
    [['now'], {}, "'now'"],
    [['--url', 'https://127.0.0.1'], {}, 'write the server as http://host:port'],
    [['--url', 'http://127.0.0.1/ready'], {}, 'write the server as http://host:port'],
    [['--url', 'http://me@127.0.0.1'], {}, 'write the server as http://host:port'],
    [['--url', '127.0.0.1:8080'], {}, 'write the server as http://host:port'],
    [['--timeout', '5'], {}, '--timeout 5: write a duration up to 60s'],
    [['--timeout', '2m'], {}, '--timeout 2m: write a duration up to 60s'],
    [['--timeout', '0s'], {}, '--timeout 0s: write a duration up to 60s'],
    [[], { WEIR_PORT: '0' }, 'give it with --url'],
    [[], { WEIR_PORT: 'http' }, 'WEIR_PORT is "http"'],
  ]

  test.each(wrongCalls)('refuses %p with %p', async (args, env, hint) => {
    using dataDir = new DataDir()
    const { code, out, err } = await weir(['healthcheck', ...args], { dataDir, env })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toStartWith('weir: ')
    expect(err.split('\n')[0]).toContain(hint)
  })
})
