/** `weir config`: every setting with its value and where it came from. */

import { parseArgs } from 'node:util'
import { describeUnknown, loadConfig } from '../config.ts'
import { exitCodes } from '../model/operator-error.ts'
import type { Command } from './command.ts'
import { table } from './terminal.ts'

export const configCommand: Command = {
  summary: 'print every setting with its value and where it came from',
  usage: `weir config [--json]

Settings come from the environment, then from weir.env in the data directory, then from defaults.`,
  async run(args) {
    const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } })
    const { report, unknown } = await loadConfig(process.env)
    if (values.json === true) {
      const names = unknown.map(({ name }) => name)
      console.log(JSON.stringify({ settings: report, unknown: names }, null, 2))
      return exitCodes.ok
    }
    const rows = report.map(({ name, value, origin, meaning }) => [name, value, origin, meaning])
    console.log(table(['setting', 'value', 'from', 'meaning'], rows))
    for (const setting of unknown) console.log(describeUnknown(setting))
    return exitCodes.ok
  },
}
