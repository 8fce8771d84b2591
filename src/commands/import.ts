/** `weir import`: reads a list into the database, beside a running server or without one. */

import { type Stats, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import {
  type FormatName,
  formatNames,
  isFormatName,
  isGuardFormat,
  isNewsFormat,
} from '../feeds/formats/formats.ts'
import { recogniseFormat } from '../feeds/formats/recognise.ts'
import { loadStoredGuards } from '../feeds/guards.ts'
import { type ImportReport, importFeed } from '../feeds/importer.ts'
import { refusalMeanings } from '../feeds/judge.ts'
import { readSample } from '../feeds/line-reader.ts'
import { failureOf, successOf } from '../feeds/outcome.ts'
import { heldBackText } from '../feeds/refresh.ts'
import {
  descriptionOf,
  graceMsOf,
  isReservedName,
  isSourceName,
  type KnownSource,
  loadSources,
  ownList,
  sourceNameOf,
} from '../feeds/sources.ts'
import { InputError } from '../feeds/unpack.ts'
import { exitCodes } from '../model/operator-error.ts'
import { type PlatformMode, platformModes } from '../model/platform.ts'
import type { SourceDescription } from '../store/batch.ts'
import { WriteStore } from '../store/store.ts'
import { toFetchSettings } from '../weir.ts'
import { type Command, UsageError } from './command.ts'
import { paragraph } from './layout.ts'
import { namingOver } from './naming.ts'
import { formatCount, ProgressBar } from './terminal.ts'

/** A list of the operator's own is a full one. */
const ownListEnds = { listing: 'full', expireMs: null } as const

/** How much of a file decides its format. */
const sampleBytes = 64 * 1024

const usage = `weir import FILE [--format F] [--source NAME] [--private | --public] [--guard KIND]
                 [--force] [--json]

FILE is a list, plain, gzip or zip; - reads standard input. A file is its source's full list: what
an earlier import of the same source held and this one does not is delisted, unless the list is
empty or shrank by more than half (--force does it even then).

--format F     ${paragraph(formatNames.join(', '), 15).trimStart()};
               recognised when left out
--source NAME  the name answers give for the list; the file's name when left out
--private      the list answers checks only and is not passed on in lists and exports
--public       the list is passed on; so is a list of your own unless it was private before
--guard KIND   the list says what no other list may block: names, or platforms whose tenant, page or
               redirect is judged (KIND: names, tenant, page, redirect)
--json         print the report as JSON

Ends with 1 when the list was held back because it is empty or shrank by more than half.`

export const importCommand: Command = {
  summary: 'read a list of domains, URLs or digests, a hosts file or a known feed',
  usage,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        format: { type: 'string' },
        source: { type: 'string' },
        private: { type: 'boolean' },
        public: { type: 'boolean' },
        guard: { type: 'string' },
        force: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
    const [path, ...rest] = positionals
    if (path === undefined || rest.length > 0) throw new UsageError('name exactly one file')
    const name = values.source ?? sourceNameOf(path === '-' ? 'stdin' : path)
    const { config } = await loadConfig(process.env)
    const known = (await loadSources(config.dataDir)).find((source) => source.name === name)
    refuseOptions(name, known, values)
    const mode = guardModeOf(values.guard)
    const input = await openInput(path)
    const format = chosenFormat(values.format) ?? (await sniff(input))
    if (isGuardFormat(format) && values.guard === undefined && known?.role !== 'guard') {
      throw new UsageError(`a ${format} says what is innocent; import it with --guard names`)
    }
    const store = WriteStore.open({ dataDir: config.dataDir, role: 'background', now: Date.now })
    const startedAt = performance.now()
    const bar = new ProgressBar(() => performance.now())
    try {
      const source =
        known === undefined ? ownSource(store, name, values, format) : descriptionOf(known)
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
          force: values.force === true,
          graceMs: graceMsOf(known ?? ownListEnds, toFetchSettings(config)),
          platformMode: known?.platformMode ?? mode,
          rowsMax: known?.rowsMax ?? null,
        },
      )
      bar.clear()
      await noteImport(store, name, report.heldBack === null ? null : heldBackText(report.heldBack))
      const guarded = source.role === 'guard' ? store.counters.get('source', name) : null
      const seconds = (performance.now() - startedAt) / 1000
      console.log(
        values.json === true ? JSON.stringify(report) : describe(report, seconds, guarded),
      )
      return report.heldBack === null ? exitCodes.ok : exitCodes.failed
    } catch (error) {
      if (error instanceof InputError) await noteImport(store, name, error.message)
      throw error
    } finally {
      bar.clear()
      store.close()
    }
  },
}

/** Lets "weir sources" tell how it went; what a fetch would ask about was another list. */
async function noteImport(store: WriteStore, source: string, error: string | null): Promise<void> {
  const before = store.fetches.find(source)
  const at = Date.now()
  const attempt = { source, before, at, nextAt: before?.nextAt ?? at }
  const list = { url: null, validators: null, position: null, reading: null }
  await store.noteFetch(error === null ? successOf(attempt, list) : failureOf(attempt, error))
}

/** What the command line says of the list beside its name. */
interface ListOptions {
  readonly private?: boolean
  readonly public?: boolean
  readonly guard?: string
}

/** Throws a `UsageError` for a name the list cannot have and for options that do not go with it. */
function refuseOptions(name: string, known: KnownSource | undefined, options: ListOptions): void {
  if (!isSourceName(name)) {
    throw new UsageError(`--source ${name}: use lower-case letters, digits, ".", "_" and "-"`)
  }
  if (isReservedName(name)) {
    throw new UsageError(`--source ${name}: weir itself lists under this name; choose another`)
  }
  if (options.private === true && options.public === true) {
    throw new UsageError('--private and --public: choose one of them')
  }
  if (known === undefined) return
  if (options.guard !== undefined) {
    throw new UsageError(`--guard: what ${name} is, weir knows; choose another --source name`)
  }
  if (options.private === true && known.redistribute) {
    throw new UsageError(`--private: ${name} is passed on by weir; choose another --source name`)
  }
  if (options.public === true && !known.redistribute) {
    throw new UsageError(`--public: ${name} may not be passed on; choose another --source name`)
  }
}

function guardModeOf(kind: string | undefined): PlatformMode | null {
  if (kind === undefined || kind === 'names') return null
  const mode = platformModes.find((candidate) => candidate === kind)
  if (mode !== undefined) return mode
  throw new UsageError(`--guard ${kind}: choose one of names, ${platformModes.join(', ')}`)
}

/** Describes a list of the operator's own; what was private stays so until it is said otherwise. */
function ownSource(
  store: WriteStore,
  name: string,
  options: ListOptions,
  format: FormatName,
): SourceDescription {
  const row = store.sources.byName(name)
  const wasPrivate = row !== null && row.redistribute === 0
  const isPrivate = options.private ?? (options.public === true ? false : wasPrivate)
  const isNews = isNewsFormat(format)
  if (isNews && (isPrivate || options.guard !== undefined)) {
    throw new UsageError('news is there to be shown; import it without --private and --guard')
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

/** What is read twice, for its format and for its entries: a pipe cannot be, so it is taken whole. */
async function contentOf(path: string): Promise<Blob> {
  if (path === '-') return new Blob([await Bun.stdin.bytes()])
  const stats = statOrNone(path)
  if (stats === undefined) throw new UsageError(`${path}: there is no such file`)
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
  const blob = await contentOf(path)
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
  throw new UsageError(`--format ${name}: there is no such format`)
}

async function sniff(input: Input): Promise<FormatName> {
  const format = recogniseFormat(await readSample(input.sample(), sampleBytes))
  if (format !== null) return format
  throw new InputError('this looks like no list weir knows; name its --format if it is one')
}

/** Tells in a few lines what an import did. */
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
          `  delisted     ${formatCount(report.delisted)}, listed until now and protected from now on`,
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
        ? 'The list holds nothing that can be read'
        : `The list held ${formatCount(heldBack.from)} before: it shrank by more than half`
    lines.push(`  ${what}, so nothing was delisted.`)
    lines.push('  If that is right, import it again with --force.')
  }
  return lines.join('\n')
}
