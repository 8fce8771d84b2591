/**
 * A generation kept in a file next to the database, so that a start reads it instead of building it.
 *
 *     ┌──────────┬─────────────┬───────────┬────────────────────────────┐
 *     │ checksum │ head length │ head JSON │ buffers, one after another │
 *     └──────────┴─────────────┴───────────┴────────────────────────────┘
 *     0          8             12          12 + head length
 *
 * The checksum covers everything after it. A snapshot is never trusted past its number. One that is
 * damaged, of another version or of another database is ignored, and the views are built.
 */

import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Generation, type GenerationImage } from './generation.ts'

/** The snapshot's file inside the data directory. */
const snapshotName = 'views.snapshot'

/** Is raised with every change of the layout or of what a generation holds. */
const snapshotVersion = 4

const checksumBytes = 8
const prefixBytes = checksumBytes + 4

/** The parts of a generation, in the order of their buffers in the file. */
const partNames = ['hosts', 'pages', 'digests', 'related'] as const
type PartName = (typeof partNames)[number]

/** One part as the head describes it: its own header, and the lengths of its buffers. */
interface PartHead {
  readonly header: readonly number[]
  readonly bytes: readonly number[]
}

interface Head extends Readonly<Record<PartName, PartHead>> {
  readonly version: number
  readonly epoch: string
  readonly seq: number
  readonly token: string
}

/** What a snapshot must match to be usable. */
export interface SnapshotUse {
  readonly epoch: string
  readonly seq: number
  readonly oldestSeq: number
  /** The token of the last snapshot that was written for this database. */
  readonly token: string | null
}

const computeChecksum = (bytes: Uint8Array): bigint => Bun.hash.xxHash3(bytes)

/** Writes a snapshot, whole or not at all: about 0.1 s a million names. */
export async function writeSnapshot(
  dataDir: string,
  token: string,
  image: GenerationImage,
): Promise<void> {
  const describe = (name: PartName): PartHead => ({
    header: [...image[name].header],
    bytes: image[name].buffers.map((buffer) => buffer.byteLength),
  })
  const head: Head = {
    version: snapshotVersion,
    epoch: image.epoch,
    seq: image.seq,
    token,
    hosts: describe('hosts'),
    pages: describe('pages'),
    digests: describe('digests'),
    related: describe('related'),
  }
  const headBytes = Buffer.from(JSON.stringify(head))
  const buffers = partNames.flatMap((name) => image[name].buffers)
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32LE(headBytes.length, checksumBytes)
  const file = Buffer.concat([
    prefix,
    headBytes,
    ...buffers.map((buffer) => new Uint8Array(buffer)),
  ])
  file.writeBigUInt64LE(computeChecksum(file.subarray(checksumBytes)))
  const path = join(dataDir, snapshotName)
  // It holds private lists, as the database does.
  await Bun.write(`${path}.new`, file, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Returns the generation of the snapshot, or null when no usable snapshot exists. */
export async function readSnapshot(dataDir: string, use: SnapshotUse): Promise<Generation | null> {
  const stored = Bun.file(join(dataDir, snapshotName))
  if (!(await stored.exists())) return null
  const file = Buffer.from(await stored.arrayBuffer())
  if (file.length < prefixBytes) return null
  if (file.readBigUInt64LE() !== computeChecksum(file.subarray(checksumBytes))) return null
  const headEnd = prefixBytes + file.readUInt32LE(checksumBytes)
  const head = parseHead(file.toString('utf8', prefixBytes, headEnd))
  const isUsable =
    head?.version === snapshotVersion &&
    head.epoch === use.epoch &&
    head.token === use.token &&
    head.seq <= use.seq &&
    head.seq >= use.oldestSeq
  if (!isUsable) return null
  let at = file.byteOffset + headEnd
  const take = (name: PartName) => ({
    header: Uint32Array.from(head[name].header),
    buffers: head[name].bytes.map((length) => {
      at += length
      return file.buffer.slice(at - length, at)
    }),
  })
  const { epoch, seq } = head
  const parts = {
    hosts: take('hosts'),
    pages: take('pages'),
    digests: take('digests'),
    related: take('related'),
  }
  const generation = Generation.from({ epoch, seq, ...parts })
  return generation.ok ? generation.value : null
}

function isPartHead(value: unknown): value is PartHead {
  if (typeof value !== 'object' || value === null) return false
  const areNumbers = (list: unknown): boolean =>
    Array.isArray(list) && list.every((entry) => typeof entry === 'number')
  return (
    'header' in value && areNumbers(value.header) && 'bytes' in value && areNumbers(value.bytes)
  )
}

/** Returns the head, or null when this version of weir cannot have written it. */
function parseHead(text: string): Head | null {
  const head: unknown = JSON.parse(text)
  if (typeof head !== 'object' || head === null) return null
  const { version, epoch, seq, token, hosts, pages, digests, related } = head as Partial<
    Record<keyof Head, unknown>
  >
  if (
    typeof version !== 'number' ||
    typeof epoch !== 'string' ||
    typeof seq !== 'number' ||
    typeof token !== 'string'
  )
    return null
  if (!isPartHead(hosts) || !isPartHead(pages)) return null
  if (!isPartHead(digests) || !isPartHead(related)) return null
  return { version, epoch, seq, token, hosts, pages, digests, related }
}
