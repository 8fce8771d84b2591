/**
 * The documentation: HTML pages that contain everything they need, run no script and load nothing.
 *
 *     README.md, docs/*.md ─▶ /docs, /docs/NAME    (guide)
 *     OpenAPI document ─────▶ /docs/reference      (reference)
 *
 * One page per subject, so that each is short enough for a slow connection.
 */

import type { Page } from '../http/endpoints/service.ts'
import type { OpenApiDocument } from '../http/openapi.ts'
import { framedPage } from './frame.ts'
import { type GuideFile, guideFiles, renderFile } from './guide.ts'
import { html } from './markup.ts'
import { referenceSections } from './reference.ts'
import { type Instance, sectionMarkup } from './section.ts'

/** What the pages are made of. */
export interface DocsOptions extends Instance {
  /** Returns the document of the reference; called when a page is first rendered. */
  readonly document: () => Promise<OpenApiDocument>
}

const reference = { path: '/reference', title: 'Reference' } as const
const places = [...guideFiles, reference]

const guidePage = (file: GuideFile, { document, ...instance }: DocsOptions): Page =>
  framedPage({ instance, places, path: file.path }, async () =>
    renderFile(file, instance, await document()),
  )

const referencePage = ({ document, ...instance }: DocsOptions): Page =>
  framedPage({ instance, places, path: reference.path }, async () => {
    const sections = referenceSections(await document(), instance)
    const body = html`${sections.map(sectionMarkup)}`
    return { title: 'weir: Reference', heading: 'Reference', entries: sections, body }
  })

/** Returns the pages of the documentation of this instance. */
export function docsPages(options: DocsOptions): readonly Page[] {
  return [...guideFiles.map((file) => guidePage(file, options)), referencePage(options)]
}
