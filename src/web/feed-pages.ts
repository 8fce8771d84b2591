/** The pages that the RSS feeds link to. Each describes its feed and gives its address. */

import type { Page } from '../http/endpoints/service.ts'
import { type FeedName, feedDescriptions, feedNames } from '../model/audience.ts'
import { plainPage } from './frame.ts'
import { html } from './markup.ts'
import { docsRoot, type Instance } from './section.ts'

function feedPage({ publicUrl, version }: Instance, feed: FeedName): Page {
  const { title, description, page } = feedDescriptions[feed]
  const address = `${publicUrl}/api/rss/${feed}`
  const links = html`<link rel="alternate" type="application/rss+xml" title="${title}" href="${address}">
`
  const body = () => html`<main>
<h1>${title}</h1>
<p>${description}</p>
<p>To follow it, add this address to a feed reader:</p>
<p><a href="${address}">${address}</a></p>
<p>The <a href="${docsRoot(publicUrl)}">documentation</a> describes the whole service.</p>
</main>
<footer><p>weir ${version}</p></footer>
`
  return plainPage(page, { title, description: html`${description}`, links }, body)
}

/** Returns a page for each feed. */
export function feedPages(instance: Instance): readonly Page[] {
  return feedNames.map((feed) => feedPage(instance, feed))
}
