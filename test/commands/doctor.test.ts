import { describe, expect, test } from 'bun:test'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { DataDir, importList, lines, parseRecord, Server, weir } from './process.ts'

async function findings(
  dataDir: DataDir,
  env: Record<string, string> = {},
): Promise<{ code: number; all: string[] }> {
  const { code, out } = await weir(['doctor', '--json'], { dataDir, env })
  const { findings: list } = parseRecord(out)
  if (!Array.isArray(list)) throw new Error('no findings')
  const all = list.map((finding: unknown) => {
    const { check, state, detail } = parseRecord(JSON.stringify(finding))
    return `${String(state)} ${String(check)}: ${String(detail)}`
  })
  return { code, all }
}

describe('weir doctor', () => {
  test('finds no problem where there is none', async () => {
    using dataDir = new DataDir()
    await importList(['-', '--source', 'list'], { dataDir, input: lines('a.example') })
    await using _ = await Server.start(dataDir)
    const { code, all } = await findings(dataDir)
    expect(all.filter((finding) => !finding.startsWith('ok '))).toEqual([])
    expect(code).toBe(0)
    expect(all.join('\n')).toMatch(/database: sound, 1 indicators/)
    expect(all.join('\n')).toMatch(/server: process \d+ is running/)
  })

  test('names a misspelt setting, a missing database, and an old backup', async () => {
    using dataDir = new DataDir()
    const empty = await findings(dataDir, { WEIR_PROT: '1' })
    expect(empty.code).toBe(1)
    expect(empty.all).toContainEqual(
      'warn settings: unknown setting WEIR_PROT, ignored; did you mean WEIR_PORT?',
    )
    expect(empty.all).toContainEqual(expect.stringContaining('warn database: there is none'))

    await importList(['-', '--source', 'list'], { dataDir, input: lines('a.example') })
    const backup = await dataDir.file('backups/weir-20260101T000000Z.db', 'x')
    utimesSync(backup, new Date('2026-01-01'), new Date('2026-01-01'))
    const { all } = await findings(dataDir)
    expect(all).toContainEqual(expect.stringContaining('warn backups: 1, the newest made'))
  })

  test('reports the problem of an enabled source, and none of a disabled one', async () => {
    using dataDir = new DataDir()
    await importList(['-', '--source', 'list'], { dataDir, input: lines('a.example') })
    const own = `[[source]]
name = "own"
title = "Our own"
url = "http://127.0.0.1/list.txt"
format = "domains"
redistribute = false`
    await dataDir.file('sources.toml', own)
    expect((await weir(['sources', 'run', 'own'], { dataDir })).code).toBe(1)
    const failing = await findings(dataDir)
    expect(failing.code).toBe(1)
    expect(failing.all).toContainEqual(expect.stringContaining('warn sources: own: '))
    await weir(['sources', 'disable', 'own'], { dataDir })
    const { code, all } = await findings(dataDir)
    expect(all.filter((finding) => finding.includes('own: '))).toEqual([])
    expect(code).toBe(0)
  })

  test('says what to do about a damaged database, and leaves it as it is', async () => {
    using dataDir = new DataDir()
    const path = await dataDir.file('weir.db', 'no database at all, but a text')
    const { code, all } = await findings(dataDir)
    expect(code).toBe(1)
    expect(all).toContainEqual(expect.stringContaining('fail database: '))
    expect(await Bun.file(path).text()).toBe('no database at all, but a text')
    expect(await Bun.file(join(dataDir.path, 'weir.db-wal')).exists()).toBe(false)
  })

  test('notices rows that do not match their hash', async () => {
    using dataDir = new DataDir()
    await importList(['-', '--source', 'list'], { dataDir, input: lines('a.example') })
    dataDir.write("UPDATE indicator SET value = 'b.example'")
    const { code, all } = await findings(dataDir)
    expect(code).toBe(1)
    expect(all).toContainEqual(expect.stringContaining('fail database: rows were changed by'))
  })

  test('notices a clock that went back', async () => {
    using dataDir = new DataDir()
    await importList(['-', '--source', 'list'], { dataDir, input: lines('a.example') })
    dataDir.write('UPDATE meta SET changed_at = changed_at + 86400000')
    const { all } = await findings(dataDir)
    expect(all).toContainEqual(expect.stringContaining('fail clock: the last change is 23h'))
  })
})
