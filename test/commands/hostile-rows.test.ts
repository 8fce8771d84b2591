/**
 * What comes out when the database holds what no import lets in (safety, §7 lines 22 to 24): lists
 * that are fed to blockers and spreadsheets stay what they are.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import platformFacts from '../../data/shared-infrastructure.txt' with { type: 'text' }
import { checkPath, DataDir, importList, lines, Server } from './process.ts'

/** Machines are shared. */
setDefaultTimeout(60_000)

const platform = /^(\S+) tenant$/m.exec(platformFacts)?.[1] ?? ''
const tenant = `tenant.${platform}`

/** Values in rows of the database, keyed by what was imported for them. */
const injected: Readonly<Record<string, string>> = {
  'line.example': 'line.example\nsecond.example',
  'return.example': 'return.example\r0.0.0.0 third.example',
  'space.example': 'space.example fourth.example',
  'comment.example': 'comment.example#x',
  'nul.example': 'nul.example\0',
  'formula.example': '=cmd|calc.example',
}
const brand = "=cmd|'/C calc'!A0"

const dataDir = new DataDir()
let server: Server

beforeAll(async () => {
  const input = lines('good.example', tenant, ...Object.keys(injected))
  await importList(['-'], { dataDir, input })
  const quoted = (text: string): string => `CAST(X'${Buffer.from(text).toString('hex')}' AS TEXT)`
  for (const [name, value] of Object.entries(injected)) {
    dataDir.write(`UPDATE indicator SET value = ${quoted(value)} WHERE value = '${name}'`)
  }
  dataDir.write(
    `UPDATE indicator SET target_brand = ${quoted(brand)}, target_brand_origin = 'source' WHERE value = 'good.example'`,
  )
  server = await Server.start(dataDir)
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  dataDir[Symbol.dispose]()
})

describe('the blacklist of such a database', () => {
  const list = (format: string): Promise<string> =>
    server.text(`/api/v1/blacklist?limit=1000&format=${format}`)

  test('holds in txt and hosts whole names only, and no platform', async () => {
    const names = ['good.example', tenant].toSorted()
    expect((await list('txt')).split('\n').toSorted()).toEqual(['', ...names])
    const entries = (await list('hosts')).split('\n').filter((line) => !line.startsWith('#'))
    expect(entries.toSorted()).toEqual(['', ...names.map((name) => `0.0.0.0 ${name}`)])
  })

  test('holds all of it in json and csv, the platform with its flag', async () => {
    const rows: Record<string, string>[] = parse(await list('csv'), { columns: true })
    const { domains } = await server.json('/api/v1/blacklist?limit=1000')
    expect(rows).toHaveLength(3 + Object.keys(injected).length)
    expect(rows.find(({ domain }) => domain === platform)).toMatchObject({ do_not_block: '1' })
    expect(domains).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ domain: platform, do_not_block: 1 }),
        expect.objectContaining({ domain: tenant, do_not_block: 0 }),
        expect.objectContaining({ domain: injected['line.example'] }),
      ]),
    )
  })

  test('gives a spreadsheet nothing to run', async () => {
    const rows: string[][] = parse(await list('csv'))
    const cells = rows.flat()
    expect(cells).toContain(`'${brand}`)
    for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r]/)
  })
})

test('a platform is answered as such, a listed tenant as found', async () => {
  expect(await server.json(checkPath(`https://other.${platform}/x`))).toMatchObject({
    status: 'shared_infrastructure',
    sharedInfrastructure: true,
    note: expect.stringMatching(/\w/),
  })
  expect(await server.json(checkPath(`https://${tenant}/x`))).toMatchObject({ status: 'found' })
})
