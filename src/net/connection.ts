/**
 * Opens connections: to an address that has passed the dial policy, through a proxy, and with TLS on top.
 *
 * Every socket is destroyed when the signal it was opened with aborts, which may be long after these
 * functions have returned. No name is looked up here but a proxy's own.
 */

import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { findErrorCode, OutboundError } from './outbound-error.ts'
import type { SocketAddress, Target } from './target.ts'

/** A longer header block ends the request. */
export const headerBytesMax = 16 * 1024

/** Resolves when the socket emits `event`; rejects with the error that ends it before. */
function waitFor(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(event, resolve)
  // Stays attached: a later reader of the socket gets its error from the socket.
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the connection was closed')))
  const end = (): void => void socket.destroy()
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return promise
}

/** Connects to the first of these places that accepts; `host` and `whose` are for messages. */
export async function connectFirst(
  places: readonly SocketAddress[],
  host: string,
  whose: 'host' | 'proxy',
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown
  for (const { address, port } of places) {
    if (signal.aborted) break
    const socket = connectTcp({ host: address, port })
    try {
      await waitFor(socket, 'connect', signal)
      return socket
    } catch (error) {
      failure = error
      socket.destroy()
    }
  }
  const what = `cannot connect to the ${whose} (${findErrorCode(failure)})`
  throw new OutboundError('unreachable', host, what, failure)
}

/**
 * Returns the connection with TLS to the target's host on top.
 *
 * The certificate is always checked, whatever the environment says; `ca` (PEM) replaces the authorities
 * that this machine trusts.
 */
export async function secure(
  socket: Socket,
  { host, isAddress }: Target,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const secured = connectTls({
    socket,
    host,
    // An address is not a server name (RFC 6066), yet the certificate has to be valid for it.
    servername: isAddress ? '' : host,
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  })
  try {
    await waitFor(secured, 'secureConnect', signal)
    return secured
  } catch (error) {
    secured.destroy()
    throw new OutboundError('tls_failed', host, `TLS was refused (${findErrorCode(error)})`, error)
  }
}

/** Makes a proxy connect to the target and returns the connection through it. */
export async function tunnel(proxy: Socket, { host, endpoint }: Target): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<[IncomingMessage, Socket, Buffer]>()
  const request = httpRequest({
    createConnection: () => proxy,
    method: 'CONNECT',
    path: endpoint,
    headers: { host: endpoint },
    maxHeaderSize: headerBytesMax,
  })
  request.on('connect', (answer, socket, head) => resolve([answer, socket, head]))
  request.on('error', reject)
  request.on('close', () => reject(new Error('the connection was closed')))
  request.end()
  try {
    const [{ statusCode }, socket, head] = await promise
    // In TLS the client sends first: earlier bytes do not come from the host.
    if (statusCode === 200 && head.length === 0) return socket
    throw new OutboundError('proxy_refused', host, `the proxy answered ${statusCode}`)
  } catch (error) {
    if (error instanceof OutboundError) throw error
    const what = `the proxy does not connect (${findErrorCode(error)})`
    throw new OutboundError('proxy_refused', host, what, error)
  }
}
