/** Reads HTML strictly: what a browser would mend is an error here. */

/** An element as it was opened. */
export interface Element {
  readonly name: string
  /** Everything between the name and the end of the tag. */
  readonly rest: string
}

export interface Attribute {
  readonly name: string
  readonly value: string
}

/** Elements that are never closed. */
const voidNames: ReadonlySet<string> = new Set(['meta', 'link', 'input', 'br', 'hr', 'img'])

/** Elements in which browsers mend a paragraph by ending it. */
const blockNames: ReadonlySet<string> = new Set(
  'p pre ul ol dl div table details section h1 h2 h3 h4 nav main header footer'.split(' '),
)

const withoutStyle = (html: string): string =>
  html.replace(/<style>.*?<\/style>/gs, '').replace(/^<!doctype html>/, '')

const tags = /<(\/?)([a-z][a-z0-9]*)([^<>]*)>/g

/** Returns every element of a page, in the order in which they open. */
export function elementsOf(html: string): readonly Element[] {
  return [...withoutStyle(html).matchAll(tags)]
    .filter(([, slash]) => slash === '')
    .map(([, , name = '', rest = '']) => ({ name, rest }))
}

/** Returns the attributes of an element; those without a value have an empty one. */
export function attributesOf({ rest }: Element): readonly Attribute[] {
  return [...rest.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => ({
    name,
    value,
  }))
}

/** Returns the first thing that is wrong, or null when every tag is closed in its turn. */
export function brokenTagOf(html: string): string | null {
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
