/** What may be logged of an error: never a message that was not meant to be. */

import { describe, expect, test } from 'bun:test'
import { errorRecord } from '../../src/commands/error-record.ts'
import { StoreError } from '../../src/store/store-error.ts'

const canary = 'canary7f3a'
const nothing = (): boolean => false

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** Returns the error with another message, after its stack was written with the first. */
function changed(error: Error, message: string): Error {
  expect(error.stack).toContain(error.message)
  error.message = message
  return error
}

describe('errorRecord', () => {
  test('has class, code and frames, and no message', () => {
    const record = errorRecord(
      thrownBy(() => new URL(`http://${canary}:99999999/`)),
      nothing,
    )
    expect(record).toMatchObject({ class: 'TypeError', code: 'ERR_INVALID_URL' })
    expect(Object.keys(record)).toEqual(['class', 'code', 'stack'])
    expect(record.stack[0]).toContain('error-record.test.ts')
    expect(record.stack.length).toBeLessThanOrEqual(20)
  })

  const likeFrames = `no\n${canary}\n    at ${canary} (${canary}:1:2)`
  const thrown: readonly (readonly [string, unknown])[] = [
    ['a message', new Error(canary)],
    ['a message of several lines', new Error(likeFrames)],
    ['a message that begins like its class', new Error(`Error: ${canary}`)],
    ['a message that was changed', changed(new Error(canary), 'other')],
    ['a message that was emptied', changed(new Error(likeFrames), '')],
    ['a message that was cut', changed(new Error(likeFrames), 'no')],
    ['a name', Object.assign(new Error('no'), { name: canary })],
    ['a code', Object.assign(new Error('no'), { code: canary })],
    ['a property', Object.assign(new Error('no'), { input: canary })],
    ['a cause', new Error('no', { cause: new RangeError(canary) })],
    ['a cause that is text', new Error('no', { cause: canary })],
    ['many errors', new AggregateError([new Error(canary)], canary)],
    ['a text', canary],
    ['an object', { message: canary }],
    ['a parser', thrownBy(() => JSON.parse(canary))],
    ['an operator', thrownBy(() => decodeURIComponent(`%${canary}`))],
    ['a class of its own', new StoreError(canary, canary, { hint: canary })],
  ]

  test.each(thrown)('holds nothing of the content of %s', (_what, error) => {
    expect(JSON.stringify(errorRecord(error, nothing))).not.toContain(canary)
  })

  test('has the message of an error that may be quoted, and of no cause that may not', () => {
    const cause = new RangeError(canary)
    const error = new StoreError('write', 'the disk is full', { cause, hint: 'free some space' })
    const record = errorRecord(error, (candidate) => candidate instanceof StoreError)
    expect(record).toMatchObject({
      class: 'StoreError',
      message: 'the disk is full; free some space',
      cause: { class: 'RangeError' },
    })
    expect(JSON.stringify(record)).not.toContain(canary)
  })

  test('ends with a chain of causes that does not', () => {
    const error = new Error('first')
    error.cause = error
    const text = JSON.stringify(errorRecord(error, nothing))
    expect(text.match(/"class"/g)).toHaveLength(4)
  })
})
