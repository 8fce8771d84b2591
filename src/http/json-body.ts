/**
 * Reads JSON bodies and checks them against a schema; every wrong field is named.
 *
 * Elysia's own body validation is not used: before it checks, it removes what the schema does not
 * know, so that `[]` or a misspelt field would pass as an empty request; and its error contains
 * all of a body that may have megabytes.
 */

import type { Static, TSchema } from '@sinclair/typebox'
import { type TypeCheck, ValueErrorType } from '@sinclair/typebox/compiler'
import { wrongValueMessage } from './contract/schema-messages.ts'
import {
  badRequest,
  bodyTooLarge,
  type FieldError,
  unreadableBody,
  unsupportedMediaType,
} from './problem.ts'

/** A body of the wanted shape, or the refusal. */
export type JsonBody<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Response }

/** The maximum number of wrong fields that are named: as many as a person would read. */
const errorsMax = 20
const fieldLengthMax = 100

const refuse = (refusal: Response) => ({ ok: false, refusal }) as const

/**
 * Reads at most `bytesMax` bytes of the body as UTF-8; null when it is longer.
 *
 * The gate has refused a longer body that announces its length; a chunked one is counted here.
 */
async function readText(request: Request, bytesMax: number): Promise<string | null> {
  if (request.body === null) return ''
  if (request.headers.has('content-length')) return request.text()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.length
    if (length > bytesMax) return null
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Shorter texts are parsed without this check: parsing them takes a few milliseconds at most. */
const checkedLengthMin = 65_536
const depthMax = 16
const valuesMax = 10_000

/** Returns where the JSON string from `start` has its closing quote; past the end without one. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashAt = end
    while (text[backslashAt - 1] === '\\') backslashAt--
    if ((end - backslashAt) % 2 === 0) return end
  }
  return text.length
}

/**
 * Reports whether JSON nests deeper or holds more values than any valid request.
 *
 * Parsing megabytes of brackets would block the serving thread for a third of a second; this takes
 * one pass at most, and for such a body a few characters.
 */
function isExcessive(text: string): boolean {
  let depth = 0
  let values = 0
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '"') i = endOfString(text, i)
    else if (character === '[' || character === '{') {
      values++
      if (++depth > depthMax) return true
    } else if (character === ']' || character === '}') depth--
    else if (character === ',' && ++values > valuesMax) return true
  }
  return false
}

/** Returns a JSON pointer as it is written in code: `/urls/3` is `urls[3]`. */
function fieldOf(pointer: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (steps.length === 0) return 'body'
  const [first = '', ...rest] = steps
  const path = rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')
  return `${first}${path}`.slice(0, fieldLengthMax)
}

const messages: ReadonlyMap<ValueErrorType, string> = new Map([
  [ValueErrorType.Object, 'Send a JSON object.'],
  [ValueErrorType.Array, 'Send an array.'],
  [ValueErrorType.String, 'Send a string.'],
  [ValueErrorType.ObjectAdditionalProperties, 'Unknown field.'],
  [ValueErrorType.ObjectRequiredProperty, 'Send this field.'],
])

function fieldErrors<Schema extends TSchema>(
  check: TypeCheck<Schema>,
  body: unknown,
): FieldError[] {
  const errors: FieldError[] = []
  const named = new Set<string>()
  for (const { path, type, schema, value } of check.Errors(body)) {
    const field = fieldOf(path)
    // A missing field is reported as a field of the wrong type as well.
    if (named.has(field)) continue
    named.add(field)
    errors.push({ field, message: messages.get(type) ?? wrongValueMessage(schema, value) })
    if (errors.length === errorsMax) break
  }
  return errors
}

/** Returns the JSON body of a request if it has the shape that `check` accepts; else the refusal. */
export async function readJsonBody<Schema extends TSchema>(
  request: Request,
  bytesMax: number,
  check: TypeCheck<Schema>,
): Promise<JsonBody<Static<Schema>>> {
  const contentType = request.headers.get('content-type') ?? ''
  if (!/^\s*application\/json\s*(?:;|$)/i.test(contentType)) {
    return refuse(unsupportedMediaType('Send the body as application/json.'))
  }
  if (!/^(?:\s*|identity)$/i.test(request.headers.get('content-encoding') ?? '')) {
    return refuse(unsupportedMediaType('Send the body without a Content-Encoding.'))
  }
  let body: unknown
  try {
    const text = await readText(request, bytesMax)
    if (text === null) return refuse(bodyTooLarge(bytesMax))
    if (text.trim() === '') return refuse(unreadableBody('The body is empty; send {} at least.'))
    if (text.length > checkedLengthMin && isExcessive(text)) {
      return refuse(unreadableBody('The body has more values or levels than any valid request.'))
    }
    body = JSON.parse(text)
  } catch {
    // Not JSON, or the connection broke: in both cases the client has to send it again.
    return refuse(unreadableBody('The body is not valid JSON.'))
  }
  if (check.Check(body)) return { ok: true, value: body }
  return refuse(badRequest(fieldErrors(check, body)))
}
