#!/usr/bin/env bun
/** The command line: finds the command, runs it, and turns every failure into one plain line. */

import { type Command, UsageError } from './commands/command.ts'
import { exitCodes, OperatorError } from './model/operator-error.ts'
import { version } from './version.ts'

/** Each command is loaded when it is called: a look-up does not load the server. */
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['serve', async () => (await import('./commands/serve.ts')).serveCommand],
  ['import', async () => (await import('./commands/import.ts')).importCommand],
  ['sources', async () => (await import('./commands/sources.ts')).sourcesCommand],
  ['check', async () => (await import('./commands/check.ts')).checkCommand],
  ['show', async () => (await import('./commands/show.ts')).showCommand],
  ['block', async () => (await import('./commands/decide.ts')).blockCommand],
  ['allow', async () => (await import('./commands/decide.ts')).allowCommand],
  ['clear', async () => (await import('./commands/decide.ts')).clearCommand],
  ['decisions', async () => (await import('./commands/decisions.ts')).decisionsCommand],
  ['reports', async () => (await import('./commands/reports.ts')).reportsCommand],
  ['backup', async () => (await import('./commands/backup.ts')).backupCommand],
  ['restore', async () => (await import('./commands/restore.ts')).restoreCommand],
  ['healthcheck', async () => (await import('./commands/healthcheck.ts')).healthcheckCommand],
  ['doctor', async () => (await import('./commands/doctor.ts')).doctorCommand],
  ['config', async () => (await import('./commands/config.ts')).configCommand],
])

async function overview(): Promise<string> {
  const lines: string[] = []
  for (const [name, load] of commands) {
    const { summary } = await load()
    lines.push(`  ${name.padEnd(12)} ${summary}`)
  }
  return [
    `weir ${version}: phishing threat data, self-hosted`,
    '',
    ...lines,
    '',
    'Run "weir COMMAND --help" for details.',
  ].join('\n')
}

/** Explains a failure of SQLite that nothing else has explained; loaded only when there is one. */
async function explainFailure(error: unknown): Promise<OperatorError | null> {
  return (await import('./store/failures.ts')).explainFailure(error)
}

/** Prints a failure to standard error and returns its exit code. */
async function explain(error: unknown, name: string): Promise<number> {
  const failure = error instanceof OperatorError ? error : await explainFailure(error)
  if (failure === null) throw error
  console.error(`weir: ${failure.message}`)
  if (failure instanceof UsageError) console.error(`Run "weir ${name} --help" for usage.`)
  return failure.exitCode
}

/** Runs a command to its end and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = args
  if (name === '--version') {
    console.log(version)
    return exitCodes.ok
  }
  const load = commands.get(name)
  if (load === undefined) {
    const isHelp = name === 'help' || name === '--help' || name === '-h'
    if (isHelp) console.log(await overview())
    else console.error(`weir: unknown command ${name}\n\n${await overview()}`)
    return isHelp ? exitCodes.ok : exitCodes.usage
  }
  const command = await load()
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(command.usage)
    return exitCodes.ok
  }
  try {
    return await command.run(rest)
  } catch (error) {
    return await explain(error, name)
  }
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)))
