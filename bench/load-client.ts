/** The load where `wrk` is not installed: `bun bench/load-client.ts URL FILE`, printed as wrk does. */

import { type Load, roundSeconds } from './load.ts'

async function run(base: string, { paths, body, connections }: Load): Promise<void> {
  const end = performance.now() + roundSeconds * 1000
  const latencies: number[] = []
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const loop = async (): Promise<void> => {
    for (let now = performance.now(); now < end; now = performance.now()) {
      const path = paths[latencies.length % paths.length] ?? '/'
      const response = await fetch(base + path, body === undefined ? {} : { ...post, body })
      await response.arrayBuffer()
      if (!response.ok) console.log('Non-2xx')
      latencies.push(performance.now() - now)
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  latencies.sort((a, b) => a - b)
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? 0
  console.log(`${latencies.length} requests in ${roundSeconds}s`)
  console.log(`99% ${p99.toFixed(3)}ms\nRequests/sec: ${latencies.length / roundSeconds}`)
}

const [base = '', file = ''] = process.argv.slice(2)
const load: Load = await Bun.file(file).json()
await run(base, load)
