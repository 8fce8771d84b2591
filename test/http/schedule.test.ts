import { describe, expect, test } from 'bun:test'
import { startSchedule } from '../../src/http/schedule.ts'

describe('startSchedule', () => {
  test('goes on after a job that fails, and never overlaps one', async () => {
    const reported: unknown[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    let under = 0
    let most = 0
    let failures = 0
    const schedule = startSchedule(
      [
        {
          pattern: '* * * * * *',
          run: async () => {
            failures++
            if (failures === 2) resolve()
            throw new Error('the job failed')
          },
        },
        {
          pattern: '* * * * * *',
          run: async () => {
            under++
            most = Math.max(most, under)
            await promise
            under--
          },
        },
      ],
      (error) => reported.push(error),
    )
    await promise
    schedule.stop()
    expect(most).toBe(1)
    expect(reported.length).toBeGreaterThanOrEqual(1)
    expect(String(reported[0])).toContain('the job failed')
  }, 20_000)
})
