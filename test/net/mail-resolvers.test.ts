/**
 * The resolver against unbound, a name server by others, with its own names on a loopback port.
 */

import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Resolver } from '../../src/net/resolver.ts'
import { testWith } from '../needs.ts'
import { askAddress, freePort } from '../publish/lists/dns-question.ts'
import { findPath, listProgram, unboundConfig } from '../publish/lists/programs.ts'

const patienceMs = 20_000
setDefaultTimeout(2 * patienceMs)

const directory = mkdtempSync(join(tmpdir(), 'weir-mail-'))
afterAll(() => rmSync(directory, { recursive: true }))

const configOn = (port: number): string => `${unboundConfig(directory)}server:
  interface: 127.0.0.1@${port}
  module-config: "iterator"
  local-zone: "mail.test." static
  local-data: "mail.test. NS ns.mail.test."
  local-data: "ready.mail.test. A 192.0.2.9"
  local-data: "named.mail.test. MX 20 b.mail.test."
  local-data: "named.mail.test. MX 10 a.mail.test."
  local-data: "closed.mail.test. MX 0 ."
  local-data: "plain.mail.test. A 192.0.2.1"
  local-data: "words.mail.test. TXT words"
  local-zone: "gone.test." always_nxdomain
  local-zone: "refused.test." refuse
`

/** Runs unbound while `use` asks it; a failure quotes its output. */
async function withUnbound(use: (port: number) => Promise<void>): Promise<void> {
  const port = await freePort()
  const path = join(directory, 'unbound.conf')
  await Bun.write(path, configOn(port))
  const server = Bun.spawn([findPath('unbound') ?? '', '-d', '-c', path], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const output = new Response(server.stderr).text()
  try {
    const end = performance.now() + patienceMs
    while ((await askAddress(port, 'ready.mail.test', 250)) === null) {
      if (performance.now() > end) throw new Error(`nothing answers on port ${port}`)
      await Bun.sleep(20)
    }
    await use(port)
  } catch (error) {
    server.kill()
    throw new Error(`unbound failed: ${await output}`, { cause: error })
  } finally {
    server.kill()
    await server.exited
  }
}

describe('Resolver with unbound', () => {
  testWith(listProgram('unbound'), 'Resolver with unbound:')(
    'reports how every kind of domain receives mail',
    () =>
      withUnbound(async (port) => {
        const resolver = new Resolver({ servers: [`127.0.0.1:${port}`] })
        const statuses = new Map<string, string>()
        for (const name of ['named', 'closed', 'plain', 'words', 'missing']) {
          statuses.set(name, (await resolver.mail(`${name}.mail.test`)).status)
        }
        for (const name of ['gone', 'refused']) {
          statuses.set(name, (await resolver.mail(`${name}.test`)).status)
        }
        expect(Object.fromEntries(statuses)).toEqual({
          named: 'ok',
          closed: 'null',
          plain: 'implicit',
          words: 'none',
          missing: 'none',
          gone: 'no_domain',
          refused: 'unknown',
        })
        const { records } = await resolver.mail('named.mail.test')
        expect(records).toEqual([
          { priority: 10, exchange: 'a.mail.test' },
          { priority: 20, exchange: 'b.mail.test' },
        ])
      }),
  )
})
