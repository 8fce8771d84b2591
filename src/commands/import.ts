/** `weir import`: reads a list into the database, while a server runs or not. */

import { type Stats, statSync } from 'node:fs'
import {
  type FormatName,
  formatNames,
  isFormatName,
  isGuardFormat,
  isNewsFormat,
} from '../ingest/formats/formats.ts'
import { recogniseFormat } from '../ingest/formats/recognise.ts'
import { loadStoredGuards } from '../ingest/guards.ts'
import { formatHeldBack, type ImportReport, importFeed } from '../ingest/importer.ts'
import { refusalMeanings } from '../ingest/judge.ts'
import { readSample } from '../ingest/line-reader.ts'
import { toFailureState, toSuccessState } from '../ingest/outcome.ts'
import {
  findGraceMs,
  isReservedName,
  isSourceName,
  type KnownSource,
  loadSources,
  ownList,
  toSourceDescription,
  toSourceName,
} from '../ingest/sources.ts'
import { InputError } from '../ingest/unpack.ts'
import { exitCodes } from '../model/operator-error.ts'
import { type PlatformMode, platformModes } from '../model/platform.ts'
import type { SourceDescription } from '../store/batch.ts'
import type { WriteStore } from '../store/store.ts'
import { argument, command, flag, text, UsageError } from './command.ts'
import { namingOver } from './naming.ts'
import { formatCount, ProgressBar } from './terminal.ts'

/** A list of the operator's own is a full list. */
const ownListEnds = { listing: 'full', expireMs: null } as const

/** How much of a file decides its format. */
const sampleBytes = 64 * 1024

export const importCommand = command({
  summary: 'read a list of domains, URLs or digests, a hosts file or a known feed',
  usage: `weir import FILE [--format F] [--source NAME] [--private | --public] [--guard KIND]
                 [--force] [--json]

FILE is a list, plain, gzip or zip; - reads standard input. A file is the full list of its source:
entries of an earlier import of the same source that this one lacks are delisted, unless the list is
empty or shrank by more than half (--force delists them even then).

Ends with 1 when the list was held back because it is empty or shrank by more than half.`,
  options: {
    file: argument('file'),
    format: text('F', `${formatNames.join(', ')}; recognised when left out`),
    source: text('NAME', "the name of the list in answers; the file's name when left out"),
    private: flag('the list answers checks only and is not published in lists and exports'),
    public: flag('the list is published; so is a list of your own unless it was private before'),
    guard: text(
      'KIND',
      'the list holds what no other list may block: names, or platforms whose tenant, page or ' +
        'redirect is judged (KIND: names, tenant, page, redirect)',
    ),
    force: flag('import the list even if it is empty or shrank by more than half'),
    json: flag('print the report as JSON'),
  },
  async run({ file: path, json, force, ...options }, session) {
    const name = options.source ?? toSourceName(path === '-' ? 'stdin' : path)
    const config = await session.config()
    const known = (await loadSources(config.dataDir)).find((source) => source.name === name)
    refuseOptions(name, known, options)
    const mode = parseGuardMode(options.guard)
    const input = await openInput(path)
    const format = chosenFormat(options.format) ?? (await sniff(input))
    if (isGuardFormat(format) && options.guard === undefined && known?.role !== 'guard') {
      throw new UsageError(`a ${format} lists harmless names; import it with --guard names`)
    }
    const store = await session.openStore(config.dataDir)
    const startedAt = performance.now()
    const bar = new ProgressBar(() => performance.now())
    try {
      const source =
        known === undefined ? ownSource(store, name, options, format) : toSourceDescription(known)
      const report = await importFeed(
        {
          store,
          guards: loadStoredGuards(store),
          naming: namingOver(store, config),
          now: Date.now,
          onCommit: (_, read) => {
            bar.update(input.read() / input.size, `${formatCount(read)} read`)
          },
        },
        {
          source,
          format,
          parts: [() => input.stream()],
          digest: null,
          force,
          graceMs: findGraceMs(known ?? ownListEnds, config),
          platformMode: known?.platformMode ?? mode,
          rowsMax: known?.rowsMax ?? null,
        },
      )
      bar.clear()
      await noteImport(
        store,
        name,
        report.heldBack === null ? null : formatHeldBack(report.heldBack),
      )
      const guarded = source.role === 'guard' ? store.counters.get('source', name) : null
      const seconds = (performance.now() - startedAt) / 1000
      console.log(json ? JSON.stringify(report) : describe(report, seconds, guarded))
      return report.heldBack === null ? exitCodes.ok : exitCodes.failed
    } catch (error) {
      if (error instanceof InputError) await noteImport(store, name, error.message)
      throw error
    } finally {
      bar.clear()
    }
  },
})

/** Records the outcome for "weir sources"; validators of an earlier fetch belong to another list. */
async function noteImport(store: WriteStore, source: string, error: string | null): Promise<void> {
  const before = store.fetches.find(source)
  const at = Date.now()
  const attempt = { source, before, at, nextAt: before?.nextAt ?? at }
  const list = { url: null, validators: null, position: null, reading: null }
  await store.noteFetch(
    error === null ? toSuccessState(attempt, list) : toFailureState(attempt, error),
  )
}

/** The options that describe the list. */
interface ListOptions {
  readonly private: boolean
  readonly public: boolean
  readonly guard: string | undefined
}

/** Throws a `UsageError` for an invalid or reserved name, and for options that contradict it. */
function refuseOptions(name: string, known: KnownSource | undefined, options: ListOptions): void {
  if (!isSourceName(name)) {
    throw new UsageError(`--source ${name}: use lower-case letters, digits, ".", "_" and "-"`)
  }
  if (isReservedName(name)) {
    throw new UsageError(`--source ${name}: weir uses this name itself; choose another`)
  }
  if (options.private && options.public) {
    throw new UsageError('--private and --public: choose one of them')
  }
  if (known === undefined) return
  if (options.guard !== undefined) {
    throw new UsageError(`--guard: ${name} is a known source; choose another --source name`)
  }
  if (options.private && known.redistribute) {
    throw new UsageError(`--private: ${name} is published by weir; choose another --source name`)
  }
  if (options.public && !known.redistribute) {
    throw new UsageError(`--public: ${name} is not redistributable; choose another --source name`)
  }
}

function parseGuardMode(kind: string | undefined): PlatformMode | null {
  if (kind === undefined || kind === 'names') return null
  const mode = platformModes.find((candidate) => candidate === kind)
  if (mode !== undefined) return mode
  throw new UsageError(`--guard ${kind}: choose one of names, ${platformModes.join(', ')}`)
}

/** Describes a list of the operator's own; a private list stays private until it is made public. */
function ownSource(
  store: WriteStore,
  name: string,
  options: ListOptions,
  format: FormatName,
): SourceDescription {
  const row = store.sources.byName(name)
  const wasPrivate = row !== null && row.redistribute === 0
  const isPrivate = options.private || (wasPrivate && !options.public)
  const isNews = isNewsFormat(format)
  if (isNews && (isPrivate || options.guard !== undefined)) {
    throw new UsageError('news is always published; import it without --private and --guard')
  }
  const role = isNews ? 'news' : options.guard === undefined ? 'list' : 'guard'
  if (row !== null && row.role !== role) {
    throw new UsageError(
      row.role === 'guard'
        ? `--source ${name} is a guard; give --guard, or choose another name`
        : `--source ${name} is ${row.role === 'news' ? 'news' : 'a list'} already; choose another name`,
    )
  }
  return ownList(name, !isPrivate, role)
}

/** A file or standard input, with how much of it has been read. */
interface Input {
  readonly size: number
  read(): number
  sample(): ReadableStream<Uint8Array<ArrayBuffer>>
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Opens the content, which is read twice (for its format, for its entries): a pipe is read into memory. */
async function openContent(path: string): Promise<Blob> {
  if (path === '-') return new Blob([await Bun.stdin.bytes()])
  const stats = statOrNone(path)
  if (stats === undefined) throw new UsageError(`${path}: no such file`)
  if (stats.isDirectory()) throw new UsageError(`${path} is a directory; name a file`)
  return stats.isFile() ? Bun.file(path) : new Blob([await Bun.file(path).bytes()])
}

function statOrNone(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // A path through a file, or one that is too long, leads to no file either.
    return undefined
  }
}

async function openInput(path: string): Promise<Input> {
  const blob = await openContent(path)
  let bytesRead = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      bytesRead += chunk.length
      controller.enqueue(chunk)
    },
  })
  return {
    size: Math.max(1, blob.size),
    read: () => bytesRead,
    sample: () => blob.stream(),
    stream: () => blob.stream().pipeThrough(counting),
  }
}

function chosenFormat(name: string | undefined): FormatName | null {
  if (name === undefined) return null
  if (isFormatName(name)) return name
  throw new UsageError(`--format ${name}: no such format`)
}

async function sniff(input: Input): Promise<FormatName> {
  const format = recogniseFormat(await readSample(input.sample(), sampleBytes))
  if (format !== null) return format
  throw new InputError('the format of this list is not recognised; give it with --format')
}

/** Describes in a few lines what an import did. */
function describe(report: ImportReport, seconds: number, guarded: number | null): string {
  const rate = formatCount(Math.round(report.read / Math.max(seconds, 0.001)))
  const refused = Object.values(report.refused).reduce((sum, { count }) => sum + count, 0)
  const isLong = seconds >= 1
  const head = `${report.source} (${report.format}): ${formatCount(report.read)} read`
  const lines = [
    isLong ? `${head} in ${seconds.toFixed(1)} s, ${rate} a second` : head,
    ...(guarded === null
      ? [
          `  added        ${formatCount(report.added)}`,
          `  changed      ${formatCount(report.changed)}`,
          `  seen again   ${formatCount(report.seenAgain)}`,
          `  delisted     ${formatCount(report.delisted)}`,
        ]
      : [
          `  protects     ${formatCount(guarded)}`,
          `  delisted     ${formatCount(report.delisted)}, listed before and protected from now on`,
        ]),
    `  refused      ${formatCount(refused)}`,
  ]
  for (const [reason, meaning] of Object.entries(refusalMeanings)) {
    const entries = Object.entries(report.refused).find(([name]) => name === reason)?.[1]
    if (entries === undefined) continue
    const more = entries.count > entries.lines.length ? ' …' : ''
    const where = `line ${entries.lines.join(', ')}${more}`
    lines.push(`    ${formatCount(entries.count).padStart(9)}  ${reason}: ${meaning} (${where})`)
  }
  const { heldBack } = report
  if (heldBack !== null) {
    const what =
      heldBack.kind === 'empty'
        ? 'The list has no readable entry'
        : `The list held ${formatCount(heldBack.from)} before and shrank by more than half`
    lines.push(`  ${what}, so nothing was delisted.`)
    lines.push('  If that is correct, import it again with --force.')
  }
  return lines.join('\n')
}
