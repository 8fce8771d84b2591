/** `weir check`: answers on the terminal as the API would. */

import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { urlRefusalMessages } from '../model/url.ts'
import type { Verdict } from '../model/verdict.ts'
import { iocRecord } from '../publish/ioc.ts'
import { type LocalChecks, openLocalChecks } from '../weir.ts'
import { type Command, exitCodes, UsageError } from './command.ts'
import { requireDatabase } from './database.ts'
import { report } from './terminal.ts'

export const checkCommand: Command = {
  summary: 'look up URLs, domains and file digests',
  usage: `weir check VALUE… [--json]

Without a VALUE, or with -, values are read from standard input, one a line. With --json every
answer is one line of JSON, shaped as GET /api/check-url answers (file digests as in a bulk check).

Ends with 1 when something is listed or suspicious, with 2 when a value could not be read, else 0.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    })
    const { config } = await loadConfig(process.env)
    requireDatabase(config.dataDir)
    const checks = openLocalChecks(config, report)
    let code: number = exitCodes.ok
    try {
      for await (const value of inputs(positionals)) {
        const { text, exitCode } = answer(checks, value, values.json === true)
        console.log(text)
        code = Math.max(code, exitCode)
      }
    } finally {
      checks.close()
    }
    return code
  },
}

async function* inputs(positionals: readonly string[]): AsyncGenerator<string> {
  if (positionals.length > 0 && !positionals.includes('-')) {
    yield* positionals
    return
  }
  if (process.stdin.isTTY === true) throw new UsageError('name a value, or pipe values in')
  for await (const line of console) if (line.trim() !== '') yield line.trim()
}

interface Answer {
  readonly text: string
  readonly exitCode: number
}

function answer(checks: LocalChecks, value: string, isJson: boolean): Answer {
  const digest = checks.digests.check(value)
  if (digest.ok) return present(value, digest.value, { value }, isJson)
  const checked = checks.urls.check(value)
  if (!checked.ok) return presentInvalid(value, urlRefusalMessages[checked.reason], isJson)
  const { query, url, domain, verdict } = checked.value
  return present(value, verdict, { query, url, domain }, isJson)
}

function presentInvalid(value: string, error: string, isJson: boolean): Answer {
  const text = isJson
    ? JSON.stringify({ query: value, status: 'invalid', error })
    : `invalid  ${shown(value)}\n  ${error}`
  return { text, exitCode: exitCodes.usage }
}

function present(
  value: string,
  verdict: Verdict,
  head: Record<string, string>,
  isJson: boolean,
): Answer {
  const { status, confidence, score, reasons, match, note } = verdict
  const isBad = status === 'found' || status === 'suspicious'
  const exitCode = isBad ? exitCodes.failed : exitCodes.ok
  if (isJson) {
    const ioc = match === null ? null : iocRecord(match)
    const shared = note === null ? {} : { sharedInfrastructure: true, note }
    const record = { ...head, status, confidence, score, reasons, match: ioc, ...shared }
    return { text: JSON.stringify(record), exitCode }
  }
  const lines = [`${status}  ${shown(value)}`, ...reasons.map(({ message }) => `  ${message}`)]
  return { text: lines.join('\n'), exitCode }
}

/** Values come from strangers' lists: what would steer the terminal is shown as a question mark. */
function shown(value: string): string {
  return value.replace(/[\p{Cc}\p{Cf}]/gu, '?')
}
