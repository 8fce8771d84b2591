/** Reads HTML strictly: what a browser would correct is an error here. */

/** An opening tag. */
export interface Element {
  readonly name: string
  /** The text between the name and the end of the tag. */
  readonly rest: string
}

export interface Attribute {
  readonly name: string
  readonly value: string
}

/** Elements without a closing tag. */
const voidNames: ReadonlySet<string> = new Set(['meta', 'link', 'input', 'br', 'hr', 'img'])

/** Elements that end a paragraph in browsers. */
const blockNames: ReadonlySet<string> = new Set(
  'p pre ul ol dl div table details section h1 h2 h3 h4 nav main header footer blockquote'.split(
    ' ',
  ),
)

const withoutStyle = (html: string): string =>
  html.replace(/<style>.*?<\/style>/gs, '').replace(/^<!doctype html>/, '')

const tags = /<(\/?)([a-z][a-z0-9]*)([^<>]*)>/g

/** Returns the elements of a page in document order. */
export function parseElements(html: string): readonly Element[] {
  return [...withoutStyle(html).matchAll(tags)]
    .filter(([, slash]) => slash === '')
    .map(([, , name = '', rest = '']) => ({ name, rest }))
}

/** Returns the attributes of an element; an attribute without a value has an empty one. */
export function parseAttributes({ rest }: Element): readonly Attribute[] {
  return [...rest.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => ({
    name,
    value,
  }))
}

/** Returns the first error, or null if every tag is closed in order. */
export function findBrokenTag(html: string): string | null {
  const body = withoutStyle(html)
  const stray = /[<>]/.exec(body.replace(tags, ''))
  if (stray !== null) return `a stray ${stray[0]}`
  const open: string[] = []
  for (const [tag, slash, name = '', rest = ''] of body.matchAll(tags)) {
    if (slash === '/') {
      if (open.pop() !== name) return `${tag} closes what is not open`
      continue
    }
    if (!/^(?: [a-z-]+(?:="[^"<>]*")?)*$/.test(rest)) return `${tag} has a broken attribute`
    const last = open.at(-1)
    if (blockNames.has(name) && (last === 'p' || last === 'summary')) return `${tag} in ${last}`
    if (!voidNames.has(name)) open.push(name)
  }
  return open.length === 0 ? null : `${open.join(' ')} is never closed`
}
