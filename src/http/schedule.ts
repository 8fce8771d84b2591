/**
 * Runs jobs by the clock, with Elysia's cron plugin. A job never overlaps itself, and a job that
 * fails is reported. By default the plugin runs a job in parallel with itself, and a rejection ends the process.
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
