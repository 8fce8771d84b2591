/** `weir backup`: copies the database, beside a running server or without one. */

import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { exitCodes } from '../model/operator-error.ts'
import { backUp } from '../store/backup.ts'
import { type Command, UsageError } from './command.ts'
import { formatCount } from './terminal.ts'

export const backupCommand: Command = {
  summary: 'copy the database to a file, also while a server runs',
  usage: `weir backup FILE [--json]

Writes a checked copy of the whole database to FILE, which must not be there yet. A server and
imports may go on meanwhile: the copy is of one moment. Never copy weir.db by other means while it
is in use.
The copy holds private lists too, and is made readable for you alone. "weir restore" takes it back.

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
    const report = backUp(config.dataDir, file)
    if (values.json === true) {
      console.log(JSON.stringify(report))
      return exitCodes.ok
    }
    const size = `${formatCount(Math.ceil(report.bytes / 1000))} kB`
    console.log(`${report.path}: ${formatCount(report.indicators)} indicators, ${size}`)
    return exitCodes.ok
  },
}
