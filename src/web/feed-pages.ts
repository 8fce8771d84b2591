/**
 * The pages that the feeds lead to. As long as there are no dashboards, each says what its feed is and where.
 */

import type { Page } from '../http/endpoints/service.ts'
import { type FeedName, feedDescriptions, feedNames } from '../model/audience.ts'
import { plainPage } from './frame.ts'
import { html } from './markup.ts'
import type { Instance } from './section.ts'

type Place = Pick<Instance, 'publicUrl' | 'version'>

function feedPage({ publicUrl, version }: Place, feed: FeedName): Page {
  const { title, description, page } = feedDescriptions[feed]
  const address = `${publicUrl}/api/rss/${feed}`
  const links = html`<link rel="alternate" type="application/rss+xml" title="${title}" href="${address}">
`
  const body = () => html`<header>
<h1>${title}</h1>
<p>${description}</p>
</header>
<main>
<section>
<p>Follow it in a feed reader: give it this address.</p>
<p><a href="${address}">${address}</a></p>
<p>All that this service can do is told in the <a href="${publicUrl}/docs">documentation</a>.</p>
</section>
</main>
<footer><p>weir ${version}</p></footer>
`
  return plainPage(page, { title, description, links }, body)
}

/** Returns a page for each feed. */
export function feedPages(instance: Place): readonly Page[] {
  return feedNames.map((feed) => feedPage(instance, feed))
}
