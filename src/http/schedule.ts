/**
 * Runs jobs by the clock, with Elysia's cron plugin. A job never overlaps itself and one that fails
 * ends nothing: left alone, the plugin does the one and an unhandled rejection ends the process.
 */

import { cron } from '@elysiajs/cron'
import { Elysia } from 'elysia'

/** Something to be done again and again. */
export interface Job {
  /** When, as cron has it, seconds first. */
  readonly pattern: string
  run(): Promise<void>
}

/** Jobs that are being run. */
export interface Schedule {
  /** Begins no job any more; one that is under way goes on. */
  stop(): void
}

/** Starts to run `jobs`; `report` hears of those that fail. */
export function startSchedule(jobs: readonly Job[], report: (error: unknown) => void): Schedule {
  const running = jobs.map(({ pattern, run }) => {
    const app = new Elysia().use(
      cron({ name: 'job', pattern, protect: true, catch: report, run: () => run().catch(report) }),
    )
    return app.store.cron.job
  })
  return {
    stop: () => {
      for (const job of running) job.stop()
    },
  }
}
