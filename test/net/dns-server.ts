/**
 * A name server for tests: speaks the wire format over UDP on loopback, answers from a script and
 * remembers what it was asked.
 */

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'

/** How a question can fail. */
export type Fault = 'nxdomain' | 'servfail' | 'refused' | 'silence'

/** What a name has; a family that is left out has no addresses. */
export interface Addresses {
  readonly a?: readonly string[] | Fault
  readonly aaaa?: readonly string[] | Fault
}

/** One answer of a name. */
export type Scripted = Addresses | Fault

/** Answers by name; of several, each question of a type takes the next, and the last one stays. */
export type Zone = Readonly<Record<string, Scripted | readonly Scripted[]>>

const headerBytes = 12
const answerFlags = 0x8180
const classInternet = 1
const nameAtHeaderEnd = 0xc000 | headerBytes

const typeNames: ReadonlyMap<number, 'a' | 'aaaa'> = new Map([
  [1, 'a'],
  [28, 'aaaa'],
])

const responseCodes = { servfail: 2, nxdomain: 3, refused: 5 } as const

/** Writes an IPv6 address as 16 bytes. */
function ipv6Bytes(text: string): Buffer {
  // The URL parser writes every spelling in hexadecimal groups.
  const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const first = head.split(':').filter(Boolean)
  const last = tail?.split(':').filter(Boolean) ?? []
  const groups = [...first, ...new Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

const addressBytes = {
  a: (text: string) => Buffer.from(text.split('.').map(Number)),
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

/** Writes a record that lives for no second, so that nobody keeps it. */
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
  readonly #script: ReadonlyMap<string, readonly Scripted[]>
  readonly #turns = new Map<string, number>()

  private constructor(socket: Socket, zone: Zone) {
    this.#socket = socket
    this.#script = new Map(
      Object.entries(zone).map(([name, scripted]) => [name, [scripted].flat()]),
    )
    socket.on('message', (message, from) => this.#onMessage(message, from))
  }

  /** Starts a server that answers for these names; others do not exist. */
  static async start(zone: Zone): Promise<DnsServer> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new DnsServer(socket, zone)
  }

  /** Where it listens, as a resolver takes it. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #onMessage(message: Buffer, from: RemoteInfo): void {
    const question = readQuestion(message)
    const asked = `${typeNames.get(question.type) ?? question.type} ${question.name}`
    this.asked.push(asked)
    const turn = this.#turns.get(asked) ?? 0
    this.#turns.set(asked, turn + 1)
    const answers = this.#script.get(question.name) ?? []
    const scripted = answers[Math.min(turn, answers.length - 1)] ?? 'nxdomain'
    const family = typeNames.get(question.type)
    const addresses = family === undefined || typeof scripted === 'string' ? [] : scripted[family]
    const answer = typeof scripted === 'string' ? scripted : (addresses ?? [])
    if (answer === 'silence') return
    this.#socket.send(answerTo(message, question, answer), from.port, from.address)
  }
}

function answerTo(
  message: Buffer,
  { type, end }: Question,
  answer: readonly string[] | Exclude<Fault, 'silence'>,
): Buffer {
  const code = typeof answer === 'string' ? responseCodes[answer] : 0
  const toBytes = addressBytes[typeNames.get(type) ?? 'a']
  const records =
    typeof answer === 'string' ? [] : answer.map((text) => record(type, toBytes(text)))
  const head = Buffer.alloc(headerBytes)
  message.copy(head, 0, 0, 2)
  head.writeUInt16BE(answerFlags | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  return Buffer.concat([head, message.subarray(headerBytes, end), ...records])
}
