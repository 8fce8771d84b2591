/**
 * What pulling whole collections takes of a server in a process of its own: how long one client needs for
 * everything, and how far resident memory goes while ten clients page and four exports are read at once.
 * Three of the ten and two of the exports read slowly.
 */

import { connect } from 'node:net'
import { taxiiMediaType } from '../src/publish/stix/taxii.ts'
import { type Served, serve } from './fixture.ts'
import type { BenchRow } from './rounds.ts'

const quickClients = 7
const slowClients = 3
const quickExports = 2
const slowExports = 2

/** What a slow client reads in a second. */
const slowBytesPerSecond = 1_000_000

const sampleEveryMs = 100
/** Memory that moves by no more than this in so many samples is at rest. */
const restBytes = 1_000_000
const restSamples = 30
const restMsMax = 30_000

const allowedMemoryMb = 150
const allowedSyncSeconds = 60

const exportPath = '/api/v1/export/stix?limit=10000'
const pagePath = (collection: string, next: string | null): string =>
  `/taxii2/feeds/collections/${collection}/objects/?limit=10000${next === null ? '' : `&next=${next}`}`

/** The server takes these for addresses: it answers so many costly calls of one client and no more. */
const headersOf = (client: number, coding: string): Record<string, string> => ({
  accept: taxiiMediaType,
  'accept-encoding': coding,
  'x-forwarded-for': `198.18.0.${client}`,
})

/** Enough of the beginning of an answer to find its cursor in it. */
const headBytes = 1_024

/** Reads a collection to its end and returns how many objects came. */
async function pull(
  url: string,
  collection: string,
  client: number,
  coding: string,
): Promise<number> {
  let objects = 0
  for (let next: string | null = null, isOver = false; !isOver; isOver = next === null) {
    const headers = headersOf(client, coding)
    const response = await fetch(url + pagePath(collection, next), { headers })
    const body = Buffer.from(await response.arrayBuffer())
    if (!response.ok) throw new Error(`${collection} is answered ${response.status}: ${body}`)
    objects += countOf(body)
    next = cursorIn(body.toString('latin1', 0, headBytes))
  }
  return objects
}

/** Everything that weir writes has its version of the standard in it once. */
const marker = Buffer.from('"spec_version":')

function countOf(body: Buffer): number {
  let count = 0
  for (let at = body.indexOf(marker); at !== -1; at = body.indexOf(marker, at + 1)) count++
  return count
}

const cursorIn = (text: string): string | null =>
  /"more":true,"next":"([^"]+)"/.exec(text)?.[1] ?? null

/** Reads one answer slowly and returns its beginning; throws unless it comes whole. */
async function sip(url: string, path: string, client: number): Promise<string> {
  const { port, hostname, host } = new URL(url)
  const fields = { ...headersOf(client, 'identity'), host, connection: 'close' }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect(Number(port), hostname)
  let head = ''
  let tail = ''
  socket.on('data', (bytes: Buffer) => {
    if (head.length < headBytes) head += bytes.toString('latin1', 0, headBytes)
    tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - 8))).slice(-8)
    socket.pause()
    setTimeout(() => socket.resume(), (bytes.length * 1_000) / slowBytesPerSecond)
  })
  socket.on('error', reject)
  socket.on('close', () => resolve())
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await promise
  if (!head.startsWith('HTTP/1.1 200') || !tail.endsWith('0\r\n\r\n')) {
    throw new Error(`${path}, read slowly, is answered ${head.slice(0, 80)} … ${tail}`)
  }
  return head
}

/** Watches resident memory until it is told to stop; returns the highest. */
async function highestUntil(server: Served, isOver: () => boolean): Promise<number> {
  let highest = 0
  while (!isOver()) {
    highest = Math.max(highest, await server.residentBytes())
    await Bun.sleep(sampleEveryMs)
  }
  return highest
}

/** Resolves with resident memory as soon as it moves no more. */
async function atRest(server: Served): Promise<number> {
  const samples: number[] = []
  for (const end = performance.now() + restMsMax; performance.now() < end; ) {
    samples.push(await server.residentBytes())
    const last = samples.slice(-restSamples)
    const moved = Math.max(...last) - Math.min(...last)
    if (last.length === restSamples && moved <= restBytes) break
    await Bun.sleep(sampleEveryMs)
  }
  return samples.at(-1) ?? Number.NaN
}

/** Has all the clients at work until the quick ones have read the whole collection. */
async function crowd({ url }: Served): Promise<void> {
  let isOver = false
  const again = async (work: () => Promise<unknown>): Promise<void> => {
    while (!isOver) await work()
  }
  const numbers = (first: number, length: number): number[] =>
    Array.from({ length }, (_, index) => first + index)
  const collection = 'domain-blacklist'
  const codingOf = (client: number): string => (client % 2 === 0 ? 'gzip' : 'identity')
  const others = [
    ...numbers(quickClients, slowClients).map((client) => {
      let next: string | null = null
      return again(async () => {
        next = cursorIn(await sip(url, pagePath(collection, next), client))
      })
    }),
    ...numbers(20, quickExports).map((client) =>
      again(async () => {
        const headers = headersOf(client, codingOf(client))
        const response = await fetch(url + exportPath, { headers })
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`an export is answered ${response.status}`)
      }),
    ),
    ...numbers(30, slowExports).map((client) => again(() => sip(url, exportPath, client))),
  ]
  const quick = numbers(0, quickClients).map((client) =>
    pull(url, collection, client, codingOf(client)),
  )
  try {
    await Promise.all(quick)
  } finally {
    isOver = true
  }
  await Promise.all(others)
}

/** Runs `work` and returns the highest that memory was meanwhile, in bytes. */
async function highestDuring(server: Served, work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  const highest = highestUntil(server, () => isOver)
  try {
    await work()
  } finally {
    isOver = true
  }
  return await highest
}

/** Returns the seconds that one client needs for everything that is stored. */
async function benchSync({ url }: Served, indicators: number, coding: string): Promise<BenchRow> {
  const startedAt = performance.now()
  let objects = 0
  for (const collection of ['domain-blacklist', 'phishing-urls']) {
    objects += await pull(url, collection, 1, coding)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  if (objects < indicators) throw new Error(`${objects} objects came of ${indicators}`)
  return {
    name: `everything, ${objects.toLocaleString('en')} objects by 10,000, one client, ${coding}`,
    value: seconds,
    unit: 's',
    yardstick: `${allowedSyncSeconds} s`,
    ratio: allowedSyncSeconds / seconds,
    goal: '≥ 1',
  }
}

/** Measures a server on a filled directory; takes some minutes. */
export async function benchTaxiiServed(dataDir: string, indicators: number): Promise<BenchRow[]> {
  const server = await serve(dataDir, { WEIR_TRUSTED_PROXIES: '127.0.0.1' })
  try {
    for (const path of [pagePath('domain-blacklist', null), exportPath]) {
      await (await fetch(server.url + path, { headers: headersOf(1, 'gzip') })).arrayBuffer()
    }
    const idle = await atRest(server)
    const rows: BenchRow[] = []
    const syncing = await highestDuring(server, async () => {
      for (const coding of ['identity', 'gzip']) {
        rows.push(await benchSync(server, indicators, coding))
      }
    })
    const synced = await atRest(server)
    const crowded = await highestDuring(server, () => crowd(server))
    const after = await atRest(server)
    const memory = (name: string, bytes: number, allowed: number | null): BenchRow => {
      const grown = (bytes - idle) / 1e6
      return {
        name: `resident memory over that of ${(idle / 1e6).toFixed(0)} MB idle, ${name}`,
        value: grown,
        unit: 'MB',
        yardstick: allowed === null ? 'itself' : `${allowed} MB`,
        ratio: allowed === null ? 1 : allowed / Math.max(grown, 1),
        goal: allowed === null ? '' : '≥ 1',
      }
    }
    return [
      ...rows,
      memory('while one client pulls everything', syncing, allowedMemoryMb),
      memory('after that', synced, null),
      memory('while ten page and four exports are read', crowded, allowedMemoryMb),
      memory('after that again', after, null),
    ]
  } finally {
    await server.stop()
  }
}
