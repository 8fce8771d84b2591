/**
 * Full lists as files: written from one moment of the store in slices, and compressed from file to
 * file, so that memory stays flat however long they are. A file gets its final name when it is complete.
 *
 *     rows ─▶ name.partial ─▶ name            name ─▶ name.zst.partial ─▶ name.zst
 */

import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib'
import type { ListedType } from '../../store/listings.ts'
import type { ReadStore } from '../../store/store.ts'
import { type ListName, listFormats, listHeader } from './list-formats.ts'

/** The version of a list: the same version is the same bytes. */
export interface ListVersion {
  readonly epoch: string
  readonly number: number
  /** When the list last changed, milliseconds since the epoch. */
  readonly changedAt: number
  /** Where the entries come from, each with its licence. */
  readonly sources: readonly string[]
}

/** Returns the version that a list of the store has now. */
export function readListVersion(store: ReadStore, type: ListedType): ListVersion {
  const meta = store.meta()
  const sources = store.sources
    .all()
    .filter(({ role, redistribute }) => role === 'list' && redistribute === 1)
    .filter(({ name }) => store.counters.get('source', name) > 0)
    .map(({ title, licence }) => `${title} (${licence ?? 'no licence stated'})`)
  // Pages have no number of their own: theirs moves with every change of anything.
  return type === 'domain'
    ? { epoch: meta.epoch, number: meta.listSeq, changedAt: meta.listedChangedAt, sources }
    : { epoch: meta.epoch, number: meta.seq, changedAt: meta.changedAt, sources }
}

/** The codings that lists are kept in, and what their files' names end in. */
export const codedEndings = { zstd: '.zst', br: '.br', gzip: '.gz' } as const
export type ListCoding = keyof typeof codedEndings

/** A list is compressed once and sent often, so that each takes somewhat longer than by default. */
const compressors: Readonly<Record<ListCoding, () => Transform>> = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 9 } }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: () => createGzip({ level: 6 }),
}

const readBytes = 262_144

/** Where lists are kept inside the data directory. All of it can be made again. */
export const listsDirectory = (dataDir: string): string => join(dataDir, 'lists')

const partial = '.partial'
const fileMode = 0o600
const directoryMode = 0o700

/** Returns the name of a list's file, which no other version of it shares. */
export function editionName(name: ListName, edition: number): string {
  const [stem = '', ending = ''] = name.split('.')
  return `${stem}-${edition}.${ending}`
}

const ownFile = /^(?:domains|urls)-\d+\.[a-z]+(?:\.(?:zst|br|gz))?(?:\.partial)?$/

/** Removes the lists that an earlier process has left, whole or not. */
export function sweepLists(dataDir: string): void {
  const directory = listsDirectory(dataDir)
  for (const name of namesIn(directory)) {
    if (ownFile.test(name)) rmSync(join(directory, name), { force: true })
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Removes what a thread left that ended while it made the file of this path. */
export function removeHalfMade(path: string): void {
  rmSync(path + partial, { force: true })
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
}

/** What is to be written, and where. */
export interface ListOrder {
  readonly name: ListName
  /** The public address of this weir. */
  readonly homepage: string
  readonly path: string
}

/** Writes the current list to a file and returns its version. O(rows); leaves no partial file. */
export function writeList(store: ReadStore, { name, homepage, path }: ListOrder): ListVersion {
  const { type, isWanted, lines } = listFormats[name]
  mkdirSync(dirname(path), { recursive: true, mode: directoryMode })
  const file = openSync(path + partial, 'w', fileMode)
  try {
    const version = store.atOnce(() => {
      const now = readListVersion(store, type)
      const chosen = store.listedValues.choose(type, isWanted)
      writeAll(file, listHeader(name, { ...now, homepage, entryCount: chosen.count }))
      for (const values of store.listedValues.inOrder(type, chosen)) {
        writeAll(file, values.map(lines).join(''))
      }
      return now
    })
    renameSync(path + partial, path)
    return version
  } catch (error) {
    rmSync(path + partial, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** Compresses a list's file into another. O(bytes); leaves no partial file. */
export async function compressList(from: string, path: string, coding: ListCoding): Promise<void> {
  try {
    await pipeline(
      createReadStream(from, { highWaterMark: readBytes }),
      compressors[coding](),
      createWriteStream(path + partial, { mode: fileMode }),
    )
    renameSync(path + partial, path)
  } catch (error) {
    rmSync(path + partial, { force: true })
    throw error
  }
}
