/** What the documentation is made of: sections with an anchor each, and pieces that recur in them. */

import { html, type Markup, nothing } from './markup.ts'

/** An entry of a table of contents. */
export interface Entry {
  /** The anchor; stable, as others link to it. */
  readonly id: string
  readonly title: string
  /** What one looks for within it. */
  readonly below?: readonly Entry[]
}

/** A part of a page. */
export interface Section extends Entry {
  readonly body: Markup
}

/** What the documentation says of this instance. */
export interface Instance {
  /** The address weir gives of itself, without a trailing slash. */
  readonly publicUrl: string
  readonly version: string
  /** The score from which a look is suspicious here. */
  readonly suspiciousAt: number
}

/** A word and what it means. */
export interface Definition {
  readonly term: Markup
  readonly meaning: Markup
  /** The anchor of the word, where it has one. */
  readonly id?: string
}

/** Returns a section with its heading, which links to itself. */
export function sectionMarkup({ id, title, body }: Section): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a href="#${id}">${title}</a></h2>
${body}
</section>
`
}

/** Returns a list of words and meanings. */
export function definitionList(definitions: readonly Definition[]): Markup {
  const items = definitions.map(({ term, meaning, id }) => {
    const attribute = id === undefined ? nothing : html` id="${id}"`
    return html`<div${attribute}><dt>${term}</dt><dd>${meaning}</dd></div>
`
  })
  return html`<dl>
${items}</dl>
`
}

/** Returns a word as a program writes it, within a line. */
export const code = (text: string): Markup => html`<code>${text}</code>`

/** Returns text that stands as it was written; lines of comment are set back. */
export function codeBlock(text: string): Markup {
  const lines = text.trimEnd().split('\n')
  const isLast = (index: number): boolean => index === lines.length - 1
  const pieces = lines.map((line, index) => {
    const end = isLast(index) ? '' : '\n'
    return /^\s*(?:#|\/[/*]|""")/.test(line) ? html`<i>${line}</i>${end}` : html`${line}${end}`
  })
  return html`<pre><code>${pieces}</code></pre>
`
}

/** Returns an answer as people read it, with line breaks. */
export const jsonBlock = (value: object): Markup => codeBlock(JSON.stringify(value, null, 2))

/** Something that is read on demand. */
export interface Disclosure {
  readonly title: Markup
  /** The anchor of what it holds: a link to it opens it. */
  readonly id?: string
  readonly body: Markup
}

/** How several disclosures stand together; `group` names those of which only one is open. */
export interface DisclosureOptions {
  readonly group?: string
  readonly isFirstOpen?: boolean
}

/** Returns disclosures as one block; nothing for none. */
export function disclosureGroup(
  disclosures: readonly Disclosure[],
  { group, isFirstOpen = false }: DisclosureOptions = {},
): Markup {
  if (disclosures.length === 0) return nothing
  const name = group === undefined ? nothing : html` name="${group}"`
  const items = disclosures.map(({ title, id, body }, index) => {
    const open = isFirstOpen && index === 0 ? html` open` : nothing
    const anchor = id === undefined ? nothing : html` id="${id}"`
    return html`<details${name}${open}>
<summary>${title}</summary>
<div${anchor}>${body}</div>
</details>
`
  })
  return html`<div class="group">
${items}</div>
`
}
