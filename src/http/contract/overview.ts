/** The description of the API as a whole, for the OpenAPI document. */

/** Markdown. */
export const overview = `
A free, self-hosted phishing threat-data service: lists, checks and feeds.

**Verdicts.** \`found\`, \`suspicious\`, \`shared_infrastructure\` and \`not_found\`, each with its reasons. None of
them calls a URL safe: weir can know that something is bad, never that it is good. Lookups are never logged, stored or
contacted; only for the sender of a mail are the name servers asked how its domain accepts mail.

**Values.** JSON is UTF-8, and \`<\` is written \`\\u003c\` in it. Times are RFC 3339 in UTC with milliseconds. New
fields may be added; no field is removed or changes its meaning.

**Parameters.** Numbers are plain decimal digits; above a stated maximum they count as the maximum. Unknown
parameters are ignored, a repeated one is refused, and so is an unknown field of a body. A trailing slash
of a path is ignored. HEAD is answered like GET.

**Refusals** are problem documents (RFC 9457) that name every wrong field; under the TAXII paths they are TAXII
error messages. Exceptions are requests that the server refuses before weir sees them, with an empty body: 431 for
a header or a URL of over 16 KiB, 400 and 505 for what is not HTTP.

**Limits** are counted per client, an IPv4 address or an IPv6 network, in sliding windows: never more than the
stated number in any window, all of it available at once. Every admitted call counts, wrong ones and HEAD too;
a 429 does not. \`RateLimit-Policy\` and \`RateLimit\` state what is left, and \`Retry-After\` of a 429 or 503
states when to try again.

**Caches.** Answers that may be cached carry \`ETag\` and \`Last-Modified\`; a request with \`If-None-Match\` is
answered by 304 while nothing has changed. Long answers are compressed by \`Accept-Encoding\` (zstd, br, gzip). Every
answer carries \`X-Content-Type-Options: nosniff\`.

**Browsers.** Everything under \`/api/v1/\`, refusals included, can be read from any origin, without
credentials; nothing else can.
`.trim()
