/** The help texts, and the answers to wrong calls. */

import { afterAll, describe, expect, test } from 'bun:test'
import manifest from '../../package.json'
import { DataDir, weir } from './process.ts'

const dataDir = new DataDir()
afterAll(() => dataDir[Symbol.dispose]())

const commands = [
  'serve',
  'import',
  'sources',
  'check',
  'show',
  'block',
  'allow',
  'clear',
  'decisions',
  'reports',
  'backup',
  'restore',
  'healthcheck',
  'doctor',
  'config',
] as const

describe('weir', () => {
  test.each(['', 'help', '--help', '-h'])(
    'lists its commands when called with "%s"',
    async (word) => {
      const { code, out, err } = await weir(word === '' ? [] : [word], { dataDir })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      for (const command of commands) expect(out).toMatch(new RegExp(`^ {2}${command} +\\w`, 'm'))
    },
  )

  test('prints its version', async () => {
    const { code, out } = await weir(['--version'], { dataDir })
    expect({ code, out }).toEqual({ code: 0, out: `${manifest.version}\n` })
  })

  test.each(commands)('prints the usage of %s, and does nothing else', async (command) => {
    const { code, out, err } = await weir([command, '--help'], { dataDir })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toStartWith(`weir ${command}`)
    expect(out.split('\n').filter((line) => line.length > 100)).toEqual([])
  })

  test('rejects an unknown command and lists the known ones', async () => {
    const { code, out, err } = await weir(['improt', 'x'], { dataDir })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toStartWith('weir: unknown command improt\n')
    for (const command of commands) expect(err).toContain(command)
  })

  const wrongCalls: readonly (readonly [readonly string[], string])[] = [
    [['serve', '--prot', '80'], "'--prot'"],
    [['serve', 'now'], "'now'"],
    [['import'], 'name exactly one file'],
    [['import', 'a.txt', 'b.txt'], 'name exactly one file'],
    [['import', 'nowhere.txt'], 'nowhere.txt: no such file'],
    [['import', 'src'], 'is a directory; name a file'],
    [['import', 'README.md', '--format', 'xml'], 'no such format'],
    [['import', 'README.md', '--source', 'My List'], '--source My List: use lower-case'],
    [['import', 'README.md', '--source', 'shared-infrastructure'], 'choose another'],
    [['import', 'README.md', '--source', 'eth-phishing-detect', '--private'], '--private: '],
    [['import', 'README.md', '--privat'], "'--privat'"],
    [['import', 'README.md', '--source'], '--source'],
    [['check', '--jsno', 'a.test'], "'--jsno'"],
    [['config', 'all'], "'all'"],
  ]

  test.each(wrongCalls)(
    'rejects %p with the reason and a reference to the usage',
    async (args, hint) => {
      const { code, out, err } = await weir(args, { dataDir })
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toStartWith('weir: ')
      expect(err.split('\n')[0]).toContain(hint)
      expect(err).toContain(`\nRun "weir ${args[0]} --help" for usage.\n`)
      expect(err).not.toContain('    at ')
    },
  )

  test('a wrong call leaves no data behind', async () => {
    using fresh = new DataDir()
    const at = fresh.at('weir-data')
    await weir(['import', 'nowhere.txt'], { dataDir: fresh, env: { WEIR_DATA: at } })
    await weir(['check', 'a.test'], { dataDir: fresh, env: { WEIR_DATA: at } })
    expect(await Bun.file(`${at}/weir.db`).exists()).toBe(false)
  })
})
