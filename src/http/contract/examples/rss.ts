/** Examples of GET /api/rss/:feed. */

const elderFeed = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
  <channel>
    <title>weir: scams that aim at older people</title>
    <link>https://weir.example.org/elder</link>
    <description>Current scams, how to recognise them, and what to do, in plain words.</description>
    <language>en</language>
    <lastBuildDate>Thu, 12 Mar 2026 09:03:00 GMT</lastBuildDate>
    <ttl>15</ttl>
    <atom:link href="https://weir.example.org/api/rss/elder" rel="self" type="application/rss+xml"/>
    <item>
      <title>Text messages ask for parcel fees</title>
      <link>https://press.example/2026/parcel-texts</link>
      <description><![CDATA[<p>A message says that a parcel waits. Older people lose most by it.</p><p>Source: Example Press</p>]]></description>
      <category>news</category>
      <guid isPermaLink="false">urn:uuid:efa18497-f9d9-5fb3-ab4d-0d9f4051e349</guid>
      <pubDate>Wed, 11 Mar 2026 15:00:00 GMT</pubDate>
    </item>
  </channel>
</rss>
`

/** What is answered with 200. */
export const feedExamples = {
  elder: {
    summary: 'What aims at older people',
    request: { path: '/api/rss/elder' },
    body: elderFeed,
  },
} as const

/** What is answered with 304. */
export const unchangedFeedExamples = {
  unchanged: {
    summary: 'What the client holds is still good',
    request: { path: '/api/rss/elder', headers: { 'if-none-match': '*' } },
  },
} as const

/** What is answered with 404. */
export const unknownFeedExamples = {
  unknown: {
    summary: 'A feed that weir does not have',
    request: { path: '/api/rss/all' },
    body: {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no such feed; there are professional, elder, general, blacklist.',
      errors: [],
    },
  },
} as const
