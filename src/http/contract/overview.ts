/** What holds for every operation, in the words of the OpenAPI document. */

/** Markdown. */
export const overview = `
A free, self-hosted phishing threat-data service: lists, checks and feeds.

**Verdicts.** \`found\`, \`suspicious\`, \`shared_infrastructure\` and \`not_found\`, each with its reasons. None of
them calls an address safe: weir can know that something is bad, never that it is good. What is looked up is
never logged, stored or contacted; of a mail's sender the name servers are asked how its domain takes mail.

**Values.** JSON is UTF-8, and \`<\` is written \`\\u003c\` in it. Times are RFC 3339 in UTC with milliseconds. New
fields may be added; none is taken away or given another meaning.

**Parameters.** Numbers are plain decimal digits; above a stated maximum they count as the maximum. Unknown
parameters are ignored, a repeated one is refused, and so is an unknown field of a body. One slash at the end
of a path changes nothing. HEAD is answered wherever GET is.

**Refusals** are problem documents (RFC 9457) that name every wrong field; under the TAXII paths they are TAXII
error messages. Exceptions are calls that the server refuses before weir sees them, with an empty body: 431 for
a header or an address of over 16 KiB, 400 and 505 for what is no HTTP.

**Limits** are counted per client, an IPv4 address or an IPv6 network, in sliding windows: never more than the
stated number in any window, all of it available at once. Every admitted call counts, wrong ones and HEAD too;
a 429 does not. \`RateLimit-Policy\` and \`RateLimit\` tell what is left, and a 429 or 503 says in \`Retry-After\`
when to come back.

**Caches.** Answers that may be kept carry \`ETag\` and \`Last-Modified\`; ask again with \`If-None-Match\` and an
unchanged one is 304. Long answers are compressed by \`Accept-Encoding\` (zstd, br, gzip). Every answer carries
\`X-Content-Type-Options: nosniff\`.

**Browsers.** Everything under \`/api/v1/\`, refusals included, may be read from any origin, without
credentials; nothing else may.
`.trim()
