/** Every full list, checked by the program it is for. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { StaticNetFilteringEngine } from '@gorhill/ubo-core'
import starterPath from 'eth-phishing-detect/src/config.json' with { type: 'file' }
import { dataFolder, describeWith, realData, testWith } from '../../needs.ts'
import { findWanted, hostileValues, listText, nastyNames } from './list-text.ts'
import { findPath, listProgram, type Program, unboundConfig } from './programs.ts'

setDefaultTimeout(40_000)

const realList = 'domains/phishing_domains_union.txt.gz'
const realNamesMax = 20_000

/** Returns some of the names of the real lists, spread over them; none where they are absent. */
function realNames(): string[] {
  if (!realData(realList).isMet) return []
  const names = gunzipSync(Bun.mmap(join(dataFolder, realList)))
    .toString()
    .split('\n')
  const step = Math.ceil(names.length / realNamesMax)
  return names.filter((_, index) => index % step === 0)
}

/** The names of the list that comes with weir. */
function starterNames(config: { readonly blacklist: readonly string[] }): string[] {
  return [...new Set(config.blacklist)]
}

/** Values as a store might hold them. */
const inputs: readonly (readonly [string, readonly string[]])[] = [
  ['nothing', []],
  ['nasty names', [...nastyNames, ...hostileValues]],
  ['the embedded list', starterNames(await Bun.file(starterPath).json())],
  ['real lists', realNames()],
]

let directory: string
let blocker: StaticNetFilteringEngine
beforeAll(async () => {
  blocker = await StaticNetFilteringEngine.create()
  directory = mkdtempSync(join(tmpdir(), 'weir-programs-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

/** Writes a file of the test's and returns its path. */
async function write(name: string, text: string): Promise<string> {
  const path = join(directory, name)
  await Bun.write(path, text)
  return path
}

/** Can a label of three letters stand before the name? */
const hasRoomBelow = (name: string): boolean => name.length <= 249

/** Runs a check and expects it to find nothing; returns what it said. */
async function accepts(program: Program, ...options: readonly string[]): Promise<string> {
  const child = Bun.spawn([findPath(program) ?? '', ...options], { stdout: 'pipe', stderr: 'pipe' })
  const said = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect({ program, code: await child.exited, said: said.join('') }).toMatchObject({ code: 0 })
  return said.join('')
}

for (const [which, values] of inputs) {
  const describeLists = which === 'real lists' ? describeWith(realData(realList)) : describe
  describeLists(`full lists of ${which}`, () => {
    test('domains.txt is names, each once', async () => {
      const lines = listText('domains.txt', values).split('\n')
      const names = lines.filter((line) => line !== '' && !line.startsWith('#'))
      expect(names).toEqual(findWanted('domains.txt', values))
      expect(new Set(names).size).toBe(names.length)
      for (const name of names) expect(URL.canParse(`http://x${name}/`)).toBe(true)
    })

    test('domains.hosts is an address and a name a line', async () => {
      const lines = listText('domains.hosts', values).split('\n')
      const entries = lines.map((line) => line.replace(/#.*/, '').trim()).filter(Boolean)
      const fields = entries.map((line) => line.split(/\s+/))
      expect(
        fields.every(
          ([address, name, more]) =>
            address === '0.0.0.0' && name !== undefined && more === undefined,
        ),
      ).toBe(true)
      expect(fields.map(([, name]) => name ?? '')).toEqual(findWanted('domains.hosts', values))
    })

    testWith(listProgram('dnsmasq'))('domains.dnsmasq is accepted by dnsmasq', async () => {
      const list = await write('domains.dnsmasq', listText('domains.dnsmasq', values))
      expect(await accepts('dnsmasq', '--test', `--conf-file=${list}`)).toContain('syntax check OK')
    })

    testWith(listProgram('unbound-checkconf'))(
      'domains.unbound is accepted by unbound',
      async () => {
        const list = await write('domains.unbound', listText('domains.unbound', values))
        const config = await write(
          'checked.conf',
          `${unboundConfig(directory)}include: "${list}"\n`,
        )
        expect(await accepts('unbound-checkconf', config)).toContain('no errors')
      },
    )

    testWith(listProgram('named-checkzone'))('domains.rpz is accepted by named', async () => {
      const list = await write('domains.rpz', listText('domains.rpz', values))
      // As long a name as is promised to have room.
      const zone = `${'z'.repeat(40)}.rpz.policy.example.org`.padEnd(63, 'x')
      const said = await accepts('named-checkzone', zone, list)
      expect(said).toContain('loaded serial 3')
      expect(said).not.toContain('warning')
    })

    test('domains.adblock makes uBlock Origin block names and what is below, and nothing else', async () => {
      const raw = listText('domains.adblock', values)
      await blocker.useLists([{ name: 'weir', raw }])
      const blocks = (host: string): boolean =>
        blocker.matchRequest({
          originURL: 'https://origin.example.org/',
          url: `https://${host}/page`,
          type: 'document',
        }) === 1
      const names = findWanted('domains.adblock', values).filter(hasRoomBelow)
      expect(names.filter((name) => !blocks(name) || !blocks(`www.${name}`))).toEqual([])
      const listed = new Set(names)
      const isListed = (name: string): boolean =>
        listed.has(name) || (name.includes('.') && isListed(name.slice(name.indexOf('.') + 1)))
      const others = names.flatMap((name) => [`x${name}`, `${name}.example.org`])
      expect(others.filter((name) => !isListed(name) && blocks(name))).toEqual([])
      expect(blocks('innocent.example.org')).toBe(false)
    })
  })
}
