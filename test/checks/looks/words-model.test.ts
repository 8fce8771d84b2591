/** Listings and the operator's words in any order, against the obvious model of what follows. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parsePublicUrl, pathExpressions } from '../../../src/model/url.ts'
import type { VerdictStatus } from '../../../src/model/verdict.ts'
import { platforms, toSubject, World } from '../world.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 30)

/** What a feed lists and what an operator says, and what follows from it in the obvious way. */
class Model {
  readonly listed = new Set<string>()
  readonly words = new Map<string, 'block' | 'allow'>()

  #isActive(value: string): boolean {
    const word = this.words.get(value)
    return word === 'block' || (word === undefined && this.listed.has(value))
  }

  statusOf(input: string): VerdictStatus {
    const parsed = parsePublicUrl(input)
    if (!parsed.ok) throw new Error(`${input} was refused: ${parsed.reason}`)
    const url = parsed.value
    const pages = pathExpressions(url).map((key) => `http://${key}`)
    const pageWord = pages.map((page) => this.words.get(page)).find((word) => word !== undefined)
    if (pageWord !== undefined) return pageWord === 'allow' ? 'not_found' : 'found'

    const platform = platforms.findPlatform(url.host)
    const labels = url.isAddress ? [url.host] : url.host.split('.')
    const names = url.isAddress
      ? labels
      : labels.map((_, index) => labels.slice(index).join('.')).slice(0, -1)
    const isBlockable = (name: string): boolean =>
      this.words.get(name) === 'block' || platforms.findPlatform(name)?.apex !== name
    const nearest = names.find(
      (name) => this.words.has(name) || (this.#isActive(name) && isBlockable(name)),
    )
    if (nearest !== undefined && this.words.get(nearest) === 'allow') return 'not_found'
    const isExact = (page: string): boolean => !page.endsWith('/') || page === url.value
    const isListedPage = pages.some(
      (page) =>
        this.#isActive(page) &&
        (platform === null || isExact(page) || page.split('/').length - 4 >= 2),
    )
    if (nearest !== undefined || isListedPage) return 'found'
    if (platform !== null) return 'shared_infrastructure'
    const others = [...this.listed, ...this.words.keys()].filter((value) => this.#isActive(value))
    return others.some((value) => value.startsWith(`http://${url.host}/`))
      ? 'suspicious'
      : 'not_found'
  }
}

const modelHosts = [
  'a.example',
  'www.a.example',
  'x.www.a.example',
  'hosting.example',
  't.hosting.example',
  'u.t.hosting.example',
  'docs.example',
  '203.0.113.5',
]
const paths = ['/', '/d/', '/d/e/', '/d/e', '/d/e/f', '/d/e?q=1', '/x']
const modelPages = modelHosts.flatMap((host) => paths.map((path) => `http://${host}${path}`))
/** A feed never lists an apex: it is there while it harbours something. */
const listable = [...modelHosts, ...modelPages].filter(
  (value) => !['hosting.example', 'docs.example'].includes(value),
)

const step = fc.oneof(
  fc.record({
    kind: fc.constant('list' as const),
    values: fc.subarray(listable, { maxLength: 12 }),
  }),
  fc.record({
    kind: fc.constant('say' as const),
    verdict: fc.constantFrom('block' as const, 'allow' as const, 'clear' as const),
    value: fc.oneof(fc.constantFrom(...modelHosts), fc.constantFrom(...modelPages)),
  }),
)

describe('words and listings', () => {
  test('in any order answer as the obvious model does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), async (steps) => {
        const world = new World()
        const model = new Model()
        for (const action of steps) {
          if (action.kind === 'list') {
            await world.list(action.values.map(toSubject))
            model.listed.clear()
            for (const value of action.values) model.listed.add(value)
          } else {
            const { verdict, value } = action
            await world.say(verdict, value)
            if (verdict === 'clear') model.words.delete(value)
            else model.words.set(value, verdict)
          }
        }
        for (const asked of modelPages) {
          expect([asked, world.ask(asked)[0]]).toEqual([asked, model.statusOf(asked)])
        }
        world.db.remove()
      }),
      { numRuns: runs },
    )
  }, 120_000)
})
