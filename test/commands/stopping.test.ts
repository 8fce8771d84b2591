/** What weir says while it stops: not to send more, and everything to those who have begun. */

import { describe, expect, test } from 'bun:test'
import { DataDir, eventually, Server } from './process.ts'
import { RawConnection } from './raw-connection.ts'

const body = JSON.stringify({ domains: Array(100).fill('found.weir.test') })
const bulkHead = [
  'POST /api/v1/check/bulk HTTP/1.1',
  'Host: weir.test',
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
].join('\r\n')

/** All of a request but the empty line that ends it: until that comes, it is under way. */
const readyHead = 'GET /ready HTTP/1.1\r\nHost: weir.test\r\n'

/** Resolves when the server takes no new connections: it has begun to end what is under way. */
function untilClosed(url: string): Promise<unknown> {
  return eventually('new connections are refused', () =>
    fetch(`${url}/health`, { keepalive: false }).then(
      () => null,
      () => true,
    ),
  )
}

describe('SIGTERM', () => {
  test('makes /ready say that weir is stopping, while what is under way is answered', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir)
    const slow = await RawConnection.open(server.url)
    slow.send(`${bulkHead}\r\n\r\n${body.slice(0, 50)}`)
    const asking = await RawConnection.open(server.url)
    asking.send(`${readyHead}\r\n`)
    await asking.heard('"status":"ready"')
    asking.send(readyHead)

    server.signal('SIGTERM')
    await server.heard('stopping')
    await untilClosed(server.url)
    asking.send('\r\n')
    const [ready = '', stopping = ''] = (await asking.closed).split(/(?=HTTP\/1\.1 503)/)
    expect(ready).toStartWith('HTTP/1.1 200 OK\r\n')
    expect(stopping).toStartWith('HTTP/1.1 503 Service Unavailable\r\n')
    expect(stopping).toContain('{"status":"stopping",')

    slow.send(body.slice(50))
    const answer = await slow.closed
    expect(answer).toStartWith('HTTP/1.1 200 OK\r\n')
    expect(answer).toContain('"total":100,"counts":{"found":100,')
    expect(await server.ended()).toEqual({ code: 0, err: '' })
    expect(server.logged().map(({ msg }) => msg)).toEqual(['started', 'stopping', 'stopped'])
  })
})
