/**
 * What some tests need and not every machine has. A group of tests whose need is not met is left out, and
 * `bun run test` says so at its end: which groups, and what they need (`test/run.ts`).
 */

import { describe, test } from 'bun:test'
import { appendFileSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The folder of real lists, feeds and labels: `WEIR_TEST_DATA`, or one next to the repository. */
export const dataFolder = resolve(
  import.meta.dir,
  '..',
  process.env['WEIR_TEST_DATA'] ?? '../shared/data',
)

/** Something that tests need, in words that follow "needs". */
export interface Need {
  readonly what: string
  readonly isMet: boolean
}

/** The real data, and of it this file or folder. */
export function realData(path = ''): Need {
  return {
    what: 'the real data (WEIR_TEST_DATA names its folder; ../shared/data unless it is set)',
    isMet: existsSync(join(dataFolder, path)),
  }
}

/** A program on the path, from the package that is named. */
export function program(name: string, packageName = name): Need {
  return { what: `${name} (package ${packageName})`, isMet: Bun.which(name) !== null }
}

/** The setting that names the file of what was left out, and a line of it. */
export const leftOutVariable = 'WEIR_TEST_LEFT_OUT'
export interface LeftOut {
  readonly group: string
  readonly need: string
}

/** Reports whether a group of tests is left out, and notes it for the end of the run. */
function isLeftOut(group: string, { what, isMet }: Need): boolean {
  const file = process.env[leftOutVariable]
  if (!isMet && file !== undefined) {
    const leftOut: LeftOut = { group, need: what }
    // Several processes run tests at once: a short line is appended whole.
    appendFileSync(file, `${JSON.stringify(leftOut)}\n`)
  }
  return !isMet
}

/** Returns `describe`, or what leaves the group out when its need is not met. */
export function describeWith(need: Need) {
  return (name: string, body: () => void): void =>
    describe.skipIf(isLeftOut(name, need))(name, body)
}

/** Returns `test`, or what leaves the test out when its need is not met; `group` is what it belongs to. */
export function testWith(need: Need, group = '') {
  return (name: string, body: () => void | Promise<void>, timeoutMs?: number): void =>
    test.skipIf(isLeftOut(`${group} ${name}`.trim(), need))(name, body, timeoutMs)
}

/** A device that is always full. */
export const fullDevice: Need = { what: '/dev/full', isMet: existsSync('/dev/full') }
