/** The snapshot of the views: a start may use it, and answers the same without it. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { checkPath, DataDir, importList, manyNames, Server } from './process.ts'

describe('the snapshot of the views', () => {
  const asked = ['n7.example', 'login.n2999.example', 'n3000.example', 'clean.example']

  const answersOf = (server: Server): Promise<string[]> =>
    Promise.all(asked.map((value) => server.text(checkPath(value))))

  const damages: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ['as it was written', (bytes) => bytes],
    ['empty', () => Buffer.alloc(0)],
    ['cut short', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['damaged in its head', (bytes) => bytes.fill('7', 30, 40)],
    ['damaged in its tables', (bytes) => bytes.fill(0, 100_000, 600_000)],
  ]

  const dataDir = new DataDir()
  let answers: string[]
  let snapshot: Buffer

  beforeAll(async () => {
    await importList(['-'], { dataDir, input: manyNames(3_000) })
    await using server = await Server.start(dataDir)
    answers = await answersOf(server)
    await server.stop()
    snapshot = Buffer.from(await Bun.file(dataDir.at('views.snapshot')).arrayBuffer())
  })
  afterAll(() => dataDir[Symbol.dispose]())

  test.each(damages)('%s gives the same answers', async (_, damage) => {
    await dataDir.file('views.snapshot', damage(Buffer.from(snapshot)))
    await using server = await Server.start(dataDir)
    expect(await answersOf(server)).toEqual(answers)
    expect(await server.stop()).toEqual({ code: 0, err: '' })
    const rewritten = await Bun.file(dataDir.at('views.snapshot')).bytes()
    expect(rewritten.length).toBeGreaterThan(0)
  })

  test('of before an import is brought level', async () => {
    await dataDir.file('views.snapshot', snapshot)
    await importList(['-', '--source', 'later'], { dataDir, input: 'n3000.example\n' })
    await using server = await Server.start(dataDir)
    expect(await server.json(checkPath('n3000.example'))).toMatchObject({ status: 'found' })
    expect(await server.json(checkPath('n7.example'))).toMatchObject({ status: 'found' })
  })

  test('of another database is ignored', async () => {
    using other = new DataDir()
    // Several imports, so that only the epoch tells that the snapshot is not of this one's past.
    for (const name of ['other', 'second', 'third', 'fourth']) {
      await importList(['-', '--source', name], { dataDir: other, input: `${name}.example\n` })
    }
    await other.file('views.snapshot', snapshot)
    await using server = await Server.start(other)
    expect(await server.json(checkPath('other.example'))).toMatchObject({ status: 'found' })
    expect(await server.json(checkPath('n7.example'))).toMatchObject({ status: 'not_found' })
  })
})
