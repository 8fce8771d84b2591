/** Describes schemas of the OpenAPI document: the type of a value, and the members of an object. */

import type { JsonView } from './json-view.ts'
import { html, type Markup, nothing } from './markup.ts'
import { type Definition, definitionList } from './section.ts'

/** Maximum depth of objects within objects. */
const depthMax = 4

/** Splits `text` at each `mark`, and formats the pieces by `even` and `odd` in turn. */
function alternating(
  text: string,
  mark: string,
  even: (piece: string) => Markup,
  odd: (piece: string) => Markup,
): Markup {
  const pieces = text.split(mark).map((piece, i) => (i % 2 === 0 ? even(piece) : odd(piece)))
  return html`${pieces}`
}

/** Returns a line of Markdown with code in backticks and bold text in two asterisks. */
export function proseMarkup(text: string): Markup {
  const plain = (piece: string): Markup =>
    alternating(
      piece,
      '**',
      (part) => html`${part}`,
      (part) => html`<strong>${part}</strong>`,
    )
  return alternating(text, '`', plain, (part) => html`<code>${part}</code>`)
}

/** Returns the paragraphs of a text. */
export function paragraphs(text: string): Markup {
  const all = text.split('\n\n').filter((paragraph) => paragraph.trim() !== '')
  return html`${all.map(
    (paragraph) => html`<p>${proseMarkup(paragraph)}</p>
`,
  )}`
}

/** Returns the pieces, separated by `between`. */
export function joined(pieces: readonly Markup[], between: Markup): Markup {
  return html`${pieces.flatMap((piece, index) => (index === 0 ? [piece] : [between, piece]))}`
}

const codes = (views: readonly JsonView[]): Markup =>
  joined(
    views.map(({ shown }) => html`<code>${shown}</code>`),
    html` or `,
  )

function boundsText(schema: JsonView): string {
  const low = schema.get('minimum').json
  const high = schema.get('maximum').json
  if (low !== '' && high !== '') return ` from ${low} to ${high}`
  if (low !== '') return ` from ${low} up`
  return high === '' ? '' : ` up to ${high}`
}

function sizeText(schema: JsonView): string {
  const high = schema.get('maxItems').json
  return high === '' ? '' : `, at most ${high}`
}

/** Formats by a more common name. */
const formats: ReadonlyMap<string, string> = new Map([
  ['date-time', 'a time, RFC 3339'],
  ['date', 'a day, YYYY-MM-DD'],
  ['uri', 'a URI'],
])

/** Returns the type of a value in a few words. */
export function typeMarkup(schema: JsonView): Markup {
  const { reference } = schema
  if (reference !== '') return html`<a href="#schema-${reference}">${reference}</a>`
  const choices = [...schema.get('anyOf').items, ...schema.get('oneOf').items]
  if (choices.length > 0) return joined(choices.map(typeMarkup), html` or `)
  if (schema.get('const').isThere) return codes([schema.get('const')])
  const values = schema.get('enum').items
  if (values.length > 0) return codes(values)
  const types = schema.get('type')
  const names = types.text === '' ? types.items.map(({ text }) => text) : [types.text]
  const words = names.map((name) => {
    if (name === 'array') return html`list of ${typeMarkup(schema.get('items'))}${sizeText(schema)}`
    if (name === 'string') return html`${formats.get(schema.get('format').text) ?? 'text'}`
    const isNumber = name === 'integer' || name === 'number'
    return html`${name === 'integer' ? 'whole number' : name}${isNumber ? boundsText(schema) : ''}`
  })
  return joined(words, html` or `)
}

/** Returns the type and the description of a value. An object needs no type: its members show it. */
export function valueMarkup(schema: JsonView): Markup {
  const description = proseMarkup(schema.get('description').text)
  const isPlain = schema.get('type').text === 'object'
  return isPlain
    ? description
    : html`<span class="type">${typeMarkup(schema)}.</span> ${description}`
}

/** Returns the schema itself, or that of the items of an array. */
function findObject(schema: JsonView): JsonView {
  return schema.get('type').text === 'array' ? findObject(schema.get('items')) : schema
}

/** Returns the members of an object and of objects within it, or nothing for other schemas. */
export function memberList(schema: JsonView, depth = 0): Markup {
  const members = schema.get('properties').members
  if (members.length === 0 || depth > depthMax) return nothing
  const required = new Set(schema.get('required').items.map(({ text }) => text))
  const definitions: readonly Definition[] = members.map(([name, member]) => {
    const presence = required.has(name) ? '' : ', optional'
    const inner = member.reference === '' ? memberList(findObject(member), depth + 1) : nothing
    return {
      term: html`<code>${name}</code>`,
      meaning: html`<span class="type">${typeMarkup(member)}${presence}.</span> ${proseMarkup(member.get('description').text)}${inner}`,
    }
  })
  return definitionList(definitions)
}
