/**
 * A proxy on loopback: maps the names of its requests to ports of this machine, and records the requests.
 */

import { connect } from 'node:net'
import { type Answerer, RawServer, says } from './raw-server.ts'

/** The ports on 127.0.0.1 that names lead to. */
export type Destinations = Readonly<Record<string, number>>

const established = 'HTTP/1.1 200 Connection established\r\n\r\n'

/** Starts a proxy that knows these `host:port`, and refuses others with 403. */
export function startProxy(destinations: Destinations): Promise<RawServer> {
  const ports = new Map(Object.entries(destinations))
  const answer: Answerer = (socket, head) => {
    const [method = '', target = ''] = head.split(' ')
    const port = ports.get(method === 'CONNECT' ? target : (URL.parse(target)?.host ?? ''))
    if (port === undefined) {
      says('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')(socket, head)
      return
    }
    const upstream = connect(port, '127.0.0.1')
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
    // With nothing to pipe to, the socket would not even notice that its client has gone.
    upstream.on('close', () => socket.resume())
    if (method === 'CONNECT') socket.write(established)
    else upstream.write(head)
    socket.pipe(upstream).pipe(socket)
  }
  return RawServer.start(answer)
}
