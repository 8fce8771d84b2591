/** `weir restore`: puts a backup in the place of the database. */

import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { exitCodes } from '../model/operator-error.ts'
import { type RestoreReport, restore } from '../store/restore.ts'
import { type Command, UsageError } from './command.ts'
import { formatCount } from './terminal.ts'

export const restoreCommand: Command = {
  summary: 'put a backup in the place of the database',
  usage: `weir restore FILE [--json]

Checks FILE, a backup of this or an older version, and puts a copy of it in the place of the
database, in whatever state that is; the server must be stopped. The replaced database is kept
beside the new one, so that a wrong restore can be undone. Whoever follows weir's lists is told to
begin anew.

--json  print the report as JSON`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    })
    const [file, ...rest] = positionals
    if (file === undefined || rest.length > 0) throw new UsageError('name exactly one file')
    const { config } = await loadConfig(process.env)
    const report = restore(config.dataDir, file, Date.now())
    console.log(values.json === true ? JSON.stringify(report) : describe(report))
    return exitCodes.ok
  },
}

function describe({ path, file, indicators, kept, migratedFrom }: RestoreReport): string {
  const lines = [`${path} now holds the ${formatCount(indicators)} indicators of ${file}`]
  if (migratedFrom !== null) {
    lines.push(`  the backup was of schema ${migratedFrom} and has been brought to this version's`)
  }
  if (kept !== null) lines.push(`  what it replaced is kept as ${kept}; remove it when all is well`)
  return lines.join('\n')
}
