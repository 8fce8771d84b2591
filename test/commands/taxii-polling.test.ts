/** TAXII clients of a running server, while other processes import, and while it is killed. */

import { describe, expect, test } from 'bun:test'
import { answerOf, roots, type TaxiiAnswer, taxiiType } from '../http/taxii-world.ts'
import { DataDir, eventually, importList, Server } from './process.ts'

const pageLimit = 400

async function ask(server: Server, path: string): Promise<TaxiiAnswer> {
  const response = await fetch(`${server.url}${path}`, { headers: { accept: taxiiType } })
  const answer = await answerOf(response)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
  return answer
}

const objectsAt = (collection: string): string => `${roots[0]}collections/${collection}/objects/`

/** Reads a collection from its beginning to its end. */
async function whole(server: Server, collection: string): Promise<Map<string, string>> {
  const held = new Map<string, string>()
  for (let query = 'limit=10000'; ; ) {
    const { objects, json } = await ask(server, `${objectsAt(collection)}?${query}`)
    for (const object of objects) held.set(object.id, JSON.stringify(object))
    if (json.more !== true) return held
    query = `limit=10000&next=${json.next}`
  }
}

/** How a poller says from when on it wants to read. */
type Way = 'header' | 'clock' | 'exact clock'

/** Polls one collection again and again. */
class Poller {
  readonly held = new Map<string, string>()
  readonly #server: Server
  readonly #path: string
  readonly #way: Way
  #after = '2000-01-01T00:00:00Z'

  constructor(server: Server, collection: string, way: Way) {
    this.#server = server
    this.#path = objectsAt(collection)
    this.#way = way
  }

  async poll(): Promise<void> {
    const startedAt = new Date().toISOString()
    let query = `limit=${pageLimit}&added_after=${this.#after}`
    for (;;) {
      const { objects, json, headers } = await ask(this.#server, `${this.#path}?${query}`)
      for (const object of objects) this.held.set(object.id, JSON.stringify(object))
      if (this.#way === 'header') {
        this.#after = headers.get('x-taxii-date-added-last') ?? this.#after
      }
      if (json.more !== true) break
      query =
        this.#way === 'header'
          ? `limit=${pageLimit}&added_after=${this.#after}`
          : `limit=${pageLimit}&next=${json.next}`
    }
    if (this.#way === 'clock') this.#after = startedAt
    if (this.#way === 'exact clock') this.#after = startedAt.replace('Z', '000Z')
  }
}

const names = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `secure-paypal-login-${from + index}.xyz\n`).join(
    '',
  )

describe('while other processes import', () => {
  test('whoever polls, by whatever clock, ends with exactly the collection', async () => {
    using dataDir = new DataDir()
    await using server = await Server.start(dataDir)
    const collections = ['domain-blacklist', 'campaigns']
    const pollers = collections.flatMap((collection) =>
      (['header', 'clock', 'exact clock'] as const).map(
        (way) => new Poller(server, collection, way),
      ),
    )
    let isImporting = true
    const imports = async (): Promise<void> => {
      for (const [from, to] of [
        [0, 3_000],
        [1_000, 4_000],
        [1_000, 1_500],
        [0, 2_000],
      ] as const) {
        const list = await dataDir.file('list.txt', names(from, to))
        const other = await dataDir.file('other.txt', names(to, to + 500))
        // Two at once write in turns.
        await Promise.all([
          importList([list, '--source', 'list', '--force'], { dataDir }),
          importList([other, '--source', 'other', '--force'], { dataDir }),
        ])
      }
    }
    const importing = imports().finally(() => {
      isImporting = false
    })
    const polling = pollers.map(async (poller) => {
      while (isImporting) await poller.poll()
    })
    await Promise.all([importing, ...polling])

    const [{ count } = { count: 0 }] = dataDir.rows<{ count: number }>(
      'SELECT count(*) AS count FROM stix_id WHERE owner > 0',
    )
    // Every name was exported at some time, and all but a few that look like two brands have one.
    expect(count).toBeGreaterThan(2 * 4_450)
    const all = await eventually('the last batch to be shown', async () => {
      const [domains, campaigns] = await Promise.all(collections.map((each) => whole(server, each)))
      const standing = [...(domains ?? [])].filter(([, text]) => text.includes('"labels"'))
      return standing.length === 2_500 ? [domains, campaigns] : null
    })
    for (const [index, poller] of pollers.entries()) {
      await poller.poll()
      const wanted = all[index < 3 ? 0 : 1]
      expect(poller.held.size).toBe(wanted?.size ?? 0)
      const differing = [...(wanted ?? [])].filter(([id, text]) => poller.held.get(id) !== text)
      expect(differing).toEqual([])
    }
  })
})

describe('when the server is killed between two pages', () => {
  test('the cursor goes on: nothing is missed, nothing doubled, every byte the same', async () => {
    using dataDir = new DataDir()
    const list = await dataDir.file('list.txt', names(0, 1_500))
    await importList([list, '--source', 'list'], { dataDir })
    const texts: string[] = []
    const ids: string[] = []
    let query = 'limit=500'
    for (let isLast = false; !isLast; ) {
      await using server = await Server.start(dataDir)
      const path = `${objectsAt('campaigns')}?${query}`
      const answer = await eventually('what was imported to be shown', async () => {
        const first = await ask(server, path)
        return first.objects.length > 2 ? first : null
      })
      expect((await ask(server, path)).text).toBe(answer.text)
      ids.push(...answer.ids)
      texts.push(...answer.objects.map((object) => JSON.stringify(object)))
      isLast = answer.json.more !== true
      query = `next=${answer.json.next}&limit=1000`
      server.signal('SIGKILL')
      await server.ended()
    }
    await using server = await Server.start(dataDir)
    const all = await whole(server, 'campaigns')
    expect(ids).toEqual([...all.keys()])
    expect(texts).toEqual([...all.values()])
    // A few names look like two brands, and have none.
    expect(ids.length).toBeGreaterThan(2 * 1_450)
    for (const id of ids.slice(0, 20)) {
      const { text } = await ask(server, `${objectsAt('campaigns')}${id}/`)
      expect(text).toBe(`{"more":false,"objects":[${all.get(id)}]}`)
    }
  })
})
