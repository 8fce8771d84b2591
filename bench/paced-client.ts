/**
 * Asks check-url at a steady pace over kept connections and measures from the moment each call was
 * due, not from when it could be sent: a server that stalls is charged for everyone who waited
 * (no coordinated omission).
 *
 * A process of its own: `bun bench/paced-client.ts URL CALLS_A_SECOND SECONDS` prints the latencies
 * as JSON.
 */

import { nameAt } from './fixture.ts'

/** Latencies of one run in milliseconds. */
export interface Latencies {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly calls: number
}

const connectionCount = 16
const distinctNames = 2_000

interface Connection {
  readonly socket: Bun.Socket<undefined>
  /** When the calls under way on this connection were due, oldest first. */
  readonly due: number[]
}

const endOfHead = Buffer.from('\r\n\r\n')

/** Counts whole answers in what a connection receives. */
class AnswerCounter {
  #buffer: Buffer = Buffer.alloc(0)

  take(data: Buffer): number {
    this.#buffer = this.#buffer.length === 0 ? data : Buffer.concat([this.#buffer, data])
    let count = 0
    for (;;) {
      const headEnd = this.#buffer.indexOf(endOfHead)
      if (headEnd === -1) return count
      const head = this.#buffer.toString('latin1', 0, headEnd)
      if (!head.startsWith('HTTP/1.1 200')) throw new Error(`no verdict: ${head.slice(0, 60)}`)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
      const end = headEnd + endOfHead.length + length
      if (this.#buffer.length < end) return count
      this.#buffer = this.#buffer.subarray(end)
      count++
    }
  }
}

async function connect(url: URL, onAnswer: (dueAt: number) => void): Promise<Connection> {
  const due: number[] = []
  const counter = new AnswerCounter()
  const socket = await Bun.connect({
    hostname: url.hostname,
    port: Number(url.port),
    socket: {
      data: (_, data) => {
        for (let n = counter.take(Buffer.from(data)); n > 0; n--) onAnswer(due.shift() ?? 0)
      },
    },
  })
  socket.setNoDelay(true)
  return { socket, due }
}

const requestFor = (host: string, index: number): string => {
  // Half are listed; the rest only look like it.
  const name = index % 2 === 0 ? nameAt(index) : `clean-${nameAt(index)}`
  return `GET /api/check-url?url=https%3A%2F%2F${name}%2Flogin HTTP/1.1\r\nHost: ${host}\r\n\r\n`
}

async function measure(address: string, perSecond: number, seconds: number): Promise<Latencies> {
  const url = new URL(address)
  const calls = perSecond * seconds
  const latencies: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const onAnswer = (dueAt: number): void => {
    latencies.push(performance.now() - dueAt)
    if (latencies.length === calls) resolve()
  }
  const connections = await Promise.all(
    Array.from({ length: connectionCount }, () => connect(url, onAnswer)),
  )
  const startedAt = performance.now()
  for (let sent = 0; sent < calls; ) {
    // The first is due at once.
    const elapsedSeconds = (performance.now() - startedAt) / 1000
    const dueCount = Math.min(calls, Math.floor(elapsedSeconds * perSecond) + 1)
    for (; sent < dueCount; sent++) {
      const connection = connections[sent % connectionCount]
      connection?.due.push(startedAt + (sent / perSecond) * 1000)
      connection?.socket.write(requestFor(url.host, sent % distinctNames))
    }
    // Waits a turn of the loop: answers are taken meanwhile, and the pace is kept by the clock.
    await new Promise((next) => setTimeout(next, 0))
  }
  await promise
  for (const { socket } of connections) socket.end()
  latencies.sort((a, b) => a - b)
  const at = (part: number): number => latencies[Math.floor((latencies.length - 1) * part)] ?? 0
  return { p50: at(0.5), p99: at(0.99), max: at(1), calls }
}

if (import.meta.main) {
  const [address = '', perSecond = '', seconds = ''] = process.argv.slice(2)
  console.log(JSON.stringify(await measure(address, Number(perSecond), Number(seconds))))
}
