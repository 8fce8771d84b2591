/** `weir import`: reads a list into the database, beside a running server or without one. */

import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { type FormatName, formatNames, isFormatName } from '../feeds/formats/formats.ts'
import { recogniseFormat } from '../feeds/formats/recognise.ts'
import { loadGuards } from '../feeds/guards.ts'
import { type ImportReport, importFeed } from '../feeds/importer.ts'
import { refusalMeanings } from '../feeds/judge.ts'
import { InputError, readSample } from '../feeds/line-reader.ts'
import { describeSource, isSourceName, knownSources, sourceNameOf } from '../feeds/sources.ts'
import { platformSource } from '../store/merge.ts'
import { Store } from '../store/store.ts'
import { type Command, exitCodes, UsageError } from './command.ts'
import { formatCount, ProgressBar } from './terminal.ts'

/** How much of a file decides its format. */
const sampleBytes = 64 * 1024

const usage = `weir import FILE [--format F] [--source NAME] [--private] [--force] [--json]

FILE is a list, gzip or not; - reads standard input. A file is its source's full list: what an
earlier import of the same source held and this one does not is delisted, unless the list shrank by
more than half (--force does it even then).

--format F     ${formatNames.join(', ')}; recognised when left out
--source NAME  the name answers give for the list; the file's name when left out
--private      the list answers checks only and is not passed on in lists and exports
--json         print the report as JSON`

export const importCommand: Command = {
  summary: 'read a list of domains or URLs, a hosts file or a known feed',
  usage,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        format: { type: 'string' },
        source: { type: 'string' },
        private: { type: 'boolean' },
        force: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
    const [path, ...rest] = positionals
    if (path === undefined || rest.length > 0) throw new UsageError('name exactly one file')
    const name = values.source ?? sourceNameOf(path === '-' ? 'stdin' : path)
    refuseSourceName(name, values.private === true)
    const { config } = await loadConfig(process.env)
    const input = await openInput(path)
    const format = chosenFormat(values.format) ?? (await sniff(input))
    const store = Store.open({ dataDir: config.dataDir, role: 'background', now: Date.now })
    const startedAt = performance.now()
    const bar = new ProgressBar(() => performance.now())
    try {
      const report = await importFeed(
        {
          store,
          guards: loadGuards(),
          now: Date.now,
          onCommit: (_, read) => {
            bar.update(input.read() / input.size, `${formatCount(read)} read`)
          },
        },
        {
          source: describeSource(name, values.private !== true),
          format,
          stream: input.stream(),
          digest: null,
          force: values.force === true,
        },
      )
      bar.clear()
      const seconds = (performance.now() - startedAt) / 1000
      console.log(values.json === true ? JSON.stringify(report) : describe(report, seconds))
      return exitCodes.ok
    } finally {
      bar.clear()
      store.close()
    }
  },
}

/** A file or standard input, with how much of it has been read. */
interface Input {
  readonly size: number
  read(): number
  sample(): ReadableStream<Uint8Array<ArrayBuffer>>
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Throws a `UsageError` for a name the list cannot have. */
function refuseSourceName(name: string, isPrivate: boolean): void {
  if (!isSourceName(name)) {
    throw new UsageError(`--source ${name}: use lower-case letters, digits, ".", "_" and "-"`)
  }
  if (name === platformSource.name) {
    throw new UsageError(`--source ${name}: weir itself lists under this name; choose another`)
  }
  if (isPrivate && knownSources.some((source) => source.name === name)) {
    throw new UsageError(`--private: ${name} is passed on by weir; choose another --source name`)
  }
}

/** What is read twice, for its format and for its entries: a pipe cannot be, so it is taken whole. */
async function contentOf(path: string): Promise<Blob> {
  if (path === '-') return new Blob([await Bun.stdin.bytes()])
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) throw new UsageError(`${path}: there is no such file`)
  if (stats.isDirectory()) throw new UsageError(`${path} is a directory; name a file`)
  return stats.isFile() ? Bun.file(path) : new Blob([await Bun.file(path).bytes()])
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
  throw new UsageError(`--format ${name}: choose one of ${formatNames.join(', ')}`)
}

async function sniff(input: Input): Promise<FormatName> {
  const format = recogniseFormat(await readSample(input.sample(), sampleBytes))
  if (format !== null) return format
  throw new InputError('this looks like no list weir knows; name its --format if it is one')
}

/** Tells in a few lines what an import did. */
function describe(report: ImportReport, seconds: number): string {
  const rate = formatCount(Math.round(report.read / Math.max(seconds, 0.001)))
  const refused = Object.values(report.refused).reduce((sum, { count }) => sum + count, 0)
  const lines = [
    `${report.source} (${report.format}): ${formatCount(report.read)} entries in ${seconds.toFixed(1)} s, ${rate} a second`,
    `  added        ${formatCount(report.added)}`,
    `  changed      ${formatCount(report.changed)}`,
    `  seen again   ${formatCount(report.seenAgain)}`,
    `  delisted     ${formatCount(report.delisted)}`,
    `  refused      ${formatCount(refused)}`,
  ]
  for (const [reason, meaning] of Object.entries(refusalMeanings)) {
    const entries = Object.entries(report.refused).find(([name]) => name === reason)?.[1]
    if (entries === undefined) continue
    const more = entries.count > entries.lines.length ? ' …' : ''
    const where = `line ${entries.lines.join(', ')}${more}`
    lines.push(`    ${formatCount(entries.count).padStart(9)}  ${reason}: ${meaning} (${where})`)
  }
  if (report.shrankFrom !== null) {
    lines.push(
      `  The list held ${formatCount(report.shrankFrom)} before: it shrank by more than half, so nothing was delisted.`,
      '  If that is right, import it again with --force.',
    )
  }
  return lines.join('\n')
}
