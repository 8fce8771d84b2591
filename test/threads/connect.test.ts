/** Typed calls to a thread, and the one policy for when it ends by itself. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Thread } from '../../src/threads/connect.ts'
import { repeatWhenLost, ThreadError } from '../../src/threads/thread-error.ts'
import type { EchoOpening, OpenEcho } from './echo.ts'

let events: string[]
let reports: unknown[]
let thread: Thread<OpenEcho>

const entry = new URL('./echo.ts', import.meta.url)

const open = (opening: EchoOpening = { refusal: null }, options = {}): Thread<OpenEcho> =>
  connect<OpenEcho>({
    entry,
    name: 'the echo',
    opening,
    report: (error) => reports.push(error),
    onEvent: (event) => events.push(event),
    ...options,
  })

beforeEach(() => {
  events = []
  reports = []
  thread = open()
})
afterEach(() => thread.close())

/** Returns the reason and the message that a call is rejected with. */
async function rejection(call: Promise<unknown>): Promise<string> {
  try {
    return `resolved to ${await call}`
  } catch (error) {
    return error instanceof ThreadError ? `${error.reason}: ${error.message}` : String(error)
  }
}

async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<number[]> {
  const numbers: number[] = []
  for await (const piece of pieces) numbers.push(...piece)
  return numbers
}

describe('a call', () => {
  test('resolves to its own result, among many', async () => {
    const calls = Array.from({ length: 100 }, (_, n) => thread.call('add', n, 1))
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
  })

  test('rejects with the message and the code of what its handler threw', async () => {
    const error = await thread.call('fail', 'no room', 'SQLITE_FULL').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ThreadError)
    expect(error).toMatchObject({
      reason: 'failed',
      message: 'the echo: no room',
      code: 'SQLITE_FULL',
    })
    expect(await rejection(thread.call('unsendable'))).toStartWith('failed: the echo: ')
    expect(await thread.call('add', 1, 2)).toBe(3)
    expect(reports).toEqual([])
  })

  test('comes after the events that were pushed before it was answered', async () => {
    await thread.call('push', 'one')
    expect(events).toEqual(['one'])
  })

  test('ends when its signal aborts, on both sides', async () => {
    const controller = new AbortController()
    const call = thread.callUntil(controller.signal, 'untilAborted')
    await thread.call('add', 0, 0)
    controller.abort()
    expect(await rejection(call)).toBe('aborted: the echo: the caller gave it up')
    while (events.length === 0) await thread.call('add', 0, 0)
    expect(events).toEqual(['aborted'])
    const late = thread.callUntil(controller.signal, 'add', 1, 1)
    expect(await rejection(late)).toBe('aborted: the echo: the caller gave it up')
  })
})

describe('pieces', () => {
  test('are made one by one, and their memory is moved', async () => {
    const pieces = thread.pieces('count', 3)
    expect((await pieces.next()).value).toEqual(Uint8Array.of(1))
    await thread.call('add', 0, 0)
    expect(events).toEqual([])
    expect(await readAll(pieces)).toEqual([2, 3])
    expect(events).toEqual(['moved 0', 'moved 0', 'moved 0', 'counted'])
  })

  test('that nobody wants any more end their handler', async () => {
    const pieces = thread.pieces('count', 3)
    await pieces.next()
    await pieces.return()
    await thread.call('add', 0, 0)
    expect(events).toEqual(['counted'])
    await thread.pieces('count', 3).return()
  })

  test('are of one thread', async () => {
    const pieces = thread.pieces('count', 3)
    await pieces.next()
    expect(await rejection(thread.call('end', 'exit'))).toBe('lost: the echo: it ended')
    expect(await rejection(pieces.next())).toBe('lost: the echo: it ended')
    expect(await readAll(thread.pieces('count', 2))).toEqual([1, 2])
  })
})

describe('a thread that ends by itself', () => {
  test.each([
    ['throw', 'thrown'],
    ['reject', 'rejected'],
    ['exit', 'it ended'],
  ] as const)('by %s rejects what waits, is degraded, and starts again', async (how, why) => {
    const settled: string[] = []
    const waiting = ['a', 'b'].map(async (name) => {
      settled.push(`${name} ${await rejection(thread.call('untilAborted'))}`)
      expect(thread.isDegraded).toBe(true)
    })
    const ended = rejection(thread.call('end', how))
    await ended
    expect(await thread.call('add', 1, 2)).toBe(3)
    settled.push('next')
    await Promise.all(waiting)
    const lost = `lost: the echo: ${why}`
    expect(await ended).toBe(lost)
    expect(settled).toEqual([`a ${lost}`, `b ${lost}`, 'next'])
    expect(reports.map(String)).toEqual([`ThreadError: the echo: ${why}`])
    expect(thread.isDegraded).toBe(false)
  })

  test('for want of what it needs says so each time, until it is closed', async () => {
    const broken = open({ refusal: 'no database' })
    const why = 'lost: the echo: it cannot start: no database'
    for (let time = 1; time <= 2; time++) {
      expect(await rejection(broken.call('add', 1, 1))).toBe(why)
      expect(reports).toHaveLength(time)
      expect(broken.isDegraded).toBe(true)
    }
    const waiting = rejection(broken.call('add', 1, 1))
    await broken.close()
    expect(await waiting).toBe('stopping: the echo: weir is stopping')
  })

  test('is what becomes of one that is stuck', async () => {
    const stuck = open({ refusal: null }, { stuckMs: 200, isBrief: true })
    expect(await rejection(stuck.call('spin'))).toBe('lost: the echo: a call took over 0.2 s')
    expect(await stuck.call('add', 1, 1)).toBe(2)
    await stuck.close()
  })

  test('has work repeated that may be, five times at most', async () => {
    let tries = 0
    const once = repeatWhenLost(() =>
      ++tries === 1 ? thread.call('end', 'exit') : thread.call('add', 1, 1),
    )
    expect([await once, tries]).toEqual([2, 2])
    let deaths = 0
    const always = repeatWhenLost(() => {
      deaths++
      return thread.call('end', 'exit')
    })
    expect([await rejection(always), deaths]).toEqual(['lost: the echo: it ended', 5])
    let failures = 0
    const failing = repeatWhenLost(() => {
      failures++
      return thread.call('fail', 'no', 'X')
    })
    expect([await rejection(failing), failures]).toEqual(['failed: the echo: no', 1])
  })
})

describe('closing a thread', () => {
  test('aborts what runs, waits for it and then disposes of the handlers', async () => {
    const call = rejection(thread.call('untilAborted'))
    const pieces = thread.pieces('count', 3)
    await pieces.next()
    await thread.close()
    expect(await call).toBe('resolved to aborted')
    expect(events.toSorted()).toEqual(['aborted', 'counted', 'disposed'])
    expect(events.at(-1)).toBe('disposed')
    expect(await rejection(pieces.next())).toBe('stopping: the echo: weir is stopping')
    expect(await rejection(thread.call('add', 1, 1))).toBe('stopping: the echo: weir is stopping')
    await thread.close()
    expect(reports).toEqual([])
  })

  test('that never started does nothing', async () => {
    await thread.close()
    expect(events).toEqual([])
  })

  test('resolves when the thread ends by itself meanwhile', async () => {
    const call = rejection(thread.call('end', 'throw'))
    await thread.close()
    expect(await call).toMatch(/^(?:lost|stopping): /)
  })
})

describe('a brief thread', () => {
  test('lives as long as calls are pending', async () => {
    const brief = open({ refusal: null }, { isBrief: true })
    expect(await Promise.all([brief.call('add', 1, 1), brief.call('add', 2, 2)])).toEqual([2, 4])
    expect(await brief.call('add', 3, 3)).toBe(6)
    expect(await readAll(brief.pieces('count', 3))).toEqual([1, 2, 3])
    await brief.close()
    expect(events).not.toContain('disposed')
    expect(reports).toEqual([])
  })
})
