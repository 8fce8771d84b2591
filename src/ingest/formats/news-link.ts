/**
 * Reads the link of an article: an absolute http or https address without tracking parameters, so that one
 * article has one link.
 */

/** The longest link; no real one is longer. */
const linkLengthMax = 2_048

/** Parameters of campaigns, newsletters and advertisers; none of them selects a page. */
const trackers: ReadonlySet<string> = new Set([
  'fbclid',
  'gclid',
  'dclid',
  'gbraid',
  'wbraid',
  'msclkid',
  'yclid',
  'twclid',
  'ttclid',
  'li_fat_id',
  'igshid',
  'igsh',
  'mc_cid',
  'mc_eid',
  'mkt_tok',
  'oly_anon_id',
  'oly_enc_id',
  'vero_id',
  '_hsenc',
  '_hsmi',
  's_cid',
  'ref_src',
  'wt.mc_id',
])

function isTracker(parameter: string): boolean {
  const [name = ''] = parameter.toLowerCase().split('=', 1)
  return name.startsWith('utm_') || trackers.has(name)
}

/** Markup that a website put where the address should be: `https://example.gov/%253Ca%2520href=…`. */
const strayMarkup = /%(?:25)*3[ce]/i

/**
 * Returns the address of `href` in a feed whose links are relative to `base`; null when it cannot be
 * followed. An address with a user name is refused: it imitates another.
 */
export function parseNewsLink(href: string, base: string | null): string | null {
  const written = href.trim()
  if (written === '' || written.length > linkLengthMax) return null
  const url = URL.parse(written, base ?? undefined)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.username !== '' || url.password !== '') return null
  // The other parameters stay as they are written: their order and escapes may matter.
  const parameters = url.search.slice(1).split('&')
  const kept = parameters.filter((parameter) => !isTracker(parameter))
  if (kept.length < parameters.length) url.search = kept.join('&')
  url.hash = ''
  return url.href.length > linkLengthMax || strayMarkup.test(url.href) ? null : url.href
}
