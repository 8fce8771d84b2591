/**
 * How a real list changed over ten weeks, replayed through a publisher: after each fetch the blacklist is
 * the list, and asking again for the same costs nothing. The suite fetches it three times in the ten weeks,
 * `bun run trials stream` after each of the 44 changes.
 */

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadGuards } from '../../src/ingest/guards.ts'
import { judge } from '../../src/ingest/judge.ts'
import { dataFolder, describeWith, realData } from '../needs.ts'
import { countRounds, timeoutMs } from '../rounds.ts'
import { FetchedSource } from './fetched-source.ts'

const directory = join(dataFolder, 'stream')

async function linesOf(file: string): Promise<string[]> {
  const text = new TextDecoder().decode(
    Bun.gunzipSync(await Bun.file(join(directory, file)).bytes()),
  )
  return text.split('\n').filter((line) => line !== '')
}

/** The changes at one time: added and removed names. */
interface Step {
  readonly added: string[]
  readonly removed: string[]
}

/** Returns the changes of the ten weeks, as they are seen by a client that fetches that often. */
async function readSteps(fetches: number): Promise<Step[][]> {
  const steps = new Map<string, Step>()
  for (const line of await linesOf('deltas_2026-04..06-14.tsv.gz')) {
    const [time = '', sign, name = ''] = line.split('\t')
    const step = steps.get(time) ?? { added: [], removed: [] }
    steps.set(time, step)
    if (sign === '+') step.added.push(name)
    else step.removed.push(name)
  }
  const all = [...steps.values()]
  const stretch = Math.max(1, Math.ceil(all.length / fetches))
  return Array.from({ length: Math.ceil(all.length / stretch) }, (_, n) =>
    all.slice(n * stretch, (n + 1) * stretch),
  )
}

/** A mass addition and its mass removal, as large as the largest that was seen in the real list. */
async function burst(held: ReadonlySet<string>): Promise<Step[][]> {
  const others = await linesOf('../domains/pd_active3_2025-12-26.txt.gz')
  const added = others.filter((name) => !held.has(name)).slice(0, 1_683)
  return [[{ added, removed: [] }], [{ added: [], removed: added }]]
}

describeWith(realData('stream'))('a real list, replayed', () => {
  test(
    'the blacklist follows it through bursts and outages',
    async () => {
      await using feed = new FetchedSource()
      const guards = loadGuards()
      const held = new Set(await linesOf('base_2026-04-05.txt.gz'))
      const judgedAs = new Map<string, string | null>()
      const judgedValue = (name: string): string | null => {
        const known = judgedAs.get(name)
        if (known !== undefined) return known
        const judged = judge({ kind: 'name', text: name }, guards)
        const value = judged.ok && judged.value.type === 'domain' ? judged.value.value : null
        judgedAs.set(name, value)
        return value
      }
      const reader = new Database(feed.db.store.path, { readonly: true })
      const published = reader.query<{ value: string }, []>(
        `SELECT value FROM indicator WHERE published = 1 AND type = 'domain'
        AND sources <> 'shared-infrastructure'`,
      )
      const expectLevel = (): void => {
        const wanted = new Set([...held].map(judgedValue).filter((value) => value !== null))
        const found = published.all().map(({ value }) => value)
        expect(found.filter((value) => !wanted.has(value))).toEqual([])
        expect(found.length).toBe(wanted.size)
      }
      const serve = (names: Iterable<string>): void =>
        feed.server.serve('/list.txt', { body: [...names].map((name) => `${name}\n`).join('') })

      serve(held)
      await feed.refresh()
      expectLevel()
      const stretches = [...(await readSteps(countRounds(3))), ...(await burst(held))]
      for (const [index, steps] of stretches.entries()) {
        for (const { added, removed } of steps) {
          for (const name of removed) held.delete(name)
          for (const name of added) held.add(name)
        }
        serve(held)
        const refreshed = await feed.refresh()
        const change = steps.reduce((sum, step) => sum + step.added.length + step.removed.length, 0)
        if (change > 0) expect(refreshed).toMatchObject({ kind: 'imported' })
        expectLevel()
        if (index % 10 !== 0) continue
        const before = feed.db.store.meta()
        expect(await feed.refresh()).toMatchObject({ kind: 'unchanged' })
        expect(feed.server.seen.at(-1)?.status).toBe(304)
        expect(feed.db.store.meta()).toEqual(before)
      }
      const half = [...held].slice(0, Math.floor(held.size / 2) - 200)
      for (const useless of ['', '<!DOCTYPE html><title>503</title>', half.join('\n')]) {
        feed.server.serve('/list.txt', { body: useless })
        await feed.refresh()
        expectLevel()
        expect(feed.overview()).toMatchObject({ state: 'failing' })
        expect(feed.overview().error).toContain('its earlier entries remain')
      }
      serve(held)
      await feed.refresh()
      expect(feed.overview()).toMatchObject({ state: 'ok', error: null })
      reader.close()
    },
    timeoutMs(countRounds(3)),
  )
})
