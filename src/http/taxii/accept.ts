/**
 * What a TAXII request accepts (TAXII 2.1 §3.1, RFC 9110 §12.5.1). A range for TAXII 2.1 wins at any position; a request
 * without one is not a TAXII request, and may get another media type.
 */

/** `taxii`: TAXII 2.1; `any`: another media type may be sent; `none`: nothing that weir can send. */
export type Accepted = 'taxii' | 'any' | 'none'

/** A media range: type, and its parameters in lower case without quotes. */
interface MediaRange {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** Splits at separators outside quotes. Linear. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted
    if (isQuoted || text[i] !== separator) continue
    parts.push(text.slice(start, i))
    start = i + 1
  }
  parts.push(text.slice(start))
  return parts
}

function parseRange(text: string): MediaRange {
  const [type = '', ...rest] = splitOutsideQuotes(text.toLowerCase(), ';')
  const parameters = rest.map((parameter): [string, string] => {
    const [name = '', value = ''] = parameter.split('=', 2)
    return [name.trim(), value.trim().replace(/^"(.*)"$/, '$1')]
  })
  return { type: type.trim(), parameters: new Map(parameters) }
}

const isExcluded = ({ parameters }: MediaRange): boolean =>
  /^0(?:\.0*)?$/.test(parameters.get('q') ?? '1')

const taxii = 'application/taxii+json'
/** The media types of versions before 2.1. */
const olderTypes = ['application/vnd.oasis.taxii+json', 'application/vnd.oasis.stix+json']

/** Returns what an `Accept` header accepts; null is a missing header. */
export function acceptedBy(header: string | null): Accepted {
  if (header === null || header.trim() === '') return 'any'
  const ranges = splitOutsideQuotes(header, ',')
    .map(parseRange)
    .filter((range) => !isExcluded(range))
  const isCurrent = ({ type, parameters }: MediaRange): boolean =>
    type === taxii && (parameters.get('version') ?? '2.1') === '2.1'
  if (ranges.some(isCurrent)) return 'taxii'
  return ranges.some(({ type }) => type !== taxii && !olderTypes.includes(type)) ? 'any' : 'none'
}
