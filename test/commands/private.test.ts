/**
 * `weir import --private`: the list answers checks, and neither its name nor its content is published.
 * Every secret of it holds the same canary, which is then looked for in everything weir says.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import platformFacts from '../../data/shared-infrastructure.txt' with { type: 'text' }
import { checkPath, DataDir, eventually, importList, Server, weir } from './process.ts'

const canary = 'canary7f3a'

const platform = /^(\S+) tenant$/m.exec(platformFacts)?.[1] ?? ''

const secrets = [
  `https://host-${canary}.example/`,
  `https://pages.example/${canary}/login`,
  `https://tenant-${canary}.${platform}/`,
]

const dataDir = new DataDir()
let server: Server

beforeAll(async () => {
  const open = 'open.example\nboth.example\n'
  await importList(['-', '--source', 'open-list'], { dataDir, input: open })
  server = await Server.start(dataDir)
  const names = ['-', '--source', `names-${canary}`, '--private']
  await importList(names, { dataDir, input: 'both.example\n' })
  const pages = await dataDir.file(`list-${canary}.txt`, `${secrets.join('\n')}\n`)
  const report = await importList([pages, '--private'], { dataDir })
  expect(report).toMatchObject({ source: `list-${canary}`, added: secrets.length, refused: {} })
  await eventually('the server has followed', async () =>
    (await server.json('/ready'))['seq'] === report['seq'] ? true : null,
  )
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  dataDir[Symbol.dispose]()
})

/** The answer of a check without the query. */
async function verdictOf(value: string): Promise<Record<string, unknown>> {
  const answer = await server.json(checkPath(value))
  return { ...answer, query: '', url: '', domain: '' }
}

describe('a private list', () => {
  test('is found, and gives only the status away', async () => {
    for (const secret of secrets) {
      const verdict = await verdictOf(secret)
      expect(verdict).toMatchObject({ status: 'found', match: null })
      expect(JSON.stringify(verdict)).not.toContain(canary)
    }
    const other = await verdictOf('https://pages.example/other')
    expect(other).toMatchObject({ status: 'suspicious', match: null })
    expect(JSON.stringify(other)).not.toContain(canary)
  })

  test.each(['json', 'csv', 'txt', 'hosts'])('is not in the block list as %s', async (format) => {
    const answer = await fetch(`${server.url}/api/v1/blacklist?format=${format}`)
    const body = await answer.text()
    expect(body).toContain('open.example')
    for (const secret of [canary, 'pages.example', platform]) expect(body).not.toContain(secret)
    expect(JSON.stringify([...answer.headers])).not.toContain(canary)
    expect(answer.headers.get('x-total-count')).toBe('2')
  })

  test('is not named next to the list that shares a name with it', async () => {
    const answer = await server.json(checkPath('both.example'))
    expect(answer).toMatchObject({ status: 'found', match: { sources: ['open-list'] } })
  })

  test('is not named by a bulk check', async () => {
    const answer = await server.text('/api/v1/check/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: ['https://pages.example/other'], domains: ['both.example'] }),
    })
    expect(JSON.parse(answer)).toMatchObject({ counts: { found: 1, suspicious: 1 } })
    expect(answer).not.toContain(canary)
  })

  test('is not named by `weir check`', async () => {
    const asked = ['https://pages.example/other', 'both.example']
    const plain = await weir(['check', ...asked], { dataDir })
    const json = await weir(['check', '--json', ...asked], { dataDir })
    expect(plain.code).toBe(1)
    expect(json.out.trimEnd().split('\n')).toHaveLength(2)
    expect(plain.out + plain.err + json.out + json.err).not.toContain(canary)
  })

  test('is not named by /ready', async () => {
    const answer = await server.text('/ready')
    expect(answer).toContain('open-list')
    expect(answer).not.toContain(canary)
  })
})
