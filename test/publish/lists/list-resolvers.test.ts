/**
 * Full lists in the name servers they are for, each on a port of loopback: they refuse what is listed
 * and what lies below it, by themselves, and nothing else.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ListName } from '../../../src/publish/lists/list-formats.ts'
import { testWith } from '../../needs.ts'
import { DnsServer } from '../../net/dns-server.ts'
import { askAddress, type DnsReply, freePort } from './dns-question.ts'
import { findWanted, hostileValues, listText, nastyNames } from './list-text.ts'
import { findPath, listProgram, type Program, unboundConfig } from './programs.ts'

const patienceMs = 20_000
setDefaultTimeout(2 * patienceMs)

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'weir-resolvers-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

async function write(name: string, text: string): Promise<string> {
  const path = join(directory, name)
  await Bun.write(path, text)
  return path
}

/** How a name server is started with a list: its program, and its options given port and upstream. */
interface NameServer {
  readonly program: Program
  readonly list: ListName
  readonly options: (list: string, port: number, upstream: string) => Promise<string[]>
}

const forwarding = (
  port: number,
  upstream: string,
  modules: string,
): string => `${unboundConfig(directory)}server:
  interface: 127.0.0.1@${port}
  module-config: "${modules}"
forward-zone:
  name: "."
  forward-addr: ${upstream.replace(':', '@')}
`

const nameServers: readonly NameServer[] = [
  {
    program: 'dnsmasq',
    list: 'domains.dnsmasq',
    options: async (list, port, upstream) => [
      '--keep-in-foreground',
      `--conf-file=${list}`,
      `--port=${port}`,
      '--listen-address=127.0.0.1',
      '--bind-interfaces',
      '--no-resolv',
      '--no-hosts',
      '--user=',
      '--log-facility=-',
      '--pid-file=',
      `--server=${upstream.replace(':', '#')}`,
    ],
  },
  {
    program: 'unbound',
    list: 'domains.unbound',
    options: async (list, port, upstream) => {
      const config = `${forwarding(port, upstream, 'iterator')}include: "${list}"\n`
      return ['-d', '-c', await write('unbound.conf', config)]
    },
  },
  {
    program: 'unbound',
    list: 'domains.rpz',
    options: async (list, port, upstream) => {
      const zone = `rpz:\n  name: "rpz.example.org"\n  zonefile: "${list}"\n`
      const config = `${forwarding(port, upstream, 'respip iterator')}${zone}`
      return ['-d', '-c', await write('rpz.conf', config)]
    },
  },
]

const innocent = 'innocent.example.org'
const letThrough: DnsReply = { code: 0, records: 1 }
const refused: DnsReply = { code: 3, records: 0 }

/** Asks until there is an answer. */
async function ask(port: number, name: string): Promise<DnsReply> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await Bun.sleep(20)) {
    const reply = await askAddress(port, name, 250)
    if (reply !== null) return reply
  }
  throw new Error(`nothing answers on port ${port}`)
}

/** Runs a name server while `use` asks it; what it said is told when that fails. */
async function running(command: string[], use: () => Promise<void>): Promise<void> {
  const server = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' })
  const said = new Response(server.stderr).text()
  const ended = server.exited.then((code) => {
    throw new Error(`it ended with ${code}`)
  })
  try {
    await Promise.race([use(), ended])
  } catch (error) {
    server.kill()
    throw new Error(`${command[0]} failed: ${await said}`, { cause: error })
  } finally {
    server.kill()
    await server.exited
  }
}

/** Can a label of three letters stand before the name? */
const hasRoomBelow = (name: string): boolean => name.length <= 249

describe.each(nameServers)('$program with $list', ({ program, list, options }) => {
  testWith(listProgram(program), `${program} with ${list}`)(
    'refuses what is listed and nothing else',
    async () => {
      const values = [...nastyNames, ...hostileValues]
      const names = findWanted(list, values)
      const below = names.filter(hasRoomBelow).map((name) => `www.${name}`)
      await using upstream = await DnsServer.start({ [innocent]: { a: ['192.0.2.1'] } })
      const port = await freePort()
      const path = await write(list, listText(list, values))
      const command = [findPath(program) ?? '', ...(await options(path, port, upstream.address))]
      await running(command, async () => {
        expect(await ask(port, innocent)).toEqual(letThrough)
        const asked = [...upstream.asked]
        for (const name of [...names, ...below]) {
          expect({ name, reply: await ask(port, name) }).toEqual({ name, reply: refused })
        }
        // They were its own answers: it asked nobody.
        expect(upstream.asked).toEqual(asked)
        expect(await ask(port, innocent)).toEqual(letThrough)
      })
    },
  )
})
