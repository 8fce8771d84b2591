/** `weir backup`: copies the database, while a server runs or not. */

import { exitCodes } from '../model/operator-error.ts'
import { backUp } from '../store/backup.ts'
import { argument, command, flag } from './command.ts'
import { formatCount } from './terminal.ts'

export const backupCommand = command({
  summary: 'copy the database to a file, also while a server runs',
  usage: `weir backup FILE [--json]

Writes a checked copy of the whole database to FILE, which must not exist yet. A server and imports
may run meanwhile: the copy is of one moment. Never copy weir.db by other means while it is in use.
The copy holds private lists too, and only you may read it. "weir restore" restores it.`,
  options: { file: argument('file'), json: flag('print the report as JSON') },
  async run({ file, json }, session) {
    const report = backUp((await session.config()).dataDir, file)
    const size = `${formatCount(Math.ceil(report.bytes / 1000))} kB`
    const line = `${report.path}: ${formatCount(report.indicators)} indicators, ${size}`
    console.log(json ? JSON.stringify(report) : line)
    return exitCodes.ok
  },
})
