/**
 * One request and one answer over HTTP/1.1, on a connection of its own.
 *
 * Resolves when the headers have arrived; the body stays in the connection until it is read.
 */

import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { headerBytesMax } from './connection.ts'
import { findErrorCode, OutboundError } from './outbound-error.ts'

/** A server that sends more interim answers (1xx) is stalling. */
const interimAnswersMax = 16

function toFailure(error: unknown, host: string): unknown {
  if (error instanceof OutboundError) return error
  const code = findErrorCode(error)
  if (code === 'HPE_HEADER_OVERFLOW') {
    const what = `the answer's headers are over ${headerBytesMax} bytes`
    return new OutboundError('bad_answer', host, what, error)
  }
  if (code.startsWith('HPE_')) {
    return new OutboundError('bad_answer', host, `the answer is not HTTP (${code})`, error)
  }
  return new OutboundError(
    'unreachable',
    host,
    `the connection ended without an answer (${code})`,
    error,
  )
}

/** Requests `path` and returns the answer; `host` is for messages. */
export async function exchange(
  socket: Socket,
  path: string,
  headers: Readonly<Record<string, string>>,
  host: string,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = httpRequest({
    createConnection: () => socket,
    path,
    headers,
    maxHeaderSize: headerBytesMax,
  })
  let answer: IncomingMessage | undefined
  let interim = 0
  request.on('information', () => {
    interim++
    if (interim <= interimAnswersMax) return
    request.destroy(new OutboundError('bad_answer', host, 'the server sends only interim answers'))
  })
  request.on('upgrade', (message) => resolve(message))
  request.on('response', (message) => {
    answer = message
    // An error before the first read of the body is thrown by that read.
    message.on('error', () => {})
    resolve(message)
  })
  request.on('error', (error) => {
    reject(error)
    // Otherwise a body that ends with its connection would seem complete.
    if (answer?.complete === false) answer.destroy(error)
  })
  request.on('close', () => reject(new Error('the connection was closed')))
  request.end()
  try {
    const message = await promise
    const { statusCode = 0 } = message
    if (statusCode >= 200) return message
    throw new OutboundError('bad_answer', host, `the answer has the status ${statusCode}`)
  } catch (error) {
    throw toFailure(error, host)
  }
}
