/**
 * One question and one answer over HTTP/1.1, on a connection that serves for nothing else.
 *
 * Resolves when the headers are there; the body stays in the connection until it is read.
 */

import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { headerBytesMax } from './connection.ts'
import { findErrorCode, OutboundError } from './outbound-error.ts'

/** Interim answers (1xx) over this are a server that plays for time. */
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
  return new OutboundError('unreachable', host, `the connection ended unanswered (${code})`, error)
}

/** Asks for `path` and resolves with the answer; `host` is for messages. */
export async function exchange(
  socket: Socket,
  path: string,
  headers: Readonly<Record<string, string>>,
  host: string,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const question = httpRequest({
    createConnection: () => socket,
    path,
    headers,
    maxHeaderSize: headerBytesMax,
  })
  let answer: IncomingMessage | undefined
  let interim = 0
  question.on('information', () => {
    interim++
    if (interim <= interimAnswersMax) return
    question.destroy(new OutboundError('bad_answer', host, 'there are only interim answers'))
  })
  question.on('upgrade', (message) => resolve(message))
  question.on('response', (message) => {
    answer = message
    // What ends the body before its first read is met again by that read.
    message.on('error', () => {})
    resolve(message)
  })
  question.on('error', (error) => {
    reject(error)
    // A body that lasts until the connection closes would else end as if it were whole.
    if (answer?.complete === false) answer.destroy(error)
  })
  question.on('close', () => reject(new Error('the connection was closed')))
  question.end()
  try {
    const message = await promise
    const { statusCode = 0 } = message
    if (statusCode >= 200) return message
    throw new OutboundError('bad_answer', host, `the answer has the status ${statusCode}`)
  } catch (error) {
    throw toFailure(error, host)
  }
}
