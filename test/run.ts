/**
 * `bun run test`: runs the suite, a process for each processor at once, and says at its end which groups of
 * tests were left out and what they need. Arguments go to `bun test`: files, folders, `-t NAME`.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type LeftOut, leftOutVariable } from './needs.ts'

/** More at once would rather wait for the disk. */
const processesMax = 8

/** How long a test may take: machines are shared, and what hangs must end. */
const timeoutMs = 60_000

/** Returns the groups that were left out, by what they need. */
function readLeftOut(path: string): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue
    const { group, need }: LeftOut = JSON.parse(line)
    groups.set(need, (groups.get(need) ?? new Set()).add(group))
  }
  return groups
}

const directory = mkdtempSync(join(tmpdir(), 'weir-suite-'))
const leftOutPath = join(directory, 'left-out')
writeFileSync(leftOutPath, '')
const processes = Math.min(processesMax, availableParallelism())
const options = [`--parallel=${processes}`, '--timeout', String(timeoutMs)]
const child = Bun.spawn([process.execPath, 'test', ...options, ...process.argv.slice(2)], {
  cwd: resolve(import.meta.dir, '..'),
  env: { ...process.env, [leftOutVariable]: leftOutPath },
  stdio: ['inherit', 'inherit', 'inherit'],
})
const code = await child.exited
for (const [need, groups] of readLeftOut(leftOutPath)) {
  console.log(`\nleft out, because they need ${need}:\n  ${[...groups].join('\n  ')}`)
}
rmSync(directory, { recursive: true })
process.exit(code)
