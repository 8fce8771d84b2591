/**
 * The programs of this folder, which need a Python with what `requirements.txt` names: `WEIR_TEST_PYTHON` is
 * its path. Without it their tests are skipped; with it they have to run.
 */

import { join } from 'node:path'
import { parseRecord } from '../../commands/process.ts'
import type { Need } from '../../needs.ts'

const python = process.env['WEIR_TEST_PYTHON'] ?? ''

export const pythonClients: Need = {
  what: 'taxii2-client and stix2-validator (.ci/programs installs them)',
  isMet: python !== '',
}

/** What is still running then is killed. */
const lifeMs = 240_000

/** Runs a program to its end and returns what it printed; throws when it fails. */
export async function report(
  program: 'read_collections.py' | 'validate_bundles.py',
  ...args: readonly string[]
): Promise<Record<string, unknown>> {
  const child = Bun.spawn([python, '-B', join(import.meta.dir, program), ...args], {
    // No proxy and no settings of whoever runs the tests.
    env: { PATH: process.env['PATH'] },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: lifeMs,
    killSignal: 'SIGKILL',
  })
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  if (code !== 0 || err !== '') throw new Error(`${program} ended with ${code}: ${err}`)
  return parseRecord(out)
}
