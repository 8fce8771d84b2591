/**
 * URLs inside URLs: the target of a redirect, a translation or an AMP page of another site.
 *
 * What is found is parsed like any URL. Most URLs contain none, which is detected at once.
 */

import { type CanonicalUrl, parsePublicUrl } from './url.ts'

/** Maximum number of nested URLs. */
const nestedMax = 3
/** Maximum number of candidates to parse; each may be long. */
const triedMax = 2 * nestedMax
/** Maximum number of query parameters to check. */
const parametersMax = 64
/** The shortest query that can contain one: `?u=//a.bc`. */
const queryLengthMin = 9

/** Parameters with the target of a redirect. */
const targetParameters: ReadonlySet<string> = new Set(
  `url u uri q redirect redirect_url redirect_uri redirect_to redirecturl redir rurl r dest
  destination target to goto go next continue link href return return_to return_url returnto
  returnurl forward adurl`.split(/\s+/),
)

const none: readonly CanonicalUrl[] = Object.freeze([])

/** Decodes form encoding; null when the escapes are not UTF-8. */
function decodeParameter(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** Collects the absolute URLs among the values of known parameters, as text. */
function parameterTargets(query: string): string[] {
  const targets: string[] = []
  let start = 1
  for (let i = 0; i < parametersMax && start < query.length; i++) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand === -1 ? query.length : ampersand
    const equals = query.indexOf('=', start)
    if (equals !== -1 && equals < end && isTargetName(query.slice(start, equals))) {
      const value = decodeParameter(query.slice(equals + 1, end))
      if (value !== null && /^(?:(?:https?|ftp)[:%]|[\\/]{2})/i.test(value)) targets.push(value)
    }
    start = end + 1
  }
  return targets
}

const isTargetName = (name: string): boolean => targetParameters.has(name.toLowerCase())

const translateEnding = '.translate.goog'
const ampEnding = '.cdn.ampproject.org'

/** Returns the page that Google Translate shows as `evil-example.translate.goog`, or null. */
function translatedPage(url: CanonicalUrl): string | null {
  const label = url.host.slice(0, -translateEnding.length)
  if (!url.host.endsWith(translateEnding) || label.includes('.')) return null
  // One hyphen means a dot, two hyphens mean a hyphen.
  const host = label.split('--').map(dotted).join('-')
  const query = url.query.slice(1).split('&').filter(isOfPage).join('&')
  return `https://${host}${url.path}${query === '' ? '' : `?${query}`}`
}

const dotted = (part: string): string => part.replaceAll('-', '.')
const isOfPage = (parameter: string): boolean => !parameter.startsWith('_x_tr_')

/** Returns the page that an AMP cache or viewer shows, or null. */
function ampPage(url: CanonicalUrl): string | null {
  const isCache = url.host.endsWith(ampEnding) || url.host === ampEnding.slice(1)
  const prefix = isCache ? /^\/[a-z]{1,2}\/s\//.exec(url.path)?.[0] : '/amp/s/'
  if (prefix === undefined || !url.path.startsWith(prefix)) return null
  return `https://${url.path.slice(prefix.length)}${url.query}`
}

/**
 * Returns the public URLs that `url` contains and would show or lead to, at most three, without
 * itself; one level deep. Linear in the length; a URL without any takes almost no time.
 */
export function nestedUrls(url: CanonicalUrl): readonly CanonicalUrl[] {
  const targets = url.query.length < queryLengthMin ? [] : parameterTargets(url.query)
  const shown = translatedPage(url) ?? ampPage(url)
  if (shown !== null) targets.unshift(shown)
  if (targets.length === 0) return none
  const found = new Map<string, CanonicalUrl>()
  for (const target of targets.slice(0, triedMax)) {
    if (found.size === nestedMax) break
    const nested = parsePublicUrl(target)
    if (nested.ok && nested.value.value !== url.value) found.set(nested.value.value, nested.value)
  }
  return [...found.values()]
}
