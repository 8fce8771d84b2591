/**
 * A name server for tests: speaks the wire format over UDP and TCP on loopback, answers from a script
 * and records the questions.
 */

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket as Stream } from 'node:net'

/** How a question can fail. */
export type Fault = 'nxdomain' | 'servfail' | 'refused' | 'silence'

/** The records of a name; none of a type that is left out. */
export interface Addresses {
  readonly a?: readonly string[] | Fault
  readonly aaaa?: readonly string[] | Fault
  /** Mail servers, each as `10 mail.example`; `0 .` for a name that receives no mail (RFC 7505). */
  readonly mx?: readonly string[] | Fault
  readonly ns?: readonly string[] | Fault
  /** Over UDP the answer is truncated; over TCP it is complete, or there is none. */
  readonly overTcp?: 'answer' | 'silence'
}

/** One answer of a name. */
export type Scripted = Addresses | Fault

/** Answers by name; of several, each question of a type gets the next, and the last one repeats. */
export type Zone = Readonly<Record<string, Scripted | readonly Scripted[]>>

const headerBytes = 12
const answerFlags = 0x8180
const truncatedFlag = 0x0200
const classInternet = 1
/** How many ports are tried. */
const triesMax = 20
const nameAtHeaderEnd = 0xc000 | headerBytes

const typeNames: ReadonlyMap<number, 'a' | 'ns' | 'mx' | 'aaaa'> = new Map([
  [1, 'a'],
  [2, 'ns'],
  [15, 'mx'],
  [28, 'aaaa'],
])

const responseCodes = { servfail: 2, nxdomain: 3, refused: 5 } as const

/** Writes an IPv6 address as 16 bytes. */
function ipv6Bytes(text: string): Buffer {
  // The URL parser spells every address in hexadecimal groups.
  const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const first = head.split(':').filter(Boolean)
  const last = tail?.split(':').filter(Boolean) ?? []
  const groups = [...first, ...new Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').filter(Boolean)
  return Buffer.from(
    `${labels.map((label) => String.fromCharCode(label.length) + label).join('')}\0`,
    'latin1',
  )
}

function mailServerBytes(text: string): Buffer {
  const [preference = '', exchange = ''] = text.split(' ')
  const head = Buffer.alloc(2)
  head.writeUInt16BE(Number(preference))
  return Buffer.concat([head, nameBytes(exchange)])
}

const recordBytes = {
  a: (text: string) => Buffer.from(text.split('.').map(Number)),
  ns: nameBytes,
  mx: mailServerBytes,
  aaaa: ipv6Bytes,
} as const

interface Question {
  readonly name: string
  readonly type: number
  /** Where the question ends in its message. */
  readonly end: number
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = []
  let at = headerBytes
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = message.readUInt16BE(at + 1)
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 }
}

/** Formats a record with a time to live of zero, so that it is not cached. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(nameAtHeaderEnd, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(classInternet, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

/** A name server on a port of its own; stops at the end of the test. */
export class DnsServer implements AsyncDisposable {
  /** Every question in order, such as `a example.test`. */
  readonly asked: string[] = []
  readonly #socket: Socket
  readonly #server: Server
  readonly #streams = new Set<Stream>()
  readonly #script: ReadonlyMap<string, readonly Scripted[]>
  readonly #turns = new Map<string, number>()

  private constructor(socket: Socket, server: Server, zone: Zone) {
    this.#socket = socket
    this.#server = server
    this.#script = new Map(
      Object.entries(zone).map(([name, scripted]) => [name, [scripted].flat()]),
    )
    socket.on('message', (message, from) => this.#onMessage(message, from))
    server.on('connection', (stream) => this.#onConnection(stream))
  }

  /** Starts a server that answers for these names; others do not exist. */
  static async start(zone: Zone): Promise<DnsServer> {
    // A port that is free for UDP may be in use for TCP: then try another.
    for (let tries = 0; ; tries++) {
      const socket = createSocket('udp4')
      socket.bind(0, '127.0.0.1')
      await once(socket, 'listening')
      const server = createServer()
      try {
        const listening = once(server, 'listening')
        server.listen(socket.address().port, '127.0.0.1')
        await listening
        return new DnsServer(socket, server, zone)
      } catch (error) {
        socket.close()
        if (tries === triesMax) throw error
      }
    }
  }

  /** The address to give to a resolver. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stream of this.#streams) stream.destroy()
    this.#server.close()
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #onMessage(message: Buffer, from: RemoteInfo): void {
    const answer = this.#answer(message, 'udp')
    if (answer !== null) this.#socket.send(answer, from.port, from.address)
  }

  #onConnection(stream: Stream): void {
    this.#streams.add(stream)
    let received: Buffer = Buffer.alloc(0)
    stream.on('error', () => stream.destroy())
    stream.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE()) return
      const answer = this.#answer(received.subarray(2), 'tcp')
      received = Buffer.alloc(0)
      if (answer === null) return
      const length = Buffer.alloc(2)
      length.writeUInt16BE(answer.length)
      stream.write(Buffer.concat([length, answer]))
    })
  }

  #answer(message: Buffer, transport: 'udp' | 'tcp'): Buffer | null {
    const question = readQuestion(message)
    const type = typeNames.get(question.type)
    const over = transport === 'tcp' ? ' over tcp' : ''
    const asked = `${type ?? question.type} ${question.name}${over}`
    this.asked.push(asked)
    const turn = this.#turns.get(asked) ?? 0
    this.#turns.set(asked, turn + 1)
    const answers = this.#script.get(question.name) ?? []
    const scripted = answers[Math.min(turn, answers.length - 1)] ?? 'nxdomain'
    if (typeof scripted === 'string') {
      return scripted === 'silence' ? null : formatAnswer(message, question, scripted)
    }
    if (scripted.overTcp !== undefined && transport === 'udp') {
      return formatAnswer(message, question, [], truncatedFlag)
    }
    const answer = type === undefined ? [] : (scripted[type] ?? [])
    const isSilent = answer === 'silence' || scripted.overTcp === 'silence'
    return isSilent ? null : formatAnswer(message, question, answer)
  }
}

function formatAnswer(
  message: Buffer,
  { type, end }: Question,
  answer: readonly string[] | Exclude<Fault, 'silence'>,
  moreFlags = 0,
): Buffer {
  const code = typeof answer === 'string' ? responseCodes[answer] : 0
  const toBytes = recordBytes[typeNames.get(type) ?? 'a']
  const records =
    typeof answer === 'string' ? [] : answer.map((text) => record(type, toBytes(text)))
  const head = Buffer.alloc(headerBytes)
  message.copy(head, 0, 0, 2)
  head.writeUInt16BE(answerFlags | moreFlags | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, message.subarray(headerBytes, end), ...records])
}
