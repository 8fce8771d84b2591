/**
 * The documentation: one page that holds everything it needs, runs no script and loads nothing.
 *
 *     guide ──────────────┐
 *     samples ────────────┼──▶ one HTML text, and the policy that allows its style sheet alone
 *     OpenAPI document ───┘
 */

import type { OpenApiDocument } from '../http/openapi.ts'
import type { Page } from '../http/routes/pages.ts'
import css from './docs.css' with { type: 'text' }
import { checkSections } from './guide-checks.ts'
import { listSections } from './guide-lists.ts'
import { mailSections } from './guide-mail.ts'
import { platformSections } from './guide-platforms.ts'
import { type Limits, termSections } from './guide-terms.ts'
import { html, type Markup, styleElement } from './markup.ts'
import { type Entry, referenceSection } from './reference.ts'
import { type Instance, sectionMarkup } from './section.ts'

/** What the page is made of. */
export interface DocsOptions extends Instance {
  /** Returns what the reference is made of; asked when the page is rendered. */
  readonly document: () => Promise<OpenApiDocument>
  /** The limits in force, by policy; null for none. */
  readonly limits: Limits
}

/** Three bars across a river. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 2v12M8 2v12M13 2v12' stroke='%2317587f' stroke-width='2'/%3E%3C/svg%3E"

const link = ({ id, title }: Entry): Markup => html`<a href="#${id}">${title}</a>`

/** The table of contents; where there is room, the operations stand below the last section. */
function contents(sections: readonly Entry[], operations: readonly Entry[]): Markup {
  const items = sections.map(
    (section) => html`<li>${link(section)}</li>
`,
  )
  const inner = operations.map(
    (operation) => html`<li>${link(operation)}</li>
`,
  )
  return html`<nav aria-label="Contents">
<ul>
${items}<li class="operations"><ul>
${inner}</ul></li>
</ul>
</nav>
`
}

/** Allows the one style sheet that stands in the page, and nothing else. */
function policyFor(style: string): string {
  const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

async function render(options: DocsOptions): Promise<string> {
  const { document, publicUrl, version, limits, suspiciousAt } = options
  const instance = { publicUrl, version, suspiciousAt }
  const reference = referenceSection(await document(), publicUrl)
  const sections = [
    ...checkSections(instance),
    ...mailSections(instance),
    ...listSections(instance),
    ...platformSections(instance),
    ...termSections(limits),
    reference.section,
  ]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>weir: documentation</title>
<meta name="description" content="How to check addresses, mails and phone numbers, use the block list and keep a copy of it.">
<link rel="icon" href="${icon}">
${styleElement(css)}
</head>
<body>
<header>
<a class="skip" href="#about">Skip to the text</a>
<h1>weir</h1>
<p>A free service of phishing threat data. Everything here works without an account.</p>
</header>
${contents(sections, reference.entries)}<main>
${sections.map(sectionMarkup)}</main>
<footer><p>weir ${version}</p></footer>
</body>
</html>
`.text
}

/** Returns the documentation of this instance. */
export function docsPage(options: DocsOptions): Page {
  return {
    path: '/docs',
    contentSecurityPolicy: policyFor(css),
    render: () => render(options),
  }
}
