/** The guide's part for readers: search over all that weir tells of, and the feeds. */

import { operationLink } from './links.ts'
import { html } from './markup.ts'
import {
  code,
  codeBlock,
  type Definition,
  definitionList,
  type Instance,
  jsonBlock,
  type Section,
} from './section.ts'

/** An answer of the search, as the page shows it. */
const searchExample = {
  query: 'paypa1',
  category: 'all',
  page: 1,
  limit: 20,
  total: 1,
  counts: { urls: 1, news: 0, scams: 0 },
  results: [
    {
      type: 'url',
      id: '…',
      title: '…',
      url: 'paypa1-account.example',
      defanged: 'paypa1-account[.]example',
      summary: '…',
      threat_level: 'high',
      target_brand: 'PayPal',
      published_at: '2026-11-20T08:15:30.123Z',
    },
  ],
} as const

function search(instance: Instance): Section {
  const { publicUrl } = instance
  const command = `curl -G '${publicUrl}/api/search' \\\n  --data-urlencode 'q=${searchExample.query}' -d category=all -d page=1 -d limit=20`
  return {
    id: 'search',
    title: 'Search',
    body: html`<p>${operationLink(instance, 'search', 'GET /api/search?q=…')} looks through listed addresses, news, and reports of scams.
<code>category</code> is <code>all</code>, <code>urls</code>, <code>news</code> or <code>scams</code>;
<code>limit</code> is how many results a <code>page</code> has, at most 50.</p>
${codeBlock(command)}
<p>The answer, with line breaks added:</p>
${jsonBlock(searchExample)}
<ul>
<li>Any part of a domain or URL matches that has three characters or more: <code>ypa1</code> finds the one above.
What is shorter matches labels, the parts between the dots, from their start.</li>
<li>Words in news and reports match by their stem: <code>parcels</code> finds “parcel” too.</li>
<li>All words must match; of addresses, at most the five longest. The best match comes first.</li>
<li>A query is text, whatever characters it holds; none of them is a command.</li>
<li>A result is an address (<code>url</code>), an article (<code>news</code>) or a report (<code>scam</code>), as its
<code>type</code> says. Where <code>defanged</code> is not null, it is what to show: <code>url</code> is then the listed
address itself. <strong>Never make it a link.</strong></li>
</ul>
`,
  }
}

const feeds: readonly Definition[] = [
  ['professional', 'High-threat listings, campaigns, and security news.'],
  ['elder', 'Scams and news that aim at older people, in plain words.'],
  ['general', 'Brand phishing, consumer news, and accepted reports.'],
  ['blacklist', 'Newly listed domains.'],
].map(([name = '', meaning = '']) => ({
  id: `rss-${name}`,
  term: code(`/api/rss/${name}`),
  meaning: html`${meaning}`,
}))

function rss(instance: Instance): Section {
  const { publicUrl } = instance
  const command = `curl -fsS --etag-compare weir.etag --etag-save weir.etag \\\n  -o elder.xml '${publicUrl}/api/rss/elder'`
  const exchange = `GET /api/rss/elder
If-None-Match: "…"

HTTP/1.1 304 Not Modified`
  return {
    id: 'rss',
    title: 'RSS feeds',
    body: html`<p>${operationLink(instance, 'readFeed', 'GET /api/rss/…')}: four feeds, for feed readers and for programs, with
the 50 newest items each. Fifteen of them are for news, reports and campaigns, as far as there are any.</p>
${definitionList(feeds)}
<p>Dangerous addresses in them are defanged (<code>paypa1-account[.]example</code>), so that nobody opens one by mistake.</p>
<p>Send the <code>ETag</code> of the last answer back as <code>If-None-Match</code>. While nothing has
come, the answer is 304 without a body:</p>
${codeBlock(command)}
${codeBlock(exchange)}`,
  }
}

/** Returns the sections about search and feeds. */
export function readingSections(instance: Instance): readonly Section[] {
  return [search(instance), rss(instance)]
}
