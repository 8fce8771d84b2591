/** Asks one name server one question over UDP and tells how it answered; for tests on loopback. */

import { createSocket } from 'node:dgram'
import { once } from 'node:events'

const header = Buffer.from([0x57, 0x52, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
const typeAndClass = Buffer.from([0, 1, 0, 1])
const responseCodeMask = 15
const answerCountAt = 6

/** How a server answered: its response code, and how many records it sent. */
export interface DnsReply {
  readonly code: number
  readonly records: number
}

function questionFor(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`))
  return Buffer.concat([header, ...labels, Buffer.from([0]), typeAndClass])
}

/** Asks for the address of `name`; null when nothing comes back in time. */
export async function askAddress(
  port: number,
  name: string,
  waitMs: number,
): Promise<DnsReply | null> {
  const socket = createSocket('udp4')
  try {
    socket.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const reply = once(socket, 'message', { signal: AbortSignal.timeout(waitMs) })
    socket.send(questionFor(name))
    const [message]: Buffer[] = await reply
    if (message === undefined) return null
    return {
      code: (message[3] ?? 0) & responseCodeMask,
      records: message.readUInt16BE(answerCountAt),
    }
  } catch {
    // Nobody listens yet, or nobody answers.
    return null
  } finally {
    socket.close()
  }
}

/** Returns a UDP port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}
