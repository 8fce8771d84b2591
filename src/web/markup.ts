/**
 * HTML as values. Text enters a page only through `html`, which escapes it, so that it is never
 * escaped twice and never forgotten.
 */

/** A piece of HTML. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a template accepts: text is escaped, markup is not, lists are joined. */
export type Piece = string | number | Markup | readonly Markup[]

function toText(piece: Piece): string {
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'string' || typeof piece === 'number') return Bun.escapeHTML(String(piece))
  return piece.map(({ text }) => text).join('')
}

/** Returns the markup of a template. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = strings[0] ?? ''
  for (const [index, piece] of pieces.entries()) text += toText(piece) + (strings[index + 1] ?? '')
  return new Markup(text)
}

/** Empty markup. */
export const nothing: Markup = html``

/** Returns an element with a style sheet, the content of which HTML does not unescape. */
export function styleElement(css: string): Markup {
  if (css.includes('</')) throw new Error('a style sheet in a page cannot contain "</"')
  return new Markup(`<style>${css}</style>`)
}
