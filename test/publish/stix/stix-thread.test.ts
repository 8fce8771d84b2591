/** The thread that writes long texts: what it writes, and what becomes of texts that end early. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { noFilter } from '../../../src/publish/stix/collections.ts'
import {
  createSerializer,
  type ObjectRequest,
  type ObjectSerializer,
  type Pieces,
} from '../../../src/publish/stix/object-writing.ts'
import { StixThread } from '../../../src/publish/stix/stix-thread.ts'
import { namesOf, TaxiiWorld } from '../../http/taxii-world.ts'

const fail = (error: unknown): never => {
  throw error
}

let world: TaxiiWorld
let thread: StixThread
beforeEach(async () => {
  world = new TaxiiWorld()
  await world.list(namesOf(2_000))
  thread = new StixThread(world.db.dataDir, createSerializer(world.db.store), fail)
})
afterEach(async () => {
  await thread.close()
  world.close()
})

const stretch = (count: number): ObjectRequest => ({
  objects: {
    kind: 'stretch',
    collection: 'campaigns',
    filter: noFilter,
    after: 0,
    upTo: Number.MAX_SAFE_INTEGER,
    count,
  },
  form: 'object',
  head: '"more":false',
})

const newest: ObjectRequest = {
  objects: { kind: 'newest', brandKeys: ['brand 1'], since: null, before: null, limit: 10_000 },
  form: 'object',
  head: '"type":"bundle"',
}

async function readText(pieces: Pieces): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of pieces) {
    text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
  }
  return text
}

/** Does the writer write elsewhere? */
async function isElsewhere(writer: ObjectSerializer, request: ObjectRequest): Promise<boolean> {
  const pieces = writer.write(request)
  const { value } = await pieces.next()
  await pieces.return()
  return value instanceof Uint8Array
}

describe('the thread that writes objects', () => {
  test('writes what this one would, also many at once', async () => {
    const here = createSerializer(world.db.store)
    const writings = [stretch(2_000), newest, { ...stretch(2_000), form: 'manifest' as const }]
    const wanted = await Promise.all(writings.map((request) => readText(here.write(request))))
    const many = Array.from({ length: 12 }, (_, index) => index % writings.length)
    const texts = await Promise.all(
      many.map((index) => readText(thread.write(writings[index] ?? newest))),
    )
    for (const [index, text] of texts.entries())
      expect(text === wanted[many[index] ?? 0]).toBe(true)
    expect(JSON.parse(wanted[1] ?? '').objects.length).toBeGreaterThan(130)
  })

  test('is left alone where there is little to write', async () => {
    expect(await isElsewhere(thread, stretch(51))).toBe(true)
    expect(await isElsewhere(thread, stretch(50))).toBe(false)
    expect(await isElsewhere(thread, { ...newest, objects: null })).toBe(false)
    const named = stretch(1_000)
    if (named.objects?.kind !== 'stretch') throw new Error('no stretch')
    const objects = { ...named.objects, filter: { ...noFilter, ids: ['indicator--x'] } }
    expect(await isElsewhere(thread, { ...named, objects })).toBe(false)
  })

  test('shows what is committed meanwhile, by whomever', async () => {
    await readText(thread.write(stretch(100)))
    await world.list(namesOf(2_001))
    const text = await readText(thread.write({ ...newest, objects: { ...all, limit: 60 } }))
    expect(text).toContain('"name":"name2000.test"')
  })

  test('goes on with others when texts are given up, before or after their first piece', async () => {
    await thread.write(stretch(2_000)).return()
    const begun = thread.write(stretch(2_000))
    await begun.next()
    await begun.return()
    const other = thread.write(newest)
    await other.next()
    expect(await readText(thread.write(newest))).toEndWith(']}')
    await other.return()
  })

  test('that fails lets those down who wait, and is replaced for the next', async () => {
    // The database is taken away: the thread has none to read.
    const reported: string[] = []
    const lost = new StixThread('/dev/null/nowhere', createSerializer(world.db.store), (error) => {
      reported.push(String(error))
    })
    const failures = await Promise.allSettled([
      readText(lost.write(newest)),
      readText(lost.write(stretch(100))),
    ])
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const again = await readText(lost.write(newest)).catch(String)
    expect(again).toContain('the thread that writes objects')
    expect(reported.join(' ')).toContain('the thread that writes objects')
    await lost.close()
  })

  test('ends with weir, and with it what is being written', async () => {
    const begun = thread.write(stretch(2_000))
    await begun.next()
    await thread.close()
    expect(await readText(begun).catch(String)).toContain('the thread that writes objects')
    expect(await readText(thread.write(newest)).catch(String)).toContain('stopping')
    // Closing it twice does no harm.
    await thread.close()
  })
})

const all = { kind: 'newest', brandKeys: null, since: null, before: null, limit: 10_000 } as const
