/**
 * A process that runs commands of weir one after the other: it is sent each as a message, and answers with
 * what it printed and its exit code. What a command loads is loaded once, which is most of its time.
 */

import { readdirSync, readlinkSync } from 'node:fs'
import { main } from '../../src/main.ts'
import type { Ended } from './process.ts'

/** A command to run: its arguments, its settings, and its standard input. */
export interface Order {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: string | Uint8Array
}

/** What comes back; a process that is not ready has files open, which its end closes. */
export interface Answer {
  readonly ended: Ended
  readonly isReady: boolean
}

/** How often garbage is collected before the process is given up. */
const turnsMax = 4

const format = (values: readonly unknown[]): string =>
  `${values.map((value) => (typeof value === 'string' ? value : Bun.inspect(value))).join(' ')}\n`

async function run({ args, env, input }: Order): Promise<Ended> {
  let out = ''
  let err = ''
  console.log = (...values: unknown[]): void => {
    out += format(values)
  }
  console.error = (...values: unknown[]): void => {
    err += format(values)
  }
  process.env = env
  Reflect.set(Bun, 'stdin', new Blob([Buffer.from(input)]))
  const code = await main(args)
  return { code, out, err }
}

/** Reports whether a file of the data directory is open; where that cannot be seen, one may be. */
function holdsFiles(dataDir: string): boolean {
  if (process.platform !== 'linux') return true
  return readdirSync('/proc/self/fd').some((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(dataDir)
    } catch {
      return false
    }
  })
}

/** Resolves with whether all files are closed; a database is when the last of its statements is collected. */
async function letGo(dataDir: string): Promise<boolean> {
  for (let turn = 0; turn < turnsMax && holdsFiles(dataDir); turn++) {
    await Bun.sleep(turn)
    Bun.gc(true)
  }
  return !holdsFiles(dataDir)
}

process.on('message', (order: Order) => {
  run(order).then(
    async (ended) => {
      const isReady = await letGo(order.env['WEIR_DATA'] ?? '')
      process.send?.({ ended, isReady })
    },
    (error) => {
      process.stderr.write(Bun.inspect(error))
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))
