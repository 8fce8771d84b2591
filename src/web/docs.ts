/**
 * The documentation: two pages that hold everything they need, run no script and load nothing.
 *
 *     guide, samples ───▶ /docs              ┐ each one HTML text, and the policy that allows its
 *     OpenAPI document ─▶ /docs/reference    ┘ style sheet alone
 *
 * They are two so that each stays short enough for a slow line, however many operations there are.
 */

import type { Page } from '../http/endpoints/service.ts'
import type { OpenApiDocument } from '../http/openapi.ts'
import { type Content, framedPage } from './frame.ts'
import { checkSections } from './guide-checks.ts'
import { listSections } from './guide-lists.ts'
import { mailSections } from './guide-mail.ts'
import { platformSections } from './guide-platforms.ts'
import { readingSections } from './guide-reading.ts'
import { reportSections } from './guide-report.ts'
import { type Limits, termSections } from './guide-terms.ts'
import { docsAddress, referenceLink } from './links.ts'
import { html } from './markup.ts'
import { referenceSections } from './reference.ts'
import type { Instance, Section } from './section.ts'

/** What the pages are made of. */
export interface DocsOptions extends Instance {
  /** Returns what the reference is made of; asked when that page is rendered. */
  readonly document: () => Promise<OpenApiDocument>
  /** The limits in force, by policy; null for none. */
  readonly limits: Limits
}

/** The guide's last word: where the rest is. */
const rest = (instance: Instance): Section => ({
  id: 'reference',
  title: 'Reference',
  body: html`<p>The <a href="${docsAddress(instance, 'reference')}">reference</a> has every operation with its
parameters, answers and limit, the ${referenceLink(instance, 'shared-answers', 'refusals')} that operations share,
every ${referenceLink(instance, 'schemas', 'record')} and every ${referenceLink(instance, 'headers', 'header')}. It is
made from <a href="${instance.publicUrl}/openapi.json"><code>/openapi.json</code></a>, which tools can read.</p>
`,
})

const guide = (instance: Instance, limits: Limits): Content => ({
  title: 'weir: documentation',
  heading: 'weir',
  lead: 'A free service of phishing threat data. Everything here works without an account.',
  description:
    'How to check addresses, mails and phone numbers, use the block list, keep a copy of it, search, follow feeds and report a scam.',
  sections: [
    ...checkSections(instance),
    ...mailSections(instance),
    ...listSections(instance),
    ...platformSections(instance),
    ...readingSections(instance),
    ...reportSections(instance),
    ...termSections(limits),
    rest(instance),
  ],
})

const reference = (instance: Instance, document: OpenApiDocument): Content => ({
  title: 'weir: reference',
  heading: 'weir: reference',
  lead: 'Every operation of the API, with its parameters, answers, records and headers.',
  description: 'Every operation of the API, with its parameters, answers, records and headers.',
  sections: referenceSections(document, instance),
})

/** Returns the documentation of this instance: the guide and the reference. */
export function docsPages({ document, limits, ...instance }: DocsOptions): readonly Page[] {
  return [
    framedPage(instance, 'guide', () => guide(instance, limits)),
    framedPage(instance, 'reference', async () => reference(instance, await document())),
  ]
}
