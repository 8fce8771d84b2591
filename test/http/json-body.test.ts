/** Reading JSON bodies: bodies that would be costly to parse, and chunked ones. */

import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { t } from 'elysia'
import { readJsonBody } from '../../src/http/json-body.ts'

const check = TypeCompiler.Compile(
  t.Object({ texts: t.Array(t.String()) }, { additionalProperties: false }),
)
const bytesMax = 2 ** 20

const read = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}) =>
  readJsonBody(
    new Request('http://weir.test/', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    }),
    bytesMax,
    check,
  )

function chunked(...parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

const filler = 'x'.repeat(70_000)

describe('readJsonBody', () => {
  const taken: readonly (readonly [string, string[]])[] = [
    ['brackets inside a text', [filler, '['.repeat(1000), '{'.repeat(1000)]],
    ['commas inside a text', [filler, ','.repeat(20_000)]],
    [
      'escaped quotes and backslashes',
      [filler, '"'.repeat(999), '\\'.repeat(999), '\\"[['.repeat(99)],
    ],
    ['9,000 items', Array.from({ length: 9_000 }, () => 'x'.repeat(10))],
  ]
  test.each(taken)('takes %s', async (_name, texts) => {
    expect(await read(JSON.stringify({ texts }))).toEqual({ ok: true, value: { texts } })
  })

  const refused: readonly (readonly [string, string])[] = [
    ['lists in lists', `{"texts":${'['.repeat(40_000)}${']'.repeat(40_000)}}`],
    ['objects in objects', `${'{"texts":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['half a million items', `{"texts":[${'"",'.repeat(300_000)}""]}`],
    ['an endless text', `{"texts":["${'\\"'.repeat(100_000)}`],
    ['brackets after a text that only seems open', `["${filler}\\\\",${'['.repeat(100)}`],
  ]
  test.each(refused)('refuses %s', async (_name, body) => {
    const answer = await read(body)
    expect(answer.ok).toBe(false)
    if (!answer.ok) expect(answer.refusal.status).toBe(400)
  })

  test('joins chunks between the bytes of a character', async () => {
    const bytes = new TextEncoder().encode('{"texts":["bücher"]}')
    const middle = bytes.indexOf(0xc3) + 1
    expect(await read(chunked(bytes.slice(0, middle), bytes.slice(middle)))).toEqual({
      ok: true,
      value: { texts: ['bücher'] },
    })
  })

  test('counts the bytes of a chunked body', async () => {
    const part = new Uint8Array(bytesMax / 2 + 1).fill(0x20)
    const answer = await read(chunked(part, part))
    expect(answer.ok).toBe(false)
    if (!answer.ok) expect(answer.refusal.status).toBe(413)
  })

  test('takes a byte order mark', async () => {
    const bytes = new TextEncoder().encode('\uFEFF{"texts":[]}')
    expect(await read(chunked(bytes))).toEqual({ ok: true, value: { texts: [] } })
    expect(await read('\uFEFF{"texts":[]}', { 'content-length': String(bytes.length) })).toEqual({
      ok: true,
      value: { texts: [] },
    })
  })

  test('names at most 20 wrong fields, and no longer than a hundred characters', async () => {
    const answer = await read(JSON.stringify({ texts: Array.from({ length: 99 }, () => 1) }))
    const unknown = await read(JSON.stringify({ texts: [], ['y'.repeat(500)]: 1 }))
    if (answer.ok || unknown.ok) throw new Error('taken')
    expect(JSON.parse(await answer.refusal.text()).errors).toHaveLength(20)
    const [error] = JSON.parse(await unknown.refusal.text()).errors
    expect(error.field).toBe('y'.repeat(100))
  })
})
