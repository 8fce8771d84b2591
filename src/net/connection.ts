/**
 * Opens connections: to an address that was judged before, through a proxy, and with TLS on top.
 *
 * Every socket ends with the signal it is opened under, which outlives these functions. Nothing here
 * looks up a name but a proxy's own.
 */

import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { findErrorCode, OutboundError } from './outbound-error.ts'
import type { Place, Target } from './target.ts'

/** A header block over this ends the request. */
export const headerBytesMax = 16 * 1024

/** Resolves when the socket has come to `event`; rejects with the error that ends it before. */
function reached(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(event, resolve)
  // Stays for the socket's life: whoever reads from it later learns of an error by himself.
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the connection was closed')))
  const end = (): void => void socket.destroy()
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return promise
}

/** Connects to the first of these places that takes the connection; who they are is for messages. */
export async function connectFirst(
  places: readonly Place[],
  host: string,
  whose: 'host' | 'proxy',
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown
  for (const { address, port } of places) {
    if (signal.aborted) break
    const socket = connectTcp({ host: address, port })
    try {
      await reached(socket, 'connect', signal)
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
 * Speaks TLS on a connection, with the target's host at its other end.
 *
 * The certificate is always checked, whatever the environment says of it; `ca` (PEM) takes the place
 * of the authorities this machine knows.
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
    // An address is no server name (RFC 6066), yet the certificate has to be valid for it.
    servername: isAddress ? '' : host,
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  })
  try {
    await reached(secured, 'secureConnect', signal)
    return secured
  } catch (error) {
    secured.destroy()
    throw new OutboundError('tls_failed', host, `TLS was refused (${findErrorCode(error)})`, error)
  }
}

/** Has a proxy connect to the target and resolves with the connection through it. */
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
    // In TLS the client speaks first: bytes before that are not from the host.
    if (statusCode === 200 && head.length === 0) return socket
    throw new OutboundError('proxy_refused', host, `the proxy answered ${statusCode}`)
  } catch (error) {
    if (error instanceof OutboundError) throw error
    const what = `the proxy does not connect (${findErrorCode(error)})`
    throw new OutboundError('proxy_refused', host, what, error)
  }
}
