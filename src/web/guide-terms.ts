/** The guide's end: limits, errors, use from other sites' pages, and privacy. */

import type { PolicyName } from '../config.ts'
import { clientInFlightMax } from '../http/in-flight.ts'
import type { Limit } from '../setting-values.ts'
import { html, type Markup } from './markup.ts'
import { codeBlock, definitionList, type Section } from './section.ts'

/** The limits in force, by policy; null for none. */
export type Limits = Readonly<Record<PolicyName, Limit | null>>

/** What each policy limits. */
const limited: Readonly<Record<PolicyName, string>> = {
  GENERAL: 'everything below together',
  BLACKLIST: 'GET /api/v1/blacklist',
  BLACKLIST_CHANGES: 'GET /api/v1/blacklist/changes',
  CHECK_URL: 'GET /api/check-url',
  BULK: 'POST /api/v1/check/bulk',
  CHECK_EMAIL: 'POST /api/check-email',
  CHECK_PHONE: 'GET /api/check-phone',
  LISTS: 'GET /lists/…',
  STIX: 'GET /api/v1/export/stix',
  TAXII: 'GET /taxii2/… and /api/taxii/2.1/…',
  SEARCH: 'GET /api/search',
  RSS: 'GET /api/rss/…',
  REPORT_SCAM: 'POST /api/report-scam',
  MANAGE: 'GET /api/report-scam/…',
}

const isPolicy = (name: string): name is PolicyName => name in limited

/** Names of times that are said without a number. */
const spans: ReadonlyMap<number, string> = new Map([
  [1, 'a second'],
  [60, 'a minute'],
  [3_600, 'an hour'],
  [86_400, 'a day'],
])

function limitText({ quota, windowMs }: Limit): string {
  const seconds = windowMs / 1000
  return `${quota} ${spans.get(seconds) ?? `in ${seconds} seconds`}`
}

function limitRows(limits: Limits): readonly Markup[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    // A limit over everything is worth a row only where there is one.
    if (!isPolicy(name) || (name === 'GENERAL' && limit === null)) return []
    const text = limit === null ? 'no limit' : limitText(limit)
    return [
      html`<tr><th scope="row"><code>${limited[name]}</code></th><td>${text}</td></tr>
`,
    ]
  })
}

/** An answer of check-url without a URL. */
export const problemExample = {
  type: 'about:blank',
  title: 'Bad Request',
  status: 400,
  detail: 'url: Give a URL or a bare domain.',
  errors: [{ field: 'url', message: 'Give a URL or a bare domain.' }],
} as const

/** The answer to one call too many. */
export const refusalExample = {
  type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  title: 'Too Many Requests',
  status: 429,
  detail: 'The limit of this endpoint is used up; try again in 12 s.',
  errors: [],
} as const

const refusalText = `HTTP/1.1 429 Too Many Requests
Content-Type: application/problem+json
Retry-After: 12
RateLimit-Policy: "check-url";q=30;w=60
RateLimit: "check-url";r=0;t=12

${JSON.stringify(refusalExample, null, 2)}`

const limitHeaders = definitionList([
  {
    term: html`<code>RateLimit-Policy</code>`,
    meaning: html`The limit: its name, the number of calls <code>q</code>, the window <code>w</code> in
seconds.`,
  },
  {
    term: html`<code>RateLimit</code>`,
    meaning: html`Where you stand: <code>r</code> calls are left, and in <code>t</code> seconds there is one
more.`,
  },
  {
    term: html`<code>Retry-After</code>`,
    meaning: html`With 429 and 503: after this many seconds a call is admitted.`,
  },
])

function limitSection(limits: Limits): Section {
  return {
    id: 'limits',
    title: 'Limits',
    body: html`<p>Limits count per client, which is your IPv4 address, or your IPv6 network. They are sliding
windows: the whole number is there at once, and never more than that in any window. Every admitted call
counts, wrong ones and 304 too; a 429 does not. Beside that, at most ${clientInFlightMax} bulk checks, lists,
exports, TAXII pages and answers of the delta feed are sent to one client at once.</p>
<table>
<thead><tr><th scope="col">calls to</th><th scope="col">limit here</th></tr></thead>
<tbody>
${limitRows(limits)}</tbody>
</table>
${limitHeaders}
<p>This is a refusal:</p>
${codeBlock(refusalText)}
<h3 id="backing-off">Backing off</h3>
<ol>
<li>On 429 and 503 wait as many seconds as <code>Retry-After</code> says. Sooner is of no use.</li>
<li>On other 5xx and on broken connections wait 1, 2, 4, 8 … seconds and a random bit more, at most a few
minutes, and give up after some tries. Calls only read, so every one may be repeated, except a
<a href="#report-a-scam">report</a>, which is counted again.</li>
<li>Never repeat a 400: it would be refused again.</li>
<li>Ask for many items with one <a href="#check-many">bulk call</a>, and follow the
<a href="#local-copy">changes</a> in place of reading the list again.</li>
</ol>
`,
  }
}

const errorSection: Section = {
  id: 'errors',
  title: 'Errors',
  body: html`<p>Every refusal is a problem document (RFC 9457, <code>application/problem+json</code>).
<code>errors</code> names every wrong parameter or field at once. Branch on the status and on
<code>field</code>; the texts are for people. Under the TAXII addresses it is a TAXII error message, whose
<code>details</code> name what is wrong.</p>
${codeBlock(JSON.stringify(problemExample, null, 2))}
${definitionList([
  { term: html`400`, meaning: html`A parameter or the body is malformed, missing or repeated.` },
  { term: html`403`, meaning: html`TAXII: nothing can be added.` },
  { term: html`404`, meaning: html`Nothing is at this path.` },
  { term: html`405`, meaning: html`The path knows other methods; see <code>Allow</code>.` },
  { term: html`406`, meaning: html`TAXII: only another version than 2.1 is accepted.` },
  { term: html`413`, meaning: html`The body is too long.` },
  { term: html`415`, meaning: html`The body is not <code>application/json</code>.` },
  { term: html`429`, meaning: html`A <a href="#limits">limit</a> is used up.` },
  {
    term: html`431`,
    meaning: html`The address or the headers are too long; this answer has no body.`,
  },
  { term: html`500`, meaning: html`Something went wrong here. The operator can see what.` },
  { term: html`503`, meaning: html`Not now: come back after <code>Retry-After</code> seconds.` },
])}
<p>Unknown parameters in the query are ignored, unknown fields in a body are refused. Numbers over a maximum
are lowered to it, and the answer says so in <code>limit</code>.</p>
`,
}

const corsSection: Section = {
  id: 'cors',
  title: 'Other sites (CORS)',
  body: html`<p>Pages of any origin may call everything under <code>/api/v1/</code> from a browser, without
credentials, and may read the headers <code>X-Total-Count</code>, <code>X-Last-Updated</code>,
<code>X-List-Cursor</code>, <code>ETag</code>, <code>Link</code>, <code>RateLimit</code>,
<code>RateLimit-Policy</code>, <code>Retry-After</code> and <code>Age</code>. They may send
<code>content-type</code> and <code>if-none-match</code>. Preflights count against no limit. The other paths
are for programs and for this site: call <code>/api/check-url</code> from your server, or use
<a href="#check-many">bulk</a> with one item.</p>
`,
}

const privacySection: Section = {
  id: 'privacy',
  title: 'Privacy',
  body: html`<p>What you look up is never logged and never stored. A check is answered from this service's own
data, and nothing that you ask about is contacted. One check asks somebody else: of a sender's domain in
<code>check-email</code> the name servers are asked how it takes mail. Check answers carry
<code>Cache-Control: no-store</code>. This page sets no cookie, runs no script and loads nothing.</p>
<p>If even this service is not to know what you look up, <a href="#local-copy">keep a copy</a> of the list
and look there.</p>
`,
}

/** Returns the sections about the terms of use. */
export function termSections(limits: Limits): readonly Section[] {
  return [limitSection(limits), errorSection, corsSection, privacySection]
}
