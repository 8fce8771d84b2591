/**
 * Builds the executable: `bun build.ts` for this machine, `bun build.ts TARGET…` for others, and
 * `bun build.ts --all` for every one of `targets`, each into `dist/weir-TARGET`.
 *
 * White space and syntax are minified, names are not: stack traces stay readable. What lies where the
 * executable is started from (`.env`, `bunfig.toml`) is not read: settings come from where weir says.
 */

import { threadEntries } from './src/threads/entries.ts'

/** The program, and the threads that it starts. */
const entrypoints = ['src/main.ts', ...threadEntries.map((entry) => `src/${entry}`)]

/**
 * What weir is built for; glibc, unless it says musl (Alpine). There is no target for processors
 * without AVX2 apart: in Bun 1.4.5 its `baseline` is the same file.
 */
const targets = [
  'linux-x64',
  'linux-x64-musl',
  'linux-arm64',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
]

const options = [
  '--compile',
  '--minify-whitespace',
  '--minify-syntax',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
]

function fail(message: string, code: number): never {
  console.error(`build: ${message}`)
  process.exit(code)
}

/** Builds for a target, for this machine when it is null. */
function build(target: string | null): void {
  const ending = target?.startsWith('windows') ? '.exe' : ''
  const outfile = target === null ? 'dist/weir' : `dist/weir-${target}${ending}`
  const forTarget = target === null ? [] : [`--target=bun-${target}`]
  const command = [process.execPath, 'build', ...options, ...forTarget, ...entrypoints]
  const child = Bun.spawnSync([...command, '--outfile', outfile], {
    cwd: import.meta.dir,
    stdout: 'inherit',
    stderr: 'inherit',
  })
  if (child.exitCode === 0) console.log(`built ${outfile}`)
  else if (target === null) fail('it failed for the reason above', 1)
  else {
    const need = 'Bun for another machine is downloaded once, which takes a network'
    fail(`${target} failed for the reason above; ${need}`, 1)
  }
}

const wanted = process.argv.slice(2)
const named = wanted.map((name) => name.replace(/^bun-/, ''))
const unknown = named.filter((name) => name !== '--all' && !targets.includes(name))
if (unknown.length > 0) {
  fail(`there is no target ${unknown.join(', ')}; name --all or some of ${targets.join(', ')}`, 2)
}
if (named.length === 0) build(null)
for (const target of named.includes('--all') ? targets : named) build(target)
