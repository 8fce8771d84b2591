/** The documentation of an invented instance, rendered and taken apart. */

import { documentedEndpoints } from '../../src/http/endpoints/endpoints.ts'
import type { Page } from '../../src/http/endpoints/service.ts'
import { type OpenApiDocument, openApiDocument } from '../../src/http/openapi.ts'
import { type DocsOptions, docsPages } from '../../src/web/docs.ts'
import { escapeText } from '../../src/web/markup.ts'
import { type Attribute, attributesOf, type Element, elementsOf } from './html.ts'

const aMinute = 60_000
export const limits = {
  GENERAL: null,
  BLACKLIST: { quota: 100, windowMs: 60 * aMinute },
  BLACKLIST_CHANGES: { quota: 7, windowMs: 90_000 },
  CHECK_URL: { quota: 30, windowMs: aMinute },
  BULK: null,
  CHECK_EMAIL: null,
  CHECK_PHONE: null,
  LISTS: { quota: 30, windowMs: 60 * aMinute },
  STIX: { quota: 60, windowMs: 60 * aMinute },
  TAXII: { quota: 120, windowMs: aMinute },
  SEARCH: { quota: 60, windowMs: aMinute },
  RSS: { quota: 60, windowMs: 60 * aMinute },
  REPORT_SCAM: { quota: 10, windowMs: 60 * aMinute },
  MANAGE: { quota: 60, windowMs: aMinute },
}
export const instance = { publicUrl: 'https://weir.example.org', version: '1.2.3', limits }
export const document: OpenApiDocument = openApiDocument(documentedEndpoints, instance)

/** A page as a reader has it. */
export class ReadPage {
  readonly path: string
  readonly policy: string
  readonly html: string
  readonly elements: readonly Element[]
  readonly attributes: readonly Attribute[]
  /** The style sheet. */
  readonly css: string
  /** Without tags, and escaped as it was. */
  readonly text: string

  constructor({ path, contentSecurityPolicy }: Page, html: string) {
    this.path = path
    this.policy = contentSecurityPolicy
    this.html = html
    this.elements = elementsOf(html)
    this.attributes = this.elements.flatMap(attributesOf)
    this.css = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? ''
    this.text = html.replace(/<style>.*<\/style>/s, '').replace(/<[^>]*>/g, '')
  }

  /** Returns the values of every attribute of a name. */
  valuesOf(name: string): string[] {
    return this.attributes.filter((attribute) => attribute.name === name).map(({ value }) => value)
  }

  /** Reports whether a reader sees these words. */
  shows(words: string): boolean {
    return this.text.includes(escapeText(words))
  }
}

/** Returns both pages, of this instance but for what is given. */
export async function readPages(
  changes: Partial<DocsOptions> = {},
): Promise<{ readonly guide: ReadPage; readonly reference: ReadPage }> {
  const pages = docsPages({
    ...instance,
    suspiciousAt: 50,
    document: async () => document,
    ...changes,
  })
  const read = await Promise.all(pages.map(async (page) => new ReadPage(page, await page.render())))
  const [guide, reference] = read
  if (guide === undefined || reference === undefined || read.length > 2) {
    throw new Error(`the documentation has ${read.length} pages`)
  }
  return { guide, reference }
}
