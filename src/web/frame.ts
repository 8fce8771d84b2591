/** What all pages share: head, header, navigation, table of contents, footer and policy. */

import type { Page } from '../http/endpoints/service.ts'
import css from './docs.css' with { type: 'text' }
import { html, Markup, nothing, styleElement } from './markup.ts'
import { docsRoot, type Entry, type Instance } from './section.ts'

/** The content of one page. */
export interface PageContent {
  /** The title of the browser's tab, and of bookmarks. */
  readonly title: string
  readonly heading: string
  /** The table of contents. */
  readonly entries: readonly Entry[]
  readonly body: Markup
}

/** Where a page is in the documentation; paths are relative to its root. */
export interface PagePlace {
  readonly instance: Instance
  /** Every page, in the order of the navigation. */
  readonly places: readonly { readonly path: string; readonly title: string }[]
  readonly path: string
}

/** Three bars across a river. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 2v12M8 2v12M13 2v12' stroke='%2317587f' stroke-width='2'/%3E%3C/svg%3E"

/** Returns links to every page, with the current one marked. */
function navigation({ instance, places, path: current }: PagePlace): Markup {
  const root = docsRoot(instance.publicUrl)
  const items = places.map(({ path, title }) => {
    const mark = path === current ? html` aria-current="page"` : nothing
    return html`<li><a href="${root}${path}"${mark}>${title}</a></li>
`
  })
  return html`<nav class="pages" aria-label="Documentation">
<ul>
${items}</ul>
</nav>
`
}

function entryMarkup({ id, title, below = [] }: Entry): Markup {
  const inner = below.length === 0 ? nothing : html`<ul>${below.map(entryMarkup)}</ul>`
  return html`<li><a href="#${id}">${title}</a>${inner}</li>
`
}

/** Returns the table of contents; subsections are shown where there is room. */
const contents = (entries: readonly Entry[]): Markup =>
  html`<nav class="contents" aria-label="On this page">
<ul>
${entries.map(entryMarkup)}</ul>
</nav>
`

/** Returns a policy that allows the one style sheet in the page, and nothing else. */
function policyFor(style: string): string {
  const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/** The head of a page, as far as pages differ in it. */
interface PageHead {
  readonly title: string
  readonly description: Markup
  readonly links?: Markup
}

/** Returns a whole page. */
function documentText({ title, description, links = nothing }: PageHead, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${icon}">
${links}${styleElement(css)}
</head>
<body>
${body}</body>
</html>
`.text
}

/** Returns a page without navigation. */
export function plainPage(path: `/${string}`, head: PageHead, body: () => Markup): Page {
  return { path, contentSecurityPolicy: policyFor(css), render: () => documentText(head, body()) }
}

/** Returns the first paragraph as text. */
function findDescription({ text }: Markup): Markup {
  const [, paragraph = ''] = /<p>(.*?)<\/p>/s.exec(text) ?? []
  return new Markup(paragraph.replace(/<[^>]*>/g, ''))
}

function framedText(place: PagePlace, { title, heading, entries, body }: PageContent): string {
  return documentText(
    { title, description: findDescription(body) },
    html`<header>
<a class="skip" href="#text">Skip to the text</a>
${navigation(place)}</header>
${contents(entries)}<main id="text">
<h1>${heading}</h1>
${body}</main>
<footer><p>weir ${place.instance.version}</p></footer>
`,
  )
}

/** Returns a page of the documentation; its content is requested when it is first rendered. */
export function framedPage(place: PagePlace, content: () => Promise<PageContent>): Page {
  return {
    path: `/docs${place.path}`,
    contentSecurityPolicy: policyFor(css),
    render: async () => framedText(place, await content()),
  }
}
