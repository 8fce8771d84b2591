/**
 * Undoes what reports, mail programs and people do to an address: brackets and quotes around it, line breaks
 * in it, and defanging (`hxxps://evil[.]example`).
 *
 * An address that is not defanged keeps every byte of its path, `[.]` included.
 */

/** `[.]`, `(dot)`, `{.}`, `[:]`, `[/]`, `[://]`, with at most a space inside the brackets. */
const token = /[[({] ?(?:\.|dot|:\/\/|:|\/) ?[\])}]/gi
const defangedScheme = /^(?:hxxp|htxp|hxtp|meow|fxp)s?(?=[:[({])/i

const closing: ReadonlyMap<string, string> = new Map([
  ['<', '>'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
])
/** Maximum number of pairs of brackets and quotes to remove. */
const wrappersMax = 4

/** White space and invisible characters, such as a zero-width space in a copied text. */
const blank = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]$/u

/** Tests only characters that are not visible ASCII against the expression. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (code <= 0x20 || code > 0x7e) && blank.test(text.charAt(at))
}

function trimBlank(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text, start)) start++
  while (end > start && isBlank(text, end - 1)) end--
  return text.slice(start, end)
}

/** Removes spaces and quotes around an address and the TAB, CR and LF inside it. */
export function unwrap(text: string): string {
  let inner = trimBlank(text.replace(/[\t\r\n]/g, ''))
  for (let i = 0; i < wrappersMax; i++) {
    const mate = closing.get(inner.charAt(0))
    if (mate === undefined || inner.length < 2 || !inner.endsWith(mate)) break
    inner = trimBlank(inner.slice(1, -1))
  }
  return inner
}

/** Reports whether `index` lies in the scheme or host: no path, query or fragment before it. */
function isInHost(text: string, index: number): boolean {
  if (index === -1) return false
  const head = text.slice(0, index).replace(/^[a-z]*:?[\\/]*/i, '')
  return !/[\\/?#]/.test(head)
}

/** Joins `evil . example` when the result is one word; a sentence is not an address. */
function joinSpacedDots(text: string): string {
  if (!isInHost(text, text.indexOf(' . '))) return text
  const joined = text.replaceAll(' . ', '.')
  return /\s/.test(joined) ? text : joined
}

/** Returns an address without its defanging; one that is not defanged is unchanged. */
export function refang(text: string): string {
  const isDefanged = defangedScheme.test(text) || isInHost(text, text.search(token))
  if (!isDefanged) return joinSpacedDots(text)
  const dotted = text.replace(token, (match) => {
    const inner = match.slice(1, -1).trim()
    return inner.toLowerCase() === 'dot' ? '.' : inner
  })
  const plain = dotted
    .replace(/^(?:hxxp|htxp|hxtp|meow)(s?):/i, 'http$1:')
    .replace(/^fxp(s?):/i, 'ftp$1:')
  return joinSpacedDots(plain)
}
