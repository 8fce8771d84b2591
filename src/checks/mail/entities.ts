/**
 * Character references of HTML: `&amp;`, `&#8364;`, `&#x20AC;`.
 *
 * One pass, linear in the length, whatever the text. Names that mails use are known, not all 2,231
 * of the standard; a reference that is unknown stays as it is written.
 */

/** The names of U+00A0 to U+00FF, in order; browsers read them without the semicolon as well. */
const latin1Names = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr
  deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
  Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
  ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
  agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
  eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`

/** Names that need the semicolon, each before the character it stands for. */
const otherNames = `apos ' colon : comma , period . sol / excl ! quest ? num # dollar $ percnt % lpar (
  rpar ) ast * plus + equals = commat @ lsqb [ lbrack [ rsqb ] rbrack ] lowbar _ hyphen \u2010 dash \u2010
  ndash \u2013 mdash \u2014 lsquo \u2018 rsquo \u2019 sbquo \u201A ldquo \u201C rdquo \u201D bdquo \u201E
  bull \u2022 hellip \u2026 prime \u2032 Prime \u2033 lsaquo \u2039 rsaquo \u203A euro \u20AC trade \u2122
  larr \u2190 uarr \u2191 rarr \u2192 darr \u2193 rArr \u21D2 check \u2713 star \u2606 starf \u2605
  hearts \u2665 OElig \u0152 oelig \u0153 Scaron \u0160 scaron \u0161 Yuml \u0178 fnof \u0192 tilde \u02DC
  circ \u02C6 inodot \u0131 imath \u0131 Omicron \u039F omicron \u03BF Alpha \u0391 alpha \u03B1
  ZeroWidthSpace \u200B zwnj \u200C zwj \u200D lrm \u200E rlm \u200F NoBreak \u2060`

const bareNames = new Map([
  ['amp', '&'],
  ['AMP', '&'],
  ['lt', '<'],
  ['LT', '<'],
  ['gt', '>'],
  ['GT', '>'],
  ['quot', '"'],
  ['QUOT', '"'],
  ...latin1Names
    .split(/\s+/)
    .map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
])

// Blanks cannot stand in a list that blanks separate.
const names = new Map([
  ...bareNames,
  ['Tab', '\t'],
  ['NewLine', '\n'],
  ['ensp', '\u2002'],
  ['emsp', '\u2003'],
  ['thinsp', '\u2009'],
  ['hairsp', '\u200A'],
  ...pairs(otherNames),
])

function pairs(list: string): [string, string][] {
  const words = list.split(/\s+/)
  return words.flatMap((word, index): [string, string][] =>
    index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [],
  )
}

const nameLengthMax = 24
const bareLengthMax = 6
const bareLengthMin = 2
const replacement = '\uFFFD'

/** What 0x80 to 0x9F stand for in mails that were written in the Windows character set. */
const windows = new TextDecoder('windows-1252')

/** Where references stand, which decides what counts as one without its semicolon. */
export type ReferencePlace = 'text' | 'attribute' | 'plain'

function characterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return windows.decode(Uint8Array.of(code))
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : replacement
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
const isAlphanumeric = (code: number): boolean => isDigit(code) || isLetter(code)
const isHexDigit = (code: number): boolean =>
  isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66)

interface Reference {
  readonly character: string
  /** Where the text goes on. */
  readonly end: number
}

/** Reads a number reference whose `#` stands at `hash`; null when no digit follows. */
function readNumber(text: string, hash: number): Reference | null {
  const isHex = (text.charCodeAt(hash + 1) | 0x20) === 0x78
  const start = hash + (isHex ? 2 : 1)
  const belongs = isHex ? isHexDigit : isDigit
  let code = 0
  let end = start
  for (; end < text.length && belongs(text.charCodeAt(end)); end++) {
    const digit = Number.parseInt(text.charAt(end), 16)
    code = Math.min(code * (isHex ? 16 : 10) + digit, 0x110000)
  }
  if (end === start) return null
  return { character: characterOf(code), end: text.charAt(end) === ';' ? end + 1 : end }
}

/** Reads a named reference whose name starts at `start`; null when it is unknown. */
function readName(text: string, start: number, place: ReferencePlace): Reference | null {
  let end = start
  const limit = Math.min(text.length, start + nameLengthMax)
  while (end < limit && isAlphanumeric(text.charCodeAt(end))) end++
  if (text.charAt(end) === ';') {
    const character = names.get(text.slice(start, end))
    if (character !== undefined) return { character, end: end + 1 }
  }
  if (place === 'plain') return null
  for (let length = Math.min(bareLengthMax, end - start); length >= bareLengthMin; length--) {
    const character = bareNames.get(text.slice(start, start + length))
    if (character === undefined) continue
    // `?a=1&copy=2` in an address is a parameter, as browsers have it.
    const next = text.charCodeAt(start + length)
    const isParameter = place === 'attribute' && (next === 0x3d || isAlphanumeric(next))
    return isParameter ? null : { character, end: start + length }
  }
  return null
}

/** Returns the text with its character references replaced by what they stand for. */
export function decodeReferences(text: string, place: ReferencePlace): string {
  let at = text.indexOf('&')
  if (at === -1) return text
  const pieces: string[] = []
  let done = 0
  for (; at !== -1; at = text.indexOf('&', at)) {
    const reference =
      text.charAt(at + 1) === '#' ? readNumber(text, at + 1) : readName(text, at + 1, place)
    if (reference === null) {
      at++
      continue
    }
    pieces.push(text.slice(done, at), reference.character)
    done = reference.end
    at = done
  }
  pieces.push(text.slice(done))
  return pieces.join('')
}
