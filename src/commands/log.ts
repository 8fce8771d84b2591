/**
 * What `weir serve` says of itself: lines of JSON on standard output, one for each event, with the
 * level as a word and the time as RFC 3339. Every kind of line is written here and nowhere else.
 *
 * What people look up stands in none of them: an access line holds the template of the route and never
 * the path, and an error that was met while answering is told without its message, unless its class
 * never quotes what it was given (`StoreError`: files and operations). What weir does by itself
 * (sources, copies, views) has seen nobody's requests, so its errors are told whole.
 */

import { type Logger, pino, stdTimeFunctions } from 'pino'
import type { LogLevel } from '../config.ts'
import type { Refreshed } from '../feeds/refresh.ts'
import type { AnswerObserver } from '../http/observed.ts'
import { StoreError } from '../store/store-error.ts'
import { errorRecord } from './error-record.ts'
import { LineOutput } from './line-output.ts'

const standardOutput = 1

/** How long the end waits for a reader to take the last lines. */
const flushMs = 1_000

/** The methods that an access line names; a caller can make up others. */
const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

/** What is told of a start. */
export interface Started {
  readonly version: string
  readonly address: string
  readonly data: string
  readonly indicators: number
}

const isOwnWork = (): boolean => true
const quotesNobody = (error: unknown): boolean => error instanceof StoreError

/** Tells that lines were lost; written past the logger, as there is no room for more than this. */
function lostLine(lines: number): string {
  const time = new Date().toISOString()
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'log lines lost: nobody read them' })}\n`
}

/** The log of a server. */
export class Log implements AnswerObserver {
  readonly #output: LineOutput
  readonly #logger: Logger

  constructor(level: LogLevel, fd = standardOutput) {
    this.#output = new LineOutput(fd, lostLine)
    this.#logger = pino(
      {
        level,
        base: null,
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      this.#output,
    )
  }

  started(facts: Started): void {
    this.#logger.info(facts, 'started')
  }

  /** Tells how refreshing a source went. */
  refreshed(refreshed: Refreshed): void {
    const { source, kind } = refreshed
    if (kind === 'unchanged') {
      this.#logger.debug({ source }, 'source unchanged')
    } else if (kind === 'imported') {
      const { read, added, changed, delisted, refused } = refreshed.report
      const refusedCount = Object.values(refused).reduce((sum, { count }) => sum + count, 0)
      const counts = { read, added, changed, delisted, refused: refusedCount }
      this.#logger.info({ source, ...counts }, 'source refreshed')
    } else {
      const message = kind === 'failed' ? 'source failed' : 'source held back'
      this.#logger.warn({ source, problem: refreshed.error }, message)
    }
  }

  /** Tells of a failure of weir's own work that stops nothing. */
  failed(error: unknown): void {
    this.#logger.error({ error: errorRecord(error, isOwnWork) }, 'failed')
  }

  /** Tells of an error that was met while answering; `route` is the template of its path. */
  answerFailed(error: unknown, route: string | null): void {
    this.#logger.error({ route, error: errorRecord(error, quotesNobody) }, 'answer failed')
  }

  /** One access line, at `debug`. */
  noteAnswer(route: string, method: string, status: number, seconds: number): void {
    if (!this.#logger.isLevelEnabled('debug')) return
    const known = knownMethods.has(method) ? method : 'other'
    const ms = Math.round(seconds * 1e6) / 1e3
    this.#logger.debug({ route, method: known, status, ms }, 'answered')
  }

  stopping(): void {
    this.#logger.info('stopping')
  }

  stopped(): void {
    this.#logger.info('stopped')
  }

  /** Tells of an error that nobody caught, which ends the process. */
  broken(error: unknown): void {
    this.#logger.fatal({ error: errorRecord(error, quotesNobody) }, 'broken')
  }

  /** Resolves when all is written, or when nobody has read it for a second. */
  async flush(): Promise<void> {
    await this.#output.flush(flushMs)
  }

  /** Ends the process, with the last lines written as far as somebody reads them. */
  exit(code: number): void {
    const exit = (): never => process.exit(code)
    this.flush().then(exit, exit)
  }
}

/**
 * Ends the process with `exitCode` at the first error that nobody caught, once the log tells of it: what
 * it left half done is not known. A supervisor starts weir again, which then reads its database through.
 *
 * Returns a function that leaves such errors to the runtime again.
 */
export function endWhenBroken(log: Log, exitCode: number): () => void {
  const end = (error: unknown): void => {
    log.broken(error)
    log.exit(exitCode)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
  return () => {
    process.off('uncaughtException', end)
    process.off('unhandledRejection', end)
  }
}
