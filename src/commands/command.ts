/**
 * How a command of the command line is defined: by its options, as a table, and its work.
 *
 *     command({ summary, usage, options, run })
 *       options   names, types and the list in the usage text; `run` gets their parsed values
 *       session   loads the settings and opens the database when `run` asks for them, and closes what
 *                 was opened when `run` ends
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Checkers } from '../checkers.ts'
import { type Config, type LoadedConfig, loadConfig } from '../config.ts'
import { exitCodes, OperatorError } from '../model/operator-error.ts'
import { buildRecord, listKeys } from '../model/record.ts'
import type { ReadStore, WriteStore } from '../store/store.ts'
import { paragraph, reportFailure } from './terminal.ts'

/** A call that a command cannot carry out; the message says what to do instead. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError'
  override readonly exitCode = exitCodes.usage
}

/** A command as `main` calls it. */
export interface Command {
  /** One line for the overview. */
  readonly summary: string
  /** How it is called, with every option. */
  readonly usage: string
  /** Carries it out and returns the exit code. */
  run(args: readonly string[]): Promise<number>
}

/** What was given on the command line. */
interface Given {
  readonly values: Readonly<Record<string, unknown>>
  readonly positionals: readonly string[]
}

/** One option, or the positional arguments, of a command. */
interface Option<Value> {
  /** Null: positional arguments. */
  readonly type: 'boolean' | 'string' | null
  /** The placeholder of its value in the usage text, such as TEXT. */
  readonly placeholder: string
  readonly meaning: string
  readonly parse: (given: Given, name: string) => Value
}

/** An option without a value. */
export const flag = (meaning: string): Option<boolean> => ({
  type: 'boolean',
  placeholder: '',
  meaning,
  parse: ({ values }, name) => values[name] === true,
})

/** An option with a value. */
export const text = (placeholder: string, meaning: string): Option<string | undefined> => ({
  type: 'string',
  placeholder,
  meaning,
  parse: ({ values }, name) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  },
})

/** All positional arguments. */
export const argumentList: Option<readonly string[]> = {
  type: null,
  placeholder: '',
  meaning: '',
  parse: ({ positionals }) => positionals,
}

/** Exactly one positional argument. */
export const argument = (what: string): Option<string> => ({
  ...argumentList,
  parse: ({ positionals: [value, ...more] }) => {
    if (value !== undefined && more.length === 0) return value
    throw new UsageError(`name exactly one ${what}`)
  },
})

/** The options of a command, by name. */
type OptionTable<Values> = { readonly [Name in keyof Values]: Option<Values[Name]> }

interface Definition<Values> {
  readonly summary: string
  /** How it is called and what it does; the list of options follows from their table. */
  readonly usage: string
  readonly options: OptionTable<Values>
  run(options: Values, session: Session): number | Promise<number>
}

/** Builds a command from its definition. */
export function command<Values extends object>(definition: Definition<Values>): Command {
  const { summary, usage, options, run } = definition
  return {
    summary,
    usage: `${usage}${describeOptions(options)}`,
    async run(args) {
      const values = parseOptions(args, options)
      const session = new Session()
      try {
        return await run(values, session)
      } finally {
        session.close()
      }
    },
  }
}

function parseOptions<Values extends object>(
  args: readonly string[],
  options: OptionTable<Values>,
): Values {
  const types: Record<string, { type: 'boolean' | 'string' }> = {}
  let allowPositionals = false
  for (const name of listKeys(options)) {
    const { type } = options[name]
    if (type === null) allowPositionals = true
    else types[name] = { type }
  }
  const given = parseGiven({ args: [...args], allowPositionals, options: types })
  return buildRecord<Values>(listKeys(options), (name) => options[name].parse(given, name))
}

function parseGiven(config: Parameters<typeof parseArgs>[0]): Given {
  try {
    return parseArgs(config)
  } catch (error) {
    throw error instanceof Error ? new UsageError(error.message, { cause: error }) : error
  }
}

/** Returns the list of options for the usage text, after an empty line; positional ones have none. */
function describeOptions<Values extends object>(options: OptionTable<Values>): string {
  const rows = listKeys(options).flatMap((name) => {
    const { type, placeholder, meaning } = options[name]
    return type === null ? [] : [{ call: `--${name} ${placeholder}`.trimEnd(), meaning }]
  })
  if (rows.length === 0) return ''
  const width = Math.max(...rows.map(({ call }) => call.length)) + 2
  const lines = rows.map(({ call, meaning }) => {
    return call.padEnd(width) + paragraph(meaning, width).slice(width)
  })
  return `\n\n${lines.join('\n')}`
}

/** Reports whether a data directory holds a database. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  return existsSync(join(dataDir, (await import('../store/store.ts')).databaseName))
}

/** What one call of a command works on: loaded and opened on demand, closed at its end. */
export class Session {
  #opened: { close(): void }[] = []

  /** Loads the settings, with a report of each. */
  async settings(): Promise<LoadedConfig> {
    return await loadConfig(process.env)
  }

  async config(): Promise<Config> {
    return (await this.settings()).config
  }

  /** Opens the database of a data directory, next to a running server; makes it if there is none. */
  async openStore(dataDir: string): Promise<WriteStore> {
    const { WriteStore } = await import('../store/store.ts')
    return this.#keep(WriteStore.open({ dataDir, role: 'background', now: Date.now }))
  }

  /** Opens the database like `openStore`; throws a `StoreError` when there is none. */
  async openExisting(dataDir: string): Promise<WriteStore> {
    await requireDatabase(dataDir)
    return await this.openStore(dataDir)
  }

  /** Opens the database for reading; throws a `StoreError` when there is none. */
  async openForReading(dataDir: string): Promise<ReadStore> {
    await requireDatabase(dataDir)
    const { ReadStore } = await import('../store/store.ts')
    return this.#keep(ReadStore.open({ dataDir, role: 'background', now: Date.now }))
  }

  /** Opens the database and builds the views and checks over it. */
  async openChecks(config: Config): Promise<Checkers> {
    await requireDatabase(config.dataDir)
    const { openLocalChecks } = await import('../checkers.ts')
    return this.#keep(openLocalChecks(config, reportFailure))
  }

  close(): void {
    for (const resource of this.#opened.splice(0).reverse()) resource.close()
  }

  #keep<Resource extends { close(): void }>(resource: Resource): Resource {
    this.#opened.push(resource)
    return resource
  }
}

/**
 * Throws a `StoreError` when a data directory holds no database: an empty one, made by a question,
 * would answer that nothing is listed.
 */
async function requireDatabase(dataDir: string): Promise<void> {
  if (await hasDatabase(dataDir)) return
  const { StoreError } = await import('../store/store-error.ts')
  throw new StoreError('open', `there is no database in ${dataDir}`, {
    hint: 'run "weir serve" or "weir import" first, or point WEIR_DATA at the right directory',
  })
}
