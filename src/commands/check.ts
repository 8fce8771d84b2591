/** `weir check`: answers on the terminal as the API would. */

import type { Checkers } from '../checkers.ts'
import type { EmailRequest } from '../checks/email.ts'
import { mailBytesMax, readSavedMail } from '../checks/mail/saved-mail.ts'
import { exitCodes } from '../model/operator-error.ts'
import { isPhoneLike, phoneRefusalMessages } from '../model/phone.ts'
import { urlRefusalMessages } from '../model/url.ts'
import {
  type CheckAnswer,
  emailAnswer,
  invalidAnswer,
  phoneAnswer,
  verdictAnswer,
} from './check-answer.ts'
import { argumentList, command, flag, UsageError } from './command.ts'

export const checkCommand = command({
  summary: 'look up URLs, domains, file digests, e-mail and phone numbers',
  usage: `weir check VALUE… [--json]

A VALUE is a URL, a domain, a file digest, an e-mail address ("Name <address>" too), a phone number
of the North American plan, or the path of a mail saved as .eml. For an address or a mail, the name
servers are asked about the mail servers of its domain; nothing else leaves the machine.

Without a VALUE, or with -, values are read from standard input, one per line; no file is opened for
them.

Ends with 1 when something is listed or suspicious, or a mail's risk is medium or more, with 2
when a value could not be read, else 0.`,
  options: {
    values: argumentList,
    json: flag(
      'print each answer as one line of JSON, shaped as GET /api/check-url, POST /api/check-email ' +
        'and GET /api/check-phone answer (file digests as in a bulk check)',
    ),
  },
  async run({ values, json }, session) {
    const checks = await session.openChecks(await session.config())
    let code: number = exitCodes.ok
    for await (const { value, isArgument } of inputs(values)) {
      const isFile = isArgument && isMailFile(value)
      const { text, exitCode } = await (isFile ? mailFileAnswer : answer)(checks, value, json)
      console.log(text)
      code = Math.max(code, exitCode)
    }
    return code
  },
})

interface Input {
  readonly value: string
  /** Only a file named as an argument is opened: a list that is piped in may hold any path. */
  readonly isArgument: boolean
}

async function* inputs(positionals: readonly string[]): AsyncGenerator<Input> {
  if (positionals.length > 0 && !positionals.includes('-')) {
    for (const value of positionals) yield { value, isArgument: true }
    return
  }
  if (process.stdin.isTTY === true) throw new UsageError('name a value, or pipe values in')
  for await (const line of console) {
    if (line.trim() !== '') yield { value: line.trim(), isArgument: false }
  }
}

/** Reports whether a value is a sender rather than a URL, which may hold an `@` too. */
const isSenderLike = (value: string): boolean => value.includes('@') && !/[/\\]/.test(value)

async function answer(checks: Checkers, value: string, isJson: boolean): Promise<CheckAnswer> {
  if (isSenderLike(value)) {
    return await mailAnswer(checks, value, { ...noMail, from: value }, isJson)
  }
  const digest = checks.digests.check(value)
  if (digest.ok) return verdictAnswer(value, digest.value, { value }, isJson)
  if (isPhoneLike(value)) {
    const phone = checks.phones.check(value)
    if (phone.ok) return await phoneAnswer(value, phone.value, isJson)
    return invalidAnswer(value, phoneRefusalMessages[phone.reason], isJson)
  }
  const checked = checks.urls.check(value)
  if (!checked.ok) return invalidAnswer(value, urlRefusalMessages[checked.reason], isJson)
  const { query, url, domain, verdict } = checked.value
  return verdictAnswer(value, verdict, { query, url, domain }, isJson)
}

const noMail: EmailRequest = {
  from: null,
  replyTo: null,
  claimedCompany: null,
  urls: [],
  body: null,
}

/** Reports whether a value is the path of a saved mail: no host ends with `.eml`. */
const isMailFile = (value: string): boolean =>
  value.toLowerCase().endsWith('.eml') && !value.includes('\0') && !value.includes('://')

/** Reads a saved mail, or returns a sentence that says why it cannot be read. */
async function readMailFile(path: string): ReturnType<typeof readSavedMail> {
  const file = Bun.file(path)
  if (!(await file.exists())) return { ok: false, reason: 'There is no such file.' }
  if (file.size > mailBytesMax) {
    return { ok: false, reason: `Give a mail of at most ${mailBytesMax} bytes.` }
  }
  const bytes = await file.bytes().catch(() => null)
  if (bytes === null) return { ok: false, reason: 'Give a file that can be read.' }
  return await readSavedMail(bytes)
}

async function mailFileAnswer(
  checks: Checkers,
  path: string,
  isJson: boolean,
): Promise<CheckAnswer> {
  const mail = await readMailFile(path)
  if (!mail.ok) return invalidAnswer(path, mail.reason, isJson)
  return await mailAnswer(checks, path, mail.value, isJson)
}

async function mailAnswer(
  checks: Checkers,
  value: string,
  request: EmailRequest,
  isJson: boolean,
): Promise<CheckAnswer> {
  const found = await checks.emails.check(request)
  const { sender } = found
  // Without a valid sender there is nothing to check, unless there is a mail.
  if (request.body === null && sender?.status === 'invalid') {
    return invalidAnswer(value, sender.error, isJson)
  }
  return await emailAnswer(value, found, isJson)
}
