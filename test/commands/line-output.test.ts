/** Lines to descriptors whose readers are slow, gone, or full. */

import { afterAll, describe, expect, test } from 'bun:test'
import { closeSync, constants, mkdtempSync, openSync, read, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LineOutput } from '../../src/commands/line-output.ts'
import { fullDevice, testWith } from '../needs.ts'

const readInto = promisify(read)

const directory = mkdtempSync(join(tmpdir(), 'weir-lines-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Long enough for everything that is going to happen, and never waited for when it does. */
const patienceMs = 10_000

const outputTo = (fd: number): LineOutput => new LineOutput(fd, (count) => `lost ${count}\n`)

/** A pipe with a name; a process that opens it for both directions always has a reader. */
function makePipe(name: string): string {
  const path = join(directory, name)
  const { exitCode } = Bun.spawnSync(['mkfifo', path])
  if (exitCode !== 0) throw new Error(`mkfifo ${path} failed`)
  return path
}

/** Reads from a pipe until the text ends as `isEnd` says. */
async function readUntil(fd: number, isEnd: (text: string) => boolean): Promise<string> {
  const bytes = Buffer.alloc(65_536)
  let text = ''
  while (!isEnd(text)) {
    const { bytesRead } = await readInto(fd, bytes, 0, bytes.length, null)
    text += bytes.toString('latin1', 0, bytesRead)
  }
  return text
}

describe('LineOutput', () => {
  test('writes every line, in order', async () => {
    const path = join(directory, 'file')
    const fd = openSync(path, 'w')
    const output = outputTo(fd)
    const lines = Array.from({ length: 10_000 }, (_, n) => `line ${n} ünïcödé\n`)
    for (const line of lines) output.write(line)
    await output.flush(patienceMs)
    for (const line of lines.slice(0, 10)) output.write(line)
    await output.flush(patienceMs)
    closeSync(fd)
    expect(readFileSync(path, 'utf8')).toBe([...lines, ...lines.slice(0, 10)].join(''))
  })

  const kinds = [
    ['that waits', 0],
    ['that refuses', constants.O_NONBLOCK],
  ] as const

  test.each(kinds)('keeps what a full pipe %s leaves, up to a limit', async (_kind, flag) => {
    const path = makePipe(`full-${flag}`)
    const fd = openSync(path, constants.O_RDWR | flag)
    const reader = openSync(path, constants.O_RDWR)
    const output = outputTo(fd)
    const line = (n: number): string => `${String(n).padStart(99, '.')}\n`
    const count = 40_000
    for (let n = 0; n < count; n++) output.write(line(n))
    await output.flush(0)
    const text = await readUntil(reader, (said) => /lost \d+\n$/.test(said))
    const lines = text.split('\n').slice(0, -2)
    const lost = Number(/lost (\d+)\n$/.exec(text)?.[1])
    expect(lines.map((kept) => `${kept}\n`)).toEqual(lines.map((_, n) => line(n)))
    expect(lines.length + lost).toBe(count)
    expect(lines.length * 100).toBeLessThan(1.2 * 1_048_576)
    output.write('again\n')
    expect(await readUntil(reader, (said) => said.endsWith('\n'))).toBe('again\n')
    await output.flush(patienceMs)
    closeSync(reader)
    closeSync(fd)
  })

  test('goes on when the reader is gone', async () => {
    const path = makePipe('gone')
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const fd = openSync(path, constants.O_WRONLY)
    closeSync(reader)
    const output = outputTo(fd)
    output.write('to nobody\n')
    await output.flush(patienceMs)
    output.write('to nobody still\n')
    await output.flush(patienceMs)
    closeSync(fd)
  })

  testWith(fullDevice)('goes on when the disk is full', async () => {
    const fd = openSync('/dev/full', 'w')
    const output = outputTo(fd)
    for (let n = 0; n < 3; n++) {
      output.write('no room\n')
      await output.flush(patienceMs)
    }
    closeSync(fd)
  })
})
