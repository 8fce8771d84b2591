/**
 * The rough part of a soak: clients that read slowly or not at all, hang up in the middle, and send
 * bodies without end. What they get is not measured; that the server outlives them is.
 *
 * A process of its own, so that it is not in the way of what is measured: `bun bench/soak-rough.ts URL
 * SECONDS` prints what it has done as JSON.
 */

import { connect, type Socket } from 'node:net'
import { Complaints } from './soak-figures.ts'

/** A rough client is gone after this, however it fares. */
const clientMsMax = 15_000

/** Between sending the beginning of a body and hanging up. */
const breakOffMs = 100

/** A slow reader takes so much, so often: 8 KB a second, which a server may cut. */
const sipBytes = 2_048
const sipEveryMs = 250

const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
/** More than weir takes, in chunks, so that no header announces it. */
const chunksMax = 2_000

const bulkPath = '/api/v1/check/bulk'
const large = [
  '/lists/domains.hosts',
  '/api/v1/blacklist?limit=1000',
  '/lists/domains.rpz',
] as const

interface Rough {
  readonly name: string
  /** So many are at work at once. */
  readonly atOnce: number
  /** From the end of one to the next. */
  readonly pauseMs: number
  /** Plays its part on an open connection; resolves when it has had enough. */
  play(socket: Socket, request: (line: string, headers?: string) => string): Promise<void>
}

const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

/**
 * Resolves when the connection ends, and rejects when the server has taken what was sent. It may be
 * cut off without a word: an answer does not reach who is still sending.
 */
async function refused(socket: Socket): Promise<void> {
  let said = ''
  socket.on('data', (bytes) => {
    said += bytes.toString('latin1')
    if (said.includes('\r\n\r\n')) socket.destroy()
  })
  await ended(socket)
  if (said === '' || /^HTTP\/1\.1 (?:413|503) /.test(said)) return
  throw new Error(`it is answered ${JSON.stringify(said.slice(0, 40))}, not 413`)
}

const parts: readonly Rough[] = [
  {
    name: 'a slow reader',
    atOnce: 2,
    pauseMs: 500,
    play: async (socket, request) => {
      socket.pause()
      socket.write(request(`GET ${large[0]} HTTP/1.1`))
      const sips = setInterval(() => socket.read(sipBytes), sipEveryMs)
      await Promise.race([ended(socket), Bun.sleep(clientMsMax)])
      clearInterval(sips)
    },
  },
  {
    name: 'one who reads nothing',
    atOnce: 2,
    pauseMs: 500,
    play: async (socket, request) => {
      socket.pause()
      for (const path of large) socket.write(request(`GET ${path} HTTP/1.1`))
      await Promise.race([ended(socket), Bun.sleep(clientMsMax)])
    },
  },
  {
    name: 'one who hangs up at the first bytes',
    atOnce: 1,
    pauseMs: 500,
    play: async (socket, request) => {
      socket.once('data', () => socket.resetAndDestroy())
      socket.write(request(`GET ${large[1]} HTTP/1.1`))
      await ended(socket)
    },
  },
  {
    name: 'one who hangs up before he has asked',
    atOnce: 1,
    pauseMs: 500,
    play: async (socket, request) => {
      socket.write(request(`GET ${large[1]} HTTP/1.1`).slice(0, 40))
      socket.resetAndDestroy()
      await ended(socket)
    },
  },
  {
    name: 'a body that breaks off',
    atOnce: 1,
    pauseMs: 500,
    play: async (socket, request) => {
      const headers = 'content-type: application/json\r\ncontent-length: 4000\r\n'
      socket.write(`${request(`POST ${bulkPath} HTTP/1.1`, headers)}{"urls":["https://`)
      await Bun.sleep(breakOffMs)
      socket.destroy()
    },
  },
  {
    name: 'a body announced too large',
    atOnce: 1,
    pauseMs: 2_000,
    play: async (socket, request) => {
      const headers = `content-type: application/json\r\ncontent-length: ${6 * 1024 ** 2}\r\n`
      socket.write(`${request(`POST ${bulkPath} HTTP/1.1`, headers)}{"urls":[`)
      await refused(socket)
    },
  },
  {
    name: 'a body without end',
    atOnce: 1,
    pauseMs: 10_000,
    play: async (socket, request) => {
      const headers = 'content-type: application/json\r\ntransfer-encoding: chunked\r\n'
      socket.write(request(`POST ${bulkPath} HTTP/1.1`, headers))
      let left = chunksMax
      const pump = (): void => {
        while (left > 0 && socket.writable && socket.write(chunk)) left--
      }
      socket.on('drain', pump)
      pump()
      await refused(socket)
    },
  },
]

/** Has one client play its part; what is wrong with how the server took it goes to `complaints`. */
async function playOnce(
  url: URL,
  part: Rough,
  client: string,
  complaints: Complaints,
): Promise<void> {
  const socket = connect(Number(url.port), url.hostname)
  // Being cut off is what these clients are for.
  socket.on('error', () => {})
  const timer = setTimeout(() => socket.destroy(), clientMsMax)
  const request = (line: string, headers = ''): string =>
    `${line}\r\nhost: ${url.host}\r\nx-forwarded-for: ${client}\r\n${headers}\r\n`
  try {
    await part.play(socket, request)
  } catch (error) {
    complaints.add(`${part.name}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/** What the rough clients have done. */
export interface Roughness {
  readonly clients: number
  /** How many were not treated as they should be, and the first of them. */
  readonly surprised: number
  readonly examples: readonly string[]
}

async function beRough(address: string, seconds: number): Promise<Roughness> {
  const url = new URL(address)
  const complaints = new Complaints()
  const endsAt = performance.now() + seconds * 1000
  let clients = 0
  const loop = async (part: Rough): Promise<void> => {
    while (performance.now() < endsAt) {
      // Each comes from another address than the last, of a thousand.
      clients++
      await playOnce(url, part, `198.19.${clients % 4}.${(clients >>> 2) % 250}`, complaints)
      await Bun.sleep(part.pauseMs)
    }
  }
  await Promise.all(parts.flatMap((part) => Array.from({ length: part.atOnce }, () => loop(part))))
  return { clients, surprised: complaints.count, examples: complaints.examples }
}

if (import.meta.main) {
  const [address = '', seconds = ''] = process.argv.slice(2)
  console.log(JSON.stringify(await beRough(address, Number(seconds))))
}
