/**
 * A text without its disguises: digits and punctuation of any width or script in ASCII, invisible characters
 * removed, escapes decoded, `name [at] host [dot] com` as `name@host.com`.
 *
 *     source   jane%40evil[.]com        starts of the characters of `text` in the source:
 *     text     jane@evil.com            0 1 2 3 4 7 8 9 10 11 14 15 16
 *
 * For searching only: what is found is cut out of the source. Linear; never throws.
 */

/** A text in plain characters, with the place of each in its source. */
export interface PlainReading {
  readonly text: string
  /** Where each character begins in the source. */
  readonly starts: readonly number[]
  /** Where it ends there, including invisible characters after it. */
  readonly ends: readonly number[]
}

/** Represents a mark in the source: it joins nothing, and nothing else is read as it. */
export const barrier = '\uFFFF'

/** Maximum number of layers of escaping: `%40`, `%2540`, `%26%2364%3B`. Further layers stay. */
const layersMax = 6

/** The characters in addresses and between digits, by the names of their HTML references. */
const namedReferences: ReadonlyMap<string, string> = new Map(
  [
    ['@', 'commat'],
    ['.', 'period middot centerdot sdot bull'],
    [' ', 'nbsp ensp emsp emsp13 emsp14 numsp puncsp thinsp hairsp Tab NewLine'],
    ['', 'shy zwj zwnj ZeroWidthSpace NoBreak'],
    ['-', 'hyphen dash ndash mdash minus'],
    ['+', 'plus'],
    ['(', 'lpar'],
    [')', 'rpar'],
    ['[', 'lbrack lsqb'],
    [']', 'rbrack rsqb'],
    ['{', 'lbrace lcub'],
    ['}', 'rbrace rcub'],
    ['/', 'sol'],
    ['_', 'lowbar UnderBar'],
    ['*', 'ast midast'],
    ['|', 'vert verbar VerticalLine'],
    [':', 'colon'],
    [';', 'semi'],
    [',', 'comma'],
    ['%', 'percnt'],
    ['#', 'num'],
    ['=', 'equals'],
    ['?', 'quest'],
    ['<', 'lt'],
    ['>', 'gt'],
    ['"', 'quot'],
    ["'", 'apos'],
  ].flatMap(([sign = '', names = '']) => names.split(' ').map((name) => [name, sign] as const)),
)

/** A continuation byte of UTF-8. */
const following = '%[89ab][\\da-f]'
/** One percent-encoded character of UTF-8, or of the upper half of Latin-1. */
const percentEncoded = `%[0-7][\\da-f]|%[cd][\\da-f]${following}|%e[\\da-f](?:${following}){2}|%f[0-4](?:${following}){3}|%[a-f][\\da-f]`
/** An HTML reference, whose `&` may itself be a reference. */
const reference =
  '&(?:amp;){0,4}(?:#(?:(\\d{1,12})(?!\\d)|x([\\da-f]{1,12})(?![\\da-f]))(;?)|([a-z][a-z\\d]{1,13});)'
const escaped = new RegExp(`(${percentEncoded})|${reference}`, 'gi')

/** A longer compatibility form is a word in one character, such as U+FDFA. */
const foldedLengthMax = 4

/** A fraction in one character would join two numbers. */
const fractionSlash = '\u2044'

/** Invisible characters, and marks on the character before them. */
const invisible = /^[\p{C}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]$/u
const lineBreak = /^[\n\u2028\u2029]$/
const dash = /^[\p{Pd}\u2043\u2212]$/u
const dot = /^[\u00b7\u2022\u2027\u2219\u22c5\u3002\u30fb]$/
const digit = /^\p{Nd}$/u

/** Returns the value of a digit of any script; the digits of each begin at a code that ends in 0 or 6. */
function digitValue(code: number): number {
  const row = code - (code % 16)
  const isFromRow = digit.test(String.fromCodePoint(row))
  return (code - (isFromRow ? row : row + 6)) % 10
}

/** Returns the ASCII that a character looks like; empty when it is invisible. */
function fold(character: string): string {
  if (lineBreak.test(character)) return '\n'
  if (character !== '\uFEFF' && /^\s$/.test(character)) return ' '
  if (invisible.test(character)) return ''
  const plain = character.normalize('NFKC')
  if (plain !== character) {
    const isOneThing = plain.length <= foldedLengthMax && !plain.includes(fractionSlash)
    return isOneThing ? [...plain].map(fold).join('') : character
  }
  if (dash.test(character)) return '-'
  if (dot.test(character)) return '.'
  return digit.test(character) ? String(digitValue(character.codePointAt(0) ?? 0)) : character
}

/** Returns `fold` with a cache. */
function createFold(): (character: string) => string {
  // At most one entry for each character of the source.
  const folds = new Map<string, string>()
  return (character) => {
    let plain = folds.get(character)
    if (plain === undefined) {
      plain = fold(character)
      folds.set(character, plain)
    }
    return plain
  }
}

/** Reads a source character by character; `marks` are those of an earlier masking. */
function readCharacters(
  source: string,
  marks: readonly string[],
  foldCharacter: (character: string) => string,
): PlainReading {
  let text = ''
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  const read = (plain: string, length: number): void => {
    for (let i = 0; i < plain.length; i++) {
      starts.push(at)
      ends.push(at + length)
    }
    text += plain
    at += length
    if (plain === '' && ends.length > 0) ends[ends.length - 1] = at
  }
  while (at < source.length) {
    const character = source.charAt(at)
    if (character === '[') {
      const mark = marks.find((each) => source.startsWith(each, at))
      read(mark === undefined ? '[' : barrier, mark?.length ?? 1)
    } else if (character >= ' ' && character <= '~') read(character, 1)
    else {
      const whole = String.fromCodePoint(source.codePointAt(at) ?? 0)
      read(foldCharacter(whole), whole.length)
    }
  }
  return { text, starts, ends }
}

/** Returns a reading with every match of a global pattern replaced by `readMatch`. */
function replaceMatches(
  { text, starts, ends }: PlainReading,
  pattern: RegExp,
  readMatch: (match: RegExpExecArray) => string,
): PlainReading {
  let plain = ''
  const plainStarts: number[] = []
  const plainEnds: number[] = []
  let copied = 0
  const copyUntil = (end: number): void => {
    plain += text.slice(copied, end)
    for (; copied < end; copied++) {
      plainStarts.push(starts[copied] ?? 0)
      plainEnds.push(ends[copied] ?? 0)
    }
  }
  for (const match of text.matchAll(pattern)) {
    const whole = match[0]
    const reading = readMatch(match)
    if (reading === whole) continue
    copyUntil(match.index)
    copied = match.index + whole.length
    const end = ends[copied - 1] ?? 0
    for (let i = 0; i < reading.length; i++) {
      plainStarts.push(starts[match.index] ?? 0)
      plainEnds.push(end)
    }
    plain += reading
    if (reading === '' && plainEnds.length > 0) plainEnds[plainEnds.length - 1] = end
  }
  if (copied === 0) return { text, starts, ends }
  copyUntil(text.length)
  return { text: plain, starts: plainStarts, ends: plainEnds }
}

const toCharacter = (code: number): string | null =>
  code <= 0x10_ffff ? String.fromCodePoint(code) : null

/** Returns the code point of percent-encoded bytes, also of an overlong encoding. */
function decodeUtf8(bytes: string): number {
  const [first = 0, ...rest] = bytes
    .slice(1)
    .split('%')
    .map((hex) => Number.parseInt(hex, 16))
  if (rest.length === 0) return first
  const leading = first & (0x3f >> rest.length)
  return rest.reduce((code, byte) => (code << 6) | (byte & 0x3f), leading)
}

/** Returns the character that an escape encodes, or null when it is not an escape. */
function decodeEscape(match: readonly (string | undefined)[]): string | null {
  const [, bytes, decimal, hex, semicolon, name] = match
  if (name !== undefined) return namedReferences.get(name) ?? null
  if (bytes !== undefined) return toCharacter(decodeUtf8(bytes))
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const character = toCharacter(code)
  // Without a semicolon it may be the start of a number: `&#4111 1111`.
  return semicolon === ';' || character === '@' || character === '.' ? character : null
}

/** `[at]`, `(dot)`, `{.}`, `[:]`, `[://]`, with the spaces around words; and ` at … dot …`. */
const constructs =
  / ?[[({<] ?(?:at|@|dot|\.) ?[\])}>] ?|[[({] ?(?::\/\/|:|\/) ?[\])}]| at [a-z\d-]{1,63}(?: dot [a-z\d-]{1,63}){1,4}(?![\w-])/gi

function readConstruct(construct: string): string {
  if (/^ at /i.test(construct)) return `@${construct.slice(4).replace(/ dot /gi, '.')}`
  const inner = construct.replace(/[^a-z@.:/]/gi, '').toLowerCase()
  return inner.replace('at', '@').replace('dot', '.')
}

/** Returns the plain reading of a source, with a barrier for each of `marks` in it. */
export function readPlainly(source: string, marks: readonly string[]): PlainReading {
  const foldCharacter = createFold()
  let reading = readCharacters(source, marks, foldCharacter)
  for (let layer = 0; layer < layersMax; layer++) {
    const before = reading
    reading = replaceMatches(before, escaped, (match) => {
      const character = decodeEscape(match)
      return character === null ? match[0] : foldCharacter(character)
    })
    if (reading.text === before.text) break
  }
  return replaceMatches(reading, constructs, ([construct]) => readConstruct(construct))
}
