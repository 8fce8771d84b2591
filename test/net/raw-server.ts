/**
 * A server on loopback that answers with the bytes that a test gives, over TCP or TLS, and counts its
 * connections.
 */

import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Credentials } from './certificates.ts'

/** Answers one request, given its head. */
export type Answerer = (socket: Socket, head: string) => void

/** A longer head is a mistake of the test. */
const headBytesMax = 64 * 1024

/** Returns an answerer that sends this and closes the connection. */
export function says(...parts: readonly (string | Uint8Array)[]): Answerer {
  return (socket) => socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))))
}

/** Returns an answerer that sends `head` and then `chunk` as long as the client reads. */
export function saysForever(head: string, chunk: string | Uint8Array): Answerer {
  return (socket) => {
    const pump = (): void => {
      while (socket.writable && socket.write(chunk));
    }
    socket.on('drain', pump)
    socket.write(head)
    pump()
  }
}

/** A server on a port of its own; ends at the end of the test, and every connection with it. */
export class RawServer implements AsyncDisposable {
  /** Connections that were opened, with or without a request. */
  connections = 0
  /** The heads of all requests, in order. */
  readonly heads: string[] = []
  /** Bytes sent on connections that are closed. */
  bytesSent = 0
  readonly #server: Server
  readonly #open = new Map<Socket, Promise<void>>()

  private constructor(server: Server) {
    this.#server = server
  }

  /** Starts a server; with credentials it speaks TLS. */
  static async start(answer: Answerer, credentials?: Credentials): Promise<RawServer> {
    const server = credentials === undefined ? createServer() : createTlsServer(credentials)
    const started = new RawServer(server)
    server.on('connection', (socket: Socket) => started.#onConnection(socket))
    server.on(credentials === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
      started.#onReady(socket, answer),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return started
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Resolves when no connection is open. */
  async idle(): Promise<void> {
    await Promise.all(this.#open.values())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open.keys()) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #onConnection(socket: Socket): void {
    this.connections++
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#open.set(socket, promise)
    socket.on('close', () => {
      this.#open.delete(socket)
      this.bytesSent += socket.bytesWritten
      resolve()
    })
    // These tests are about clients that disconnect early.
    socket.on('error', () => {})
  }

  #onReady(socket: Socket, answer: Answerer): void {
    socket.on('error', () => {})
    let head = ''
    const onData = (bytes: Buffer): void => {
      head += bytes.toString('latin1')
      if (head.length > headBytesMax) throw new Error('the request has no end')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', onData)
      this.heads.push(head)
      answer(socket, head)
    }
    socket.on('data', onData)
  }
}
