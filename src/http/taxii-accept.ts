/**
 * What a TAXII request accepts (TAXII 2.1 §3.1, RFC 9110 §12.5.1). A range for TAXII 2.1 wins wherever it
 * stands; a request without any is no TAXII request, and may get something else.
 */

/** `taxii`: TAXII 2.1 is asked for; `any`: something else may be sent; `none`: only what weir has not. */
export type Accepted = 'taxii' | 'any' | 'none'

/** A media range: type, and its parameters in lower case without quotes. */
interface MediaRange {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** Splits at a separator, but for those inside of quotes. Linear. */
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

function rangeOf(text: string): MediaRange {
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
/** What versions before 2.1 were called. */
const olderTypes = ['application/vnd.oasis.taxii+json', 'application/vnd.oasis.stix+json']

/** Reads an `Accept` header; null where there is none. */
export function acceptedBy(header: string | null): Accepted {
  if (header === null || header.trim() === '') return 'any'
  const ranges = splitOutsideQuotes(header, ',')
    .map(rangeOf)
    .filter((range) => !isExcluded(range))
  const isCurrent = ({ type, parameters }: MediaRange): boolean =>
    type === taxii && (parameters.get('version') ?? '2.1') === '2.1'
  if (ranges.some(isCurrent)) return 'taxii'
  return ranges.some(({ type }) => type !== taxii && !olderTypes.includes(type)) ? 'any' : 'none'
}
