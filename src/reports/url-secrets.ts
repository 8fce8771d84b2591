/**
 * Secrets and personal parts of URLs: the user before a host, parameters with sensitive names, long values
 * that look random. For plain readings, in which a URL may be anywhere.
 */

import { barrier, type PlainReading } from '../model/plain-reading.ts'
import type { Span } from './digit-groups.ts'

/** The host after a scheme, and the user before its `@`; either may be empty. */
export interface Authority {
  readonly userinfo: Span
  readonly host: Span
}

/** A name with a letter in its last label, unlike a number. */
const hostName = /^[\p{L}\d._-]+\.(?:xn--[\w-]+|\p{L}{2,})(?![\p{L}\d_-])/u

/** What is between `://` and a path, perhaps after a masked user. */
const authority = new RegExp(`(://(?:${barrier}+@)?)([^\\s/?#\\\\"<>${barrier}]+)`, 'g')

/** Returns the user and the host of every URL with a scheme. */
export function findAuthorities(text: string): Authority[] {
  return [...text.matchAll(authority)].map(({ 1: head = '', 2: spelled = '', index }) => {
    const start = index + head.length
    const hostStart = start + spelled.lastIndexOf('@') + 1
    const host = hostName.exec(text.slice(hostStart, start + spelled.length))?.[0] ?? ''
    return {
      userinfo: { start, end: Math.max(hostStart - 1, start) },
      host: { start: hostStart, end: hostStart + host.length },
    }
  })
}

/** Words in the names of parameters with sensitive values. */
const sensitiveWords: ReadonlySet<string> = new Set(
  `auth authorization bearer challenge code cookie csrf cvc cvv hash hmac iban jwt key mfa nonce otp
  pass pin pw pwd sess sid sig ssn state tan ticket totp xsrf`.split(/\s+/),
)
/** The same, also as part of longer words. */
const sensitiveStem =
  /apikey|assertion|credential|oauth|passwd|passwor|passphrase|secret|sessi|signature|token/

/** Longer names are ignored. */
const nameMax = 64

function isSensitive(name: string): boolean {
  const spelled = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return (
    sensitiveStem.test(spelled) || spelled.split(/[^a-z]+/).some((word) => sensitiveWords.has(word))
  )
}

/**
 * Reports whether a value looks randomly generated: in a long piece of it, at least every fifth character is of
 * another kind than the one before, which is rarer in words, numbers and campaign names; or it has more letters
 * in a row than any word, even in languages with long compounds.
 */
function looksRandom(value: string): boolean {
  if (value.includes('://')) return false
  const pieces = value.replaceAll(barrier, '').match(/[\w+/=.~-]{16,}/g) ?? []
  return pieces.some((piece) => {
    const changes = piece.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0
    const length = piece.match(/[A-Za-z\d]/g)?.length ?? 0
    return (changes > 0 && changes * 5 >= length) || /[a-z]{32}/i.test(piece)
  })
}

/** Characters that end a value; escaped ones do not, unless the value is inside an escaped URL. */
const valueEnd = /[\s&#"<>`]/g
const trailing = /[.,;:!?)\]}'*_]$/

/** Drops the punctuation of the sentence around a value. */
function withoutTrailing(text: string, { start, end }: Span): Span {
  let last = end
  while (last > start && trailing.test(text.charAt(last - 1))) last--
  return { start, end: last }
}

/** Returns the values of parameters with sensitive names, in every `name=value`. */
function findSensitiveValues({ starts, ends }: PlainReading, text: string): Span[] {
  const isUnescaped = (at: number): boolean => (ends[at] ?? 0) - (starts[at] ?? 0) === 1
  const findEnd = (equals: number): number => {
    valueEnd.lastIndex = equals + 1
    for (;;) {
      const end = valueEnd.exec(text)?.index
      if (end === undefined) return text.length
      if (isUnescaped(end) || !isUnescaped(equals)) return end
    }
  }
  const values: Span[] = []
  let equals = text.indexOf('=')
  while (equals !== -1) {
    let start = equals
    while (equals - start < nameMax && /[\w.[\]$-]/.test(text.charAt(start - 1))) start--
    let next = equals + 1
    if (start < equals && isSensitive(text.slice(start, equals))) {
      next = findEnd(equals)
      values.push(withoutTrailing(text, { start: equals + 1, end: next }))
    }
    equals = text.indexOf('=', next)
  }
  return values
}

/** Returns what looks random in queries and fragments, in values or anywhere else. */
function findRandomValues(text: string): Span[] {
  const values: Span[] = []
  for (const { 0: component, index } of text.matchAll(/[?&#;][^\s?&#;"<>`]+/g)) {
    const start = index + 1 + (component.indexOf('=') + 1 || 1) - 1
    const value = withoutTrailing(text, { start, end: index + component.length })
    if (looksRandom(text.slice(value.start, value.end))) values.push(value)
  }
  return values
}

/** Returns the secrets in queries and fragments; `text` is that of the reading, with barriers. */
export function findSecrets(reading: PlainReading, text: string): Span[] {
  return [...findSensitiveValues(reading, text), ...findRandomValues(text)]
}
