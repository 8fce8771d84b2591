/**
 * Runs every command of the README and of `docs/` as it is written, against a running weir. Only the
 * addresses and the paths of the system differ: they are those of the test.
 *
 *     ```console   commands after `$ `, each followed by what it prints; `…` matches any text
 *     ```sh        a script that changes the system: it runs below a directory of its own, and the
 *                  programs of the system are replaced by ones that do nothing
 *     ```ts        a program
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import manifest from '../../package.json'
import { guideFiles } from '../../src/web/guide.ts'
import { startWeir, type WeirProcess } from '../http/harness.ts'
import { describeWith, program } from '../needs.ts'

const repository = resolve(import.meta.dir, '../..')
const directory = mkdtempSync(join(tmpdir(), 'weir-commands-'))
const patienceMs = 60_000
const defaultAddress = 'http://127.0.0.1:8080'

interface Block {
  readonly file: string
  readonly language: string
  readonly text: string
}

const blocks: readonly Block[] = guideFiles.flatMap(({ name, text }) =>
  [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', block = '']) => ({
    file: name,
    language,
    text: block,
  })),
)

interface Command {
  readonly file: string
  readonly command: string
  /** What it prints, with `…` for any text. */
  readonly printed: string
}

/** Reports whether a command continues on the next line: after a backslash, or within quotes. */
function isUnfinished(command: string): boolean {
  return command.endsWith('\\') || command.split("'").length % 2 === 0
}

/** Returns the commands of a block, each with what it prints. */
function readCommands({ file, text }: Block): readonly Command[] {
  const commands: { file: string; command: string; printed: string }[] = []
  for (const line of text.split('\n')) {
    const last = commands.at(-1)
    if (line.startsWith('$ ')) commands.push({ file, command: line.slice(2), printed: '' })
    else if (last === undefined) throw new Error(`${file} has a console block without a command`)
    else if (last.printed === '' && isUnfinished(last.command)) last.command += `\n${line}`
    else last.printed += `${line}\n`
  }
  return commands
}

const withoutSpace = (text: string): string => text.replace(/\s+/g, '')

/** Returns a pattern of the text without its spaces, in which `…` matches any text. */
function patternFor(printed: string): RegExp {
  const parts = withoutSpace(printed).split('…').map(RegExp.escape)
  return new RegExp(`^${parts.join('.*?')}$`, 's')
}

/** Programs of the system that scripts call, replaced by ones that succeed and do nothing. */
const systemPrograms = [
  'dnsmasq',
  'named-checkzone',
  'rndc',
  'systemctl',
  'unbound-checkconf',
  'unbound-control',
]

/** Directories of the system that scripts write to. */
const systemDirectories = ['etc/dnsmasq.d', 'etc/unbound/unbound.conf.d', 'var/cache/bind'] as const

let weir: WeirProcess

/** Runs a script and returns its output; fails when it fails. */
async function run(script: string): Promise<string> {
  const { PATH = '', HOME } = process.env
  const child = Bun.spawn(['sh', '-c', script.replaceAll(defaultAddress, weir.url)], {
    cwd: directory,
    env: {
      HOME,
      PATH: `${join(directory, 'bin')}:${PATH}`,
      USER: 'operator',
      WEIR_DATA: join(directory, 'data'),
      WEIR_PORT: new URL(weir.url).port,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  expect([code, code === 0 ? '' : err + out]).toEqual([0, ''])
  return out
}

function installPrograms(): void {
  const bin = join(directory, 'bin')
  mkdirSync(bin)
  const install = (name: string, script: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const weirCommand = process.env['WEIR_COMMAND'] ?? `${process.execPath} src/main.ts`
  const [name = '', ...rest] = weirCommand.split(' ').map((part) => resolvePart(part))
  install('weir', `exec ${[name, ...rest].join(' ')} "$@"`)
  for (const each of systemPrograms) install(each, ':')
}

/** Returns a part of a command with paths below the repository made absolute. */
const resolvePart = (part: string): string =>
  part.includes('/') ? resolve(repository, part) : part

beforeAll(async () => {
  weir = await startWeir({ env: { WEIR_STARTER: 'on' } })
  installPrograms()
  for (const path of systemDirectories) mkdirSync(join(directory, path), { recursive: true })
  writeFileSync(join(directory, 'etc/hosts'), '127.0.0.1 localhost\n')
  const feed = ['a.example', 'b.example', 'google.com', '<>'].join('\n')
  writeFileSync(join(directory, 'feed.txt.gz'), Bun.gzipSync(`${feed}\n`))
  mkdirSync(join(directory, 'node_modules'))
  symlinkSync(repository, join(directory, 'node_modules/weir'))
}, patienceMs)

afterAll(async () => {
  await weir.stop()
  rmSync(directory, { recursive: true })
})

const consoles = blocks.filter(({ language }) => language === 'console')

describeWith(program('curl'))('the commands of the documentation', () => {
  test.each(consoles.flatMap(readCommands))(
    '$file: $command',
    async ({ command, printed }) => {
      const out = withoutSpace((await run(command)).replaceAll(weir.url, defaultAddress))
      const pattern = patternFor(printed)
      if (!pattern.test(out)) expect(out).toBe(withoutSpace(printed))
    },
    patienceMs,
  )

  test.each(blocks.filter(({ language }) => language === 'sh'))(
    '$file: $text',
    async ({ text }) => {
      await run(text.replaceAll(/(?<=\s)\/(?=etc\/|var\/)/g, `${directory}/`))
    },
    patienceMs,
  )
})

describe('the documentation', () => {
  test.each(blocks.filter(({ language }) => language === 'ts'))(
    '$file: $text',
    async ({ text }) => {
      const checked = `${text}\nif (error !== null || data.status !== 'found') process.exit(1)\n`
      writeFileSync(join(directory, 'program.ts'), checked.replaceAll(defaultAddress, weir.url))
      await run(`${process.execPath} program.ts`)
    },
    patienceMs,
  )

  test('starts, tests and builds by scripts of the package, and by its version of Bun', async () => {
    const readme = guideFiles[0]?.text ?? ''
    const lines = [...readme.matchAll(/^ {4}(npx --yes bun@(\S+) |bun )(?:run )?([\w:]+)/gm)]
    const { scripts, packageManager } = manifest
    expect(lines.length).toBeGreaterThan(5)
    for (const [, , version, script = ''] of lines) {
      expect(Object.keys(scripts)).toContain(script)
      if (version !== undefined) expect(`bun@${version}`).toBe(packageManager)
    }
  })

  test('has no other kinds of blocks, and commands among them', () => {
    const kinds = new Set(blocks.map(({ language }) => language))
    expect([...kinds].toSorted()).toEqual(['console', 'http', 'json', 'sh', 'text', 'ts'])
    expect(consoles.flatMap(readCommands).length).toBeGreaterThan(12)
  })
})
