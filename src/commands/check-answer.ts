/** How `weir check` shows its answers: for people as text, for programs as the API writes them. */

import type { EmailAnswer } from '../checks/email.ts'
import type { PhoneAnswer } from '../checks/phone.ts'
import { presentEmailAnswer } from '../http/endpoints/check-email.ts'
import { presentPhoneAnswer } from '../http/endpoints/check-phone.ts'
import { controlCharacters } from '../model/characters.ts'
import { exitCodes } from '../model/operator-error.ts'
import type { Verdict } from '../model/verdict.ts'
import { iocRecord } from '../publish/ioc.ts'

/** What is printed, and what the exit code becomes at least. */
export interface Answer {
  readonly text: string
  readonly exitCode: number
}

/** Shows what would steer the terminal as a question mark. */
function shown(value: string): string {
  return value.replace(controlCharacters, '?')
}

/** Returns a record as JSON, in which what would steer the terminal is escaped. */
function jsonOf(record: object): string {
  return JSON.stringify(record).replace(controlCharacters, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

function textOf(status: string, value: string, lines: readonly string[]): string {
  return [`${status}  ${shown(value)}`, ...lines.map((line) => `  ${shown(line)}`)].join('\n')
}

const codeOf = (isBad: boolean): number => (isBad ? exitCodes.failed : exitCodes.ok)

/** Shows why a value cannot be read. */
export function invalidAnswer(value: string, error: string, isJson: boolean): Answer {
  const text = isJson
    ? jsonOf({ query: value, status: 'invalid', error })
    : textOf('invalid', value, [error])
  return { text, exitCode: exitCodes.usage }
}

/** Shows the verdict about a URL, a name or a digest; `head` is what stands first in the JSON. */
export function verdictAnswer(
  value: string,
  verdict: Verdict,
  head: Readonly<Record<string, string>>,
  isJson: boolean,
): Answer {
  const { status, confidence, score, reasons, match, note } = verdict
  const exitCode = codeOf(status === 'found' || status === 'suspicious')
  if (isJson) {
    const ioc = match === null ? null : iocRecord(match)
    const shared = note === null ? {} : { sharedInfrastructure: true, note }
    const record = { ...head, status, confidence, score, reasons, match: ioc, ...shared }
    return { text: jsonOf(record), exitCode }
  }
  const messages = reasons.map(({ message }) => message)
  return { text: textOf(status, value, messages), exitCode }
}

/** Shows the answer about a mail or its sender. */
export function emailAnswer(value: string, answer: EmailAnswer, isJson: boolean): Answer {
  const { riskLevel, riskScore, reasons, flags, advice } = answer
  const exitCode = codeOf(riskLevel !== 'low')
  if (isJson) {
    return { text: jsonOf({ query: value, ...presentEmailAnswer(answer) }), exitCode }
  }
  const lines = [
    ...reasons.map(({ message, points }) => (points > 0 ? `${message} (+${points})` : message)),
    ...flags.map(({ phrase }) => `It says: ${phrase}`),
    ...advice.map((sentence) => `What to do: ${sentence}`),
  ]
  return { text: textOf(`${riskLevel} (${riskScore} of 100)`, value, lines), exitCode }
}

/** Shows the answer about a phone number. */
export function phoneAnswer(value: string, answer: PhoneAnswer, isJson: boolean): Answer {
  const { status, number, reasons, reportingLinks } = answer
  const exitCode = codeOf(status !== 'not_found')
  if (isJson) {
    return { text: jsonOf({ query: value, ...presentPhoneAnswer(answer) }), exitCode }
  }
  const lines = [
    number.formatted,
    ...reasons.map(({ message }) => message),
    ...(exitCode === exitCodes.ok
      ? []
      : reportingLinks.map(({ name, url }) => `To report it: ${name}, ${url}`)),
  ]
  return { text: textOf(status, value, lines), exitCode }
}
