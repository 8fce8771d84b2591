/**
 * A bulk check of 500 items over HTTP (half URLs, 30 % domains, 20 % digests, a fifth of all listed),
 * against a bare route that only parses the same body.
 */

import { createApp } from '../src/http/app.ts'
import { nameAt } from './fixture.ts'
import { interleave, leastCost } from './load.ts'
import { type BenchRow, median, printRows } from './rounds.ts'
import { benchServices, buildWorld, digestAt, digestsListed, type World } from './world.ts'

const items = 500
const rounds = 7
const connections = 16
const path = '/api/v1/check/bulk'

/** Every fifth is listed. */
const nameOf = (index: number): string => (index % 5 === 0 ? nameAt(index) : `x${nameAt(index)}`)

function bodyOfItems(): string {
  const indexes = Array.from({ length: items }, (_, index) => index)
  return JSON.stringify({
    urls: indexes.slice(0, 250).map((index) => `https://${nameOf(index)}/account?id=${index}`),
    domains: indexes.slice(250, 400).map(nameOf),
    hashes: indexes
      .slice(400)
      .map((index) => digestAt(index % 5 === 0 ? index : index + digestsListed)),
  })
}

/** Measures bulk checks; takes about a quarter of a minute. */
export async function benchBulk(world: World): Promise<BenchRow[]> {
  const app = createApp(benchServices(world, () => '203.0.113.1'))
  const own = { hostname: '127.0.0.1', port: 0, development: false } as const
  const served = Bun.serve({ ...app.serveOptions, ...own, fetch: app.fetch })
  const parseOnly = Bun.serve({
    ...own,
    fetch: async (request) => {
      const body: unknown = await request.json()
      return new Response(typeof body)
    },
  })
  try {
    const load = { paths: [path], body: bodyOfItems(), connections }
    const [bulk = [], bare = []] = await interleave(load, [served, parseOnly], rounds)
    return [
      {
        name: `POST ${path}, ${items} items`,
        value: Math.round(median(bulk.map(({ perSecond }) => perSecond))),
        unit: 'requests/s',
        yardstick: 'a bare route that parses the body',
        ratio: leastCost(bare) / leastCost(bulk),
        goal: '≥ 0.25',
      },
    ]
  } finally {
    await Promise.all([served.stop(true), parseOnly.stop(true)])
  }
}

if (import.meta.main) {
  using world = await buildWorld()
  printRows(await benchBulk(world))
}
