/** The parts that pages are made of: sections with an anchor each, lists, code and disclosures. */

import { html, Markup, nothing } from './markup.ts'

/** An entry of a table of contents. */
export interface Entry {
  /** The anchor; stable, because other sites link to it. */
  readonly id: string
  readonly title: string | Markup
  /** The subsections. */
  readonly below?: readonly Entry[]
}

/** A part of a page. */
export interface Section extends Entry {
  readonly body: Markup
}

/** What the pages say of this instance. */
export interface Instance {
  /** The public address, without a trailing slash. */
  readonly publicUrl: string
  readonly version: string
}

/** A term and its meaning. */
export interface Definition {
  readonly term: Markup
  readonly meaning: Markup
  /** The anchor of the term. */
  readonly id?: string
}

/**
 * Returns the path of the documentation as browsers request it: without a host, since the service can
 * have several, and below the path at which a proxy offers it.
 */
export const docsRoot = (publicUrl: string): string =>
  `${new URL(publicUrl).pathname.replace(/\/+$/, '')}/docs`

/** Returns a section with its heading, which links to itself. */
export function sectionMarkup({ id, title, body }: Section): Markup {
  return html`<h2 id="${id}"><a href="#${id}">${title}</a></h2>
${body}
`
}

/** Returns a list of terms and meanings. */
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

/** Returns preformatted text; lines of comment are dimmed. */
export function codeBlock(text: string): Markup {
  const dimmed = Bun.escapeHTML(text.trimEnd()).replace(
    /^\s*(?:#|\/[/*]|&quot;&quot;&quot;).*$/gm,
    '<i>$&</i>',
  )
  return html`<pre><code>${new Markup(dimmed)}</code></pre>
`
}

/** Content that a reader opens. */
export interface Disclosure {
  readonly title: Markup
  /** The anchor of the content: a link to it opens the disclosure. */
  readonly id?: string
  readonly body: Markup
}

/** How disclosures behave as a group; of those with the same `group` only one is open. */
export interface DisclosureOptions {
  readonly group?: string
  readonly isFirstOpen?: boolean
}

/** Returns disclosures as one block, or nothing if there are none. */
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
