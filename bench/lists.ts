/**
 * A full list of 500,000 names, as it is and compressed: sent by weir, against nginx sending the same
 * bytes with sendfile, and how long it takes to be made. Server, nginx and client are three processes
 * on this machine.
 */

import { join } from 'node:path'
import { FullLists } from '../src/publish/lists/full-lists.ts'
import { BenchDirectory, importNames, openStore, type Served, serve } from './fixture.ts'
import { type BenchRow, median, printRows } from './rounds.ts'

const namesListed = 500_000
const name = 'domains.hosts'
const path = `/lists/${name}`
const connections = 4
const rounds = 7
const roundMs = 1_000
const downloadsForMemory = 200
const startMs = 10_000
const makingMs = 60_000

/** What is fetched over and over, and with what word about codings. */
interface Target {
  readonly origin: string
  readonly path: string
  readonly accepts: 'identity' | 'zstd'
}

const endOfHeaders = Buffer.from('\r\n\r\n')

/** Counts whole answers of one connection as their bytes arrive. */
class AnswerReader {
  #headers = Buffer.alloc(0)
  /** Bytes of the body that are still to come; null while headers are read. */
  #missing: number | null = null
  /** Of all bodies. */
  bytes = 0

  /** Takes what has arrived; reports whether an answer is complete with it. */
  read(chunk: Buffer): boolean {
    let body = chunk
    if (this.#missing === null) {
      this.#headers = Buffer.concat([this.#headers, chunk])
      const end = this.#headers.indexOf(endOfHeaders)
      if (end === -1) return false
      const text = this.#headers.toString('latin1', 0, end)
      const length = /^content-length: (\d+)/im.exec(text)?.[1]
      if (!text.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(text)
      this.#missing = Number(length)
      body = this.#headers.subarray(end + endOfHeaders.length)
      this.#headers = Buffer.alloc(0)
    }
    this.bytes += body.length
    this.#missing -= body.length
    if (this.#missing > 0) return false
    this.#missing = null
    return true
  }
}

/** Fetches over one connection until `isOver`, and returns how many bytes of bodies came. */
async function fetchOver(
  { origin, path, accepts }: Target,
  isOver: () => boolean,
): Promise<number> {
  const { hostname, port, host } = new URL(origin)
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: ${accepts}\r\n\r\n`
  const reader = new AnswerReader()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (opened) => {
        opened.write(request)
      },
      data: (opened, chunk) => {
        try {
          if (!reader.read(chunk)) return
          if (isOver()) resolve()
          else opened.write(request)
        } catch (error) {
          reject(error)
        }
      },
      close: () => reject(new Error(`${origin} closed the connection`)),
    },
  })
  try {
    await promise
    return reader.bytes
  } finally {
    socket.terminate()
  }
}

/** What a server sent in a round. */
interface Sent {
  readonly megabytesPerSecond: number
  /** What a megabyte cost it in processor time. */
  readonly microseconds: number
}

/** Returns the processor time that the thread which answers has used, in microseconds. */
async function processorTime(pid: number): Promise<number> {
  const stat = await Bun.file(`/proc/${pid}/schedstat`).text()
  return Number(stat.split(' ')[0]) / 1_000
}

/** Fetches for a round from a server that is one process. */
async function round(target: Target, pid: number): Promise<Sent> {
  const before = await processorTime(pid)
  const startedAt = performance.now()
  const isOver = (): boolean => performance.now() - startedAt >= roundMs
  const bytes = await Promise.all(
    Array.from({ length: connections }, () => fetchOver(target, isOver)),
  )
  const seconds = (performance.now() - startedAt) / 1000
  const megabytes = bytes.reduce((sum, count) => sum + count, 0) / 1e6
  return {
    megabytesPerSecond: megabytes / seconds,
    microseconds: ((await processorTime(pid)) - before) / megabytes,
  }
}

/** Serves a directory's files by nginx with sendfile, in a process of its own. */
class Nginx implements AsyncDisposable {
  readonly #child: Bun.Subprocess
  readonly origin: string
  /** The process that answers. */
  pid = 0

  private constructor(child: Bun.Subprocess, origin: string) {
    this.#child = child
    this.origin = origin
  }

  static readonly program = Bun.which('nginx', {
    PATH: [process.env['PATH'], '/usr/sbin'].join(':'),
  })

  static async start(program: string, directory: string): Promise<Nginx> {
    const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
    const { port } = probe
    probe.stop(true)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${directory}/${kind};`)
      .join(' ')
    const config = `daemon off; worker_processes 1; pid ${directory}/nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''} error_log stderr crit; events {}
http { ${temporary} access_log off; sendfile on; tcp_nopush on; default_type text/plain;
  keepalive_requests 1000000; server { listen 127.0.0.1:${port}; root ${directory}; } }`
    await Bun.write(join(directory, 'nginx.conf'), config)
    const child = Bun.spawn([program, '-p', directory, '-c', join(directory, 'nginx.conf')], {
      stdout: 'inherit',
      stderr: 'inherit',
    })
    const nginx = new Nginx(child, `http://127.0.0.1:${port}`)
    for (const end = performance.now() + startMs; performance.now() < end; await Bun.sleep(20)) {
      const isUp = await fetch(nginx.origin).then(
        () => true,
        () => false,
      )
      if (isUp) {
        nginx.pid = Number(await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text())
        return nginx
      }
    }
    await nginx[Symbol.asyncDispose]()
    throw new Error('nginx did not start')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill()
    await this.#child.exited
  }
}

/** Writes what weir sends where nginx finds it. */
async function copyTo(directory: string, { url }: Served): Promise<void> {
  for (const accepts of ['identity', 'zstd'] as const) {
    await Bun.write(join(directory, accepts), await whenMade(url + path, accepts))
  }
}

/** Fetches a list as soon as it has been made, which a busy machine takes longer for. */
async function whenMade(url: string, accepts: string): Promise<Response> {
  for (const end = performance.now() + makingMs; ; await Bun.sleep(1_000)) {
    const headers = { 'accept-encoding': accepts }
    const response = await fetch(url, { headers, decompress: false })
    if (response.ok) return response
    if (performance.now() >= end) throw new Error(`weir answered ${response.status}`)
    await response.arrayBuffer()
  }
}

async function benchSending(served: Served): Promise<BenchRow[]> {
  using directory = new BenchDirectory()
  if (Nginx.program === null) {
    console.log('nginx is not installed: sending lists is not measured')
    return []
  }
  await copyTo(directory.path, served)
  await using nginx = await Nginx.start(Nginx.program, directory.path)
  const rows: BenchRow[] = []
  for (const accepts of ['identity', 'zstd'] as const) {
    const weir: Sent[] = []
    const other: Sent[] = []
    const ours: Target = { origin: served.url, path, accepts }
    const theirs: Target = { origin: nginx.origin, path: `/${accepts}`, accepts }
    for (let count = 0; count < rounds; count++) {
      weir.push(await round(ours, served.pid))
      other.push(await round(theirs, nginx.pid))
    }
    const what = `GET ${path}, ${accepts === 'zstd' ? 'compressed' : 'as it is'}`
    const speeds = weir.map(({ megabytesPerSecond }) => megabytesPerSecond)
    const ratios = speeds.map((speed, index) => speed / (other[index]?.megabytesPerSecond ?? 0))
    const least = (of: readonly Sent[]): number =>
      Math.min(...of.map(({ microseconds }) => microseconds))
    rows.push(
      {
        name: what,
        value: median(speeds),
        unit: 'MB/s',
        yardstick: 'nginx sending the same bytes with sendfile',
        ratio: median(ratios),
        goal: '≥ 0.8',
      },
      {
        name: `${what}, processor time`,
        value: least(weir),
        unit: 'µs/MB',
        yardstick: 'that of nginx',
        ratio: least(other) / least(weir),
        goal: '',
      },
    )
  }
  return rows
}

/** Measures what many downloads leave in the server's memory. */
async function benchMemory(served: Served): Promise<BenchRow> {
  const target: Target = { origin: served.url, path, accepts: 'identity' }
  const before = await served.residentBytes()
  let count = 0
  await fetchOver(target, () => ++count >= downloadsForMemory)
  const after = await served.residentBytes()
  return {
    name: `resident memory after ${downloadsForMemory} downloads`,
    value: after / 1e6,
    unit: 'MB',
    yardstick: 'that before them',
    ratio: before / after,
    goal: '≥ 0.8',
  }
}

/** Measures how long a list takes to be written and to be compressed, threads and all. */
async function benchMaking(dataDir: string): Promise<BenchRow[]> {
  const store = openStore(dataDir)
  const report = console.error
  const lists = new FullLists({ store, dataDir, report, monotonicMs: () => performance.now() })
  const row = (what: string, milliseconds: number): BenchRow => ({
    name: `${name}, ${namesListed} names, ${what}`,
    value: milliseconds,
    unit: 'ms',
    yardstick: 'itself',
    ratio: 1,
    goal: '',
  })
  try {
    const startedAt = performance.now()
    const file = await lists.plain(name, 'http://127.0.0.1')
    const writtenAt = performance.now()
    await lists.coded(file, 'zstd')
    return [row('written', writtenAt - startedAt), row('compressed', performance.now() - writtenAt)]
  } finally {
    await lists.close()
    store.close()
  }
}

/** Measures full lists; filling the database takes most of the time. */
export async function benchLists(): Promise<BenchRow[]> {
  using directory = new BenchDirectory()
  const store = openStore(directory.path)
  await importNames(store, 'bench', 0, namesListed)
  store.close()
  const making = await benchMaking(directory.path)
  const served = await serve(directory.path)
  try {
    return [...(await benchSending(served)), await benchMemory(served), ...making]
  } finally {
    await served.stop()
  }
}

if (import.meta.main) printRows(await benchLists())
