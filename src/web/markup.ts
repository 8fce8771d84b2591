/**
 * HTML as values: text becomes part of a page through `html` alone, which escapes it. Whoever writes
 * a page cannot forget to, and cannot do it twice.
 */

/** Returns `text` as it is written inside an element or a quoted attribute. */
export function escapeText(text: string): string {
  return Bun.escapeHTML(text)
}

/** A piece of HTML; made by `html` and `styleElement`. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template: text is escaped, markup is not, lists are joined. */
export type Piece = string | number | Markup | readonly Markup[]

function textOf(piece: Piece): string {
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'string' || typeof piece === 'number') return escapeText(String(piece))
  return piece.map(({ text }) => text).join('')
}

/** Makes markup of a template. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = strings[0] ?? ''
  for (const [index, piece] of pieces.entries()) text += textOf(piece) + (strings[index + 1] ?? '')
  return new Markup(text)
}

/** No markup at all. */
export const nothing: Markup = html``

/** Returns an element that holds a style sheet, which HTML does not unescape. */
export function styleElement(css: string): Markup {
  if (css.includes('</')) throw new Error('a style sheet in a page may not hold "</"; reword it')
  return new Markup(`<style>${css}</style>`)
}
