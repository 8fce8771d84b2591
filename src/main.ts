#!/usr/bin/env bun
/** The command line: finds the command, runs it, and turns every failure into one plain line. */

import { checkCommand } from './commands/check.ts'
import { type Command, exitCodes, UsageError } from './commands/command.ts'
import { configCommand } from './commands/config.ts'
import { importCommand } from './commands/import.ts'
import { serveCommand } from './commands/serve.ts'
import { SettingError } from './config.ts'
import { InputError } from './feeds/line-reader.ts'
import { StoreError } from './store/store-error.ts'
import { version } from './version.ts'

const commands: ReadonlyMap<string, Command> = new Map([
  ['serve', serveCommand],
  ['import', importCommand],
  ['check', checkCommand],
  ['config', configCommand],
])

function overview(): string {
  const lines = [...commands].map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  return [
    `weir ${version}: phishing threat data, self-hosted`,
    '',
    ...lines,
    '',
    'weir COMMAND --help tells more.',
  ].join('\n')
}

/** Returns the exit code for a failure, after telling it on standard error. */
function explain(error: unknown, command: Command): number {
  const isParseError =
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (error instanceof UsageError || isParseError) {
    console.error(`weir: ${error.message}\n\n${command.usage}`)
    return exitCodes.usage
  }
  if (error instanceof SettingError) {
    console.error(`weir: ${error.message}`)
    return exitCodes.usage
  }
  if (error instanceof StoreError) {
    console.error(`weir: ${error.message}`)
    return exitCodes.store
  }
  if (error instanceof InputError) {
    console.error(`weir: ${error.message}`)
    return exitCodes.failed
  }
  throw error
}

async function main(args: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = args
  if (name === '--version') {
    console.log(version)
    return exitCodes.ok
  }
  const command = commands.get(name)
  if (command === undefined) {
    const isHelp = name === 'help' || name === '--help' || name === '-h'
    if (isHelp) console.log(overview())
    else console.error(`weir: there is no command ${name}\n\n${overview()}`)
    return isHelp ? exitCodes.ok : exitCodes.usage
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(command.usage)
    return exitCodes.ok
  }
  try {
    return await command.run(rest)
  } catch (error) {
    return explain(error, command)
  }
}

process.exit(await main(process.argv.slice(2)))
