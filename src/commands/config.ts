/** `weir config`: every setting with its value and where it came from. */

import { describeUnknown } from '../config.ts'
import { exitCodes } from '../model/operator-error.ts'
import { command, flag } from './command.ts'
import { table } from './terminal.ts'

export const configCommand = command({
  summary: 'print every setting with its value and where it came from',
  usage: `weir config [--json]

Settings come from the environment, then from weir.env in the data directory, then from defaults.`,
  options: { json: flag('print the settings as JSON') },
  async run({ json }, session) {
    const { report, unknown } = await session.settings()
    if (json) {
      const names = unknown.map(({ name }) => name)
      console.log(JSON.stringify({ settings: report, unknown: names }, null, 2))
      return exitCodes.ok
    }
    const rows = report.map(({ name, value, origin, meaning }) => [name, value, origin, meaning])
    console.log(table(['setting', 'value', 'from', 'meaning'], rows))
    for (const setting of unknown) console.log(describeUnknown(setting))
    return exitCodes.ok
  },
})
