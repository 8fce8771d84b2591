/** Where the pages of the documentation stand, and how they link to each other. */

import { html, type Markup } from './markup.ts'
import type { Instance } from './section.ts'

/** The paths of the pages, as this service routes them. */
export const docsPaths = { guide: '/docs', reference: '/docs/reference' } as const

/** A page of the documentation. */
export type DocsPageName = keyof typeof docsPaths

/**
 * Returns the address of a page as its readers' browsers are to ask for it: without a host, as the
 * service may be reached by several, and below the path under which a proxy offers it.
 */
export function docsAddress(
  { publicUrl }: Pick<Instance, 'publicUrl'>,
  page: DocsPageName,
): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '') + docsPaths[page]
}

/** Returns a link to the place of an anchor in the reference. */
export function referenceLink(
  instance: Pick<Instance, 'publicUrl'>,
  anchor: string,
  text: string | Markup,
): Markup {
  return html`<a href="${docsAddress(instance, 'reference')}#${anchor}">${text}</a>`
}

/** Returns what one calls, linked to all that the reference tells of it. */
export function operationLink(
  instance: Pick<Instance, 'publicUrl'>,
  operationId: string,
  call: string,
): Markup {
  return referenceLink(instance, `op-${operationId}`, html`<code>${call}</code>`)
}
