/** `weir restore`: replaces the database with a backup. */

import { exitCodes } from '../model/operator-error.ts'
import { type RestoreReport, restore } from '../store/restore.ts'
import { argument, command, flag } from './command.ts'
import { formatCount } from './terminal.ts'

export const restoreCommand = command({
  summary: 'replace the database with a backup',
  usage: `weir restore FILE [--json]

Checks FILE, a backup of this or an older version, and replaces the database, whatever its state,
with a copy of it; the server must be stopped. The replaced database is kept next to the new one, so
that a wrong restore can be undone. Clients of the delta feed will be told to resync.`,
  options: { file: argument('file'), json: flag('print the report as JSON') },
  async run({ file, json }, session) {
    const report = restore((await session.config()).dataDir, file, Date.now())
    console.log(json ? JSON.stringify(report) : describe(report))
    return exitCodes.ok
  },
})

function describe({ path, file, indicators, kept, migratedFrom }: RestoreReport): string {
  const lines = [`${path} now holds the ${formatCount(indicators)} indicators of ${file}`]
  if (migratedFrom !== null) {
    lines.push(`  the backup had schema ${migratedFrom} and was migrated to that of this version`)
  }
  if (kept !== null)
    lines.push(`  the replaced database is kept as ${kept}; remove it when all is well`)
  return lines.join('\n')
}
