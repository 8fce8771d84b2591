/** What the pages of the documentation share: head, header, table of contents, footer and policy. */

import type { Page } from '../http/endpoints/service.ts'
import css from './docs.css' with { type: 'text' }
import { type DocsPageName, docsAddress, docsPaths } from './links.ts'
import { html, type Markup, nothing, styleElement } from './markup.ts'
import { type Entry, type Instance, type Section, sectionMarkup } from './section.ts'

/** What is a page's own. */
export interface Content {
  /** In the browser's tab and among bookmarks. */
  readonly title: string
  readonly heading: string
  /** One sentence below the heading. */
  readonly lead: string
  /** For those who have not opened the page yet. */
  readonly description: string
  readonly sections: readonly Section[]
}

/** The pages by the names under which they link to each other. */
const pageTitles: Readonly<Record<DocsPageName, string>> = {
  guide: 'Guide',
  reference: 'Reference',
}

const isPageName = (name: string): name is DocsPageName => name in pageTitles

/** Three bars across a river. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 2v12M8 2v12M13 2v12' stroke='%2317587f' stroke-width='2'/%3E%3C/svg%3E"

/** Tells on which page one is, and leads to the other. */
function pagesMarkup(instance: Instance, current: DocsPageName): Markup {
  const items = Object.keys(pageTitles)
    .filter(isPageName)
    .map((name) => {
      const mark = name === current ? html` aria-current="page"` : nothing
      return html`<li><a href="${docsAddress(instance, name)}"${mark}>${pageTitles[name]}</a></li>
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

/** The table of contents; what stands below a section is shown where there is room. */
const contentsMarkup = (sections: readonly Section[]): Markup =>
  html`<nav class="contents" aria-label="On this page">
<ul>
${sections.map(entryMarkup)}</ul>
</nav>
`

/** Allows the one style sheet that stands in the page, and nothing else. */
function policyFor(style: string): string {
  const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/** What a page is called, and what stands in its head beside. */
interface Head {
  readonly title: string
  readonly description: string
  readonly links?: Markup
}

/** Returns a whole page around what stands in its body. */
function documentText({ title, description, links = nothing }: Head, body: Markup): string {
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

/** Returns a page that is made of one text. */
export function plainPage(path: `/${string}`, head: Head, body: () => Markup): Page {
  return {
    path,
    contentSecurityPolicy: policyFor(css),
    render: () => documentText(head, body()),
  }
}

function pageText(instance: Instance, name: DocsPageName, content: Content): string {
  const { title, heading, lead, description, sections } = content
  return documentText(
    { title, description },
    html`<header>
<a class="skip" href="#${sections[0]?.id ?? ''}">Skip to the text</a>
<h1>${heading}</h1>
<p>${lead}</p>
${pagesMarkup(instance, name)}</header>
${contentsMarkup(sections)}<main>
${sections.map(sectionMarkup)}</main>
<footer><p>weir ${instance.version}</p></footer>
`,
  )
}

/** Returns a page of the documentation; its content is asked for when it is rendered. */
export function framedPage(
  instance: Instance,
  name: DocsPageName,
  content: () => Content | Promise<Content>,
): Page {
  return {
    path: docsPaths[name],
    contentSecurityPolicy: policyFor(css),
    render: async () => pageText(instance, name, await content()),
  }
}
