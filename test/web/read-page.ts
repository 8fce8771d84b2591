/** The documentation of an invented instance, rendered and taken apart. */

import { documentedEndpoints } from '../../src/http/endpoints/endpoints.ts'
import type { Page } from '../../src/http/endpoints/service.ts'
import { type OpenApiDocument, openApiDocument } from '../../src/http/openapi.ts'
import { type DocsOptions, docsPages } from '../../src/web/docs.ts'
import { type Attribute, type Element, parseAttributes, parseElements } from './html.ts'

export const instance = { publicUrl: 'https://weir.example.org', version: '1.2.3' }
const limits = { BLACKLIST_CHANGES: { quota: 7, windowMs: 90_000 }, BULK: null }
export const document: OpenApiDocument = openApiDocument(documentedEndpoints, {
  ...instance,
  limits,
})

/** A rendered page. */
export class ReadPage {
  readonly path: string
  readonly policy: string
  readonly html: string
  readonly elements: readonly Element[]
  readonly attributes: readonly Attribute[]
  /** The style sheet. */
  readonly css: string
  /** Without tags, still escaped. */
  readonly text: string

  constructor({ path, contentSecurityPolicy }: Page, html: string) {
    this.path = path
    this.policy = contentSecurityPolicy
    this.html = html
    this.elements = parseElements(html)
    this.attributes = this.elements.flatMap(parseAttributes)
    this.css = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? ''
    this.text = html.replace(/<style>.*<\/style>/s, '').replace(/<[^>]*>/g, '')
  }

  /** Returns the values of every attribute of that name. */
  listValues(name: string): string[] {
    return this.attributes.filter((attribute) => attribute.name === name).map(({ value }) => value)
  }

  /** Reports whether the page shows these words. */
  shows(words: string): boolean {
    return this.text.includes(Bun.escapeHTML(words))
  }
}

/** Returns every page, of the invented instance except for `changes`. */
export async function readPages(
  changes: Partial<DocsOptions> = {},
): Promise<ReadonlyMap<string, ReadPage>> {
  const pages = docsPages({ ...instance, document: async () => document, ...changes })
  const read = await Promise.all(pages.map(async (page) => new ReadPage(page, await page.render())))
  return new Map(read.map((page) => [page.path, page]))
}

/** Returns the page at `path`; throws if there is none. */
export function pageAt(pages: ReadonlyMap<string, ReadPage>, path: string): ReadPage {
  const page = pages.get(path)
  if (page === undefined) throw new Error(`the documentation has no page ${path}`)
  return page
}
