/**
 * How `weir check` shows its answers: for people as text, for programs as the API writes them. The
 * writers of the API are loaded only when they are needed.
 */

import type { EmailAnswer } from '../checks/email.ts'
import type { PhoneAnswer } from '../checks/phone.ts'
import { controlCharacters } from '../model/characters.ts'
import { exitCodes } from '../model/operator-error.ts'
import type { Verdict } from '../model/verdict.ts'
import { iocRecord } from '../publish/ioc.ts'

/** The text to print, and the lowest exit code of the command. */
export interface CheckAnswer {
  readonly text: string
  readonly exitCode: number
}

/** Replaces each control character with a question mark. */
function printable(value: string): string {
  return value.replace(controlCharacters, '?')
}

/** Returns a record as JSON, with control characters escaped. */
function formatJson(record: object): string {
  return JSON.stringify(record).replace(controlCharacters, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

function formatText(status: string, value: string, lines: readonly string[]): string {
  return [`${status}  ${printable(value)}`, ...lines.map((line) => `  ${printable(line)}`)].join(
    '\n',
  )
}

const exitCodeFor = (isBad: boolean): number => (isBad ? exitCodes.failed : exitCodes.ok)

/** Shows why a value cannot be read. */
export function invalidAnswer(value: string, error: string, isJson: boolean): CheckAnswer {
  const text = isJson
    ? formatJson({ query: value, status: 'invalid', error })
    : formatText('invalid', value, [error])
  return { text, exitCode: exitCodes.usage }
}

/** Shows the verdict about a URL, a name or a digest; the JSON begins with `head`. */
export function verdictAnswer(
  value: string,
  verdict: Verdict,
  head: Readonly<Record<string, string>>,
  isJson: boolean,
): CheckAnswer {
  const { status, confidence, score, reasons, match, note } = verdict
  const exitCode = exitCodeFor(status === 'found' || status === 'suspicious')
  if (isJson) {
    const ioc = match === null ? null : iocRecord(match)
    const shared = note === null ? {} : { sharedInfrastructure: true, note }
    const record = { ...head, status, confidence, score, reasons, match: ioc, ...shared }
    return { text: formatJson(record), exitCode }
  }
  const messages = reasons.map(({ message }) => message)
  return { text: formatText(status, value, messages), exitCode }
}

/** Shows the answer about a mail or its sender. */
export async function emailAnswer(
  value: string,
  answer: EmailAnswer,
  isJson: boolean,
): Promise<CheckAnswer> {
  const { riskLevel, riskScore, reasons, flags, advice } = answer
  const exitCode = exitCodeFor(riskLevel !== 'low')
  if (isJson) {
    const { presentEmailAnswer } = await import('../http/endpoints/check-email.ts')
    return { text: formatJson({ query: value, ...presentEmailAnswer(answer) }), exitCode }
  }
  const lines = [
    ...reasons.map(({ message, points }) => (points > 0 ? `${message} (+${points})` : message)),
    ...flags.map(({ phrase }) => `The text says: ${phrase}`),
    ...advice.map((sentence) => `What to do: ${sentence}`),
  ]
  return { text: formatText(`${riskLevel} (${riskScore} of 100)`, value, lines), exitCode }
}

/** Shows the answer about a phone number. */
export async function phoneAnswer(
  value: string,
  answer: PhoneAnswer,
  isJson: boolean,
): Promise<CheckAnswer> {
  const { status, number, reasons, reportingLinks } = answer
  const exitCode = exitCodeFor(status !== 'not_found')
  if (isJson) {
    const { presentPhoneAnswer } = await import('../http/endpoints/check-phone.ts')
    return { text: formatJson({ query: value, ...presentPhoneAnswer(answer) }), exitCode }
  }
  const lines = [
    number.formatted,
    ...reasons.map(({ message }) => message),
    ...(exitCode === exitCodes.ok
      ? []
      : reportingLinks.map(({ name, url }) => `To report it: ${name}, ${url}`)),
  ]
  return { text: formatText(status, value, lines), exitCode }
}
