/**
 * The log of `weir serve`: lines of JSON on standard output, one per event, with the level as a word and
 * the time as RFC 3339. Every kind of line is written here and nowhere else.
 *
 * No line contains what people look up: an access line has the template of the route and never the
 * path, and an error that occurred while answering is logged without its message, unless its class
 * never quotes its input (`StoreError`: files and operations). Background work (sources, copies,
 * views) has seen no requests, so its errors are logged in full.
 */

import { type Logger, pino, stdTimeFunctions } from 'pino'
import type { LogLevel } from '../config.ts'
import type { AnswerObserver } from '../http/observed.ts'
import type { Refreshed } from '../ingest/refresh.ts'
import { StoreError } from '../store/store-error.ts'
import { errorRecord } from './error-record.ts'
import { LineOutput } from './line-output.ts'

const standardOutput = 1

/** How long the process waits at its end for a reader to take the last lines. */
const flushMs = 1_000

/** The methods that an access line names; a client can make up others. */
const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

/** The facts that are logged at the start. */
export interface Started {
  readonly version: string
  readonly address: string
  readonly data: string
  readonly indicators: number
}

const isBackgroundWork = (): boolean => true
const isSafeToQuote = (error: unknown): boolean => error instanceof StoreError

/** Returns the line that reports lost lines; it bypasses the logger, whose queue is full. */
function lostLine(lines: number): string {
  const time = new Date().toISOString()
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'log lines lost: the reader is too slow' })}\n`
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

  /** Logs how refreshing a source went. */
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

  /** Logs a failure of background work that stops nothing. */
  failed(error: unknown): void {
    this.#logger.error({ error: errorRecord(error, isBackgroundWork) }, 'failed')
  }

  /** Logs an error that occurred while answering; `route` is the template of its path. */
  answerFailed(error: unknown, route: string | null): void {
    this.#logger.error({ route, error: errorRecord(error, isSafeToQuote) }, 'answer failed')
  }

  /** Logs one answer, at `debug`. */
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

  /** Logs an uncaught error, which ends the process. */
  broken(error: unknown): void {
    this.#logger.fatal({ error: errorRecord(error, isSafeToQuote) }, 'broken')
  }

  /** Resolves when all lines are written, or after a second without a reader. */
  async flush(): Promise<void> {
    await this.#output.flush(flushMs)
  }

  /** Ends the process after writing the last lines, if they are read. */
  exit(code: number): void {
    const exit = (): never => process.exit(code)
    this.flush().then(exit, exit)
  }
}

/**
 * Logs the first uncaught error and ends the process with `exitCode`: what the error left half done is
 * unknown. A supervisor starts weir again, which then checks the whole database.
 *
 * Returns a function that leaves uncaught errors to the runtime again.
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
