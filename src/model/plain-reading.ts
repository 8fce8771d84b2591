/**
 * How a text reads once its disguises are off: digits and signs of any width or script in ASCII, what
 * cannot be seen left out, escapes decoded, `name [at] host [dot] com` as `name@host.com`.
 *
 *     source   jane%40evil[.]com        starts of the characters of `text` in the source:
 *     text     jane@evil.com            0 1 2 3 4 7 8 9 10 11 14 15 16
 *
 * For finding things only: whatever is found is cut out of the source. Linear; never throws.
 */

/** A text in plain characters, and where in its source each of them stands. */
export interface PlainReading {
  readonly text: string
  /** Where the character at each index begins in the source. */
  readonly starts: readonly number[]
  /** Where it ends there, with what cannot be seen after it. */
  readonly ends: readonly number[]
}

/** Stands for a mark in the source: it joins nothing, and no other text is read as it. */
export const barrier = '\uFFFF'

/** How often something may have been escaped: `%40`, `%2540`, `%26%2364%3B`. What is escaped more often stays. */
const layersMax = 6

/** The references of HTML to what is in an address or between digits, by their names. */
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

/** A byte of UTF-8 that is not the first of a character. */
const following = '%[89ab][\\da-f]'
/** One character of UTF-8, or of Latin-1 beyond what is spelled with digits alone, that is percent-encoded. */
const percentEncoded = `%[0-7][\\da-f]|%[cd][\\da-f]${following}|%e[\\da-f](?:${following}){2}|%f[0-4](?:${following}){3}|%[a-f][\\da-f]`
/** A reference of HTML, itself perhaps with its `&` as one. */
const reference =
  '&(?:amp;){0,4}(?:#(?:(\\d{1,12})(?!\\d)|x([\\da-f]{1,12})(?![\\da-f]))(;?)|([a-z][a-z\\d]{1,13});)'
const escaped = new RegExp(`(${percentEncoded})|${reference}`, 'gi')

/** A compatibility form longer than this is a word in one character, such as U+FDFA. */
const foldedLengthMax = 4

/** A fraction in one character would end one number and begin the next. */
const fractionSlash = '\u2044'

/** What cannot be seen, or only sits on the character before it. */
const invisible = /^[\p{C}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]$/u
const lineBreak = /^[\n\u2028\u2029]$/
const dash = /^[\p{Pd}\u2043\u2212]$/u
const dot = /^[\u00b7\u2022\u2027\u2219\u22c5\u3002\u30fb]$/
const digit = /^\p{Nd}$/u

/** Returns the value of a digit of any script; the ten of each begin at a code that ends in 0 or 6. */
function digitValue(code: number): number {
  const row = code - (code % 16)
  const isFromRow = digit.test(String.fromCodePoint(row))
  return (code - (isFromRow ? row : row + 6)) % 10
}

/** Returns one character as the ASCII that it looks like; empty when it cannot be seen. */
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

/** Returns a function that folds, and remembers what each character folds to. */
function foldOnce(): (character: string) => string {
  // At most one entry for each character of a source.
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

/** Reads a source character by character; `marks` are those already put in place of something. */
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

/** Returns a reading in which what a global pattern matches reads as `readMatch` says. */
function reread(
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

/** Returns the code that percent-encoded bytes stand for, also when fewer would have done. */
function decodeUtf8(bytes: string): number {
  const [first = 0, ...rest] = bytes
    .slice(1)
    .split('%')
    .map((hex) => Number.parseInt(hex, 16))
  if (rest.length === 0) return first
  const leading = first & (0x3f >> rest.length)
  return rest.reduce((code, byte) => (code << 6) | (byte & 0x3f), leading)
}

/** Returns the one character that an escape stands for, or null when it is none. */
function unescaped(match: readonly (string | undefined)[]): string | null {
  const [, bytes, decimal, hex, semicolon, name] = match
  if (name !== undefined) return namedReferences.get(name) ?? null
  if (bytes !== undefined) return toCharacter(decodeUtf8(bytes))
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const character = toCharacter(code)
  // Without the semicolon it may be the beginning of a number: `&#4111 1111`.
  return semicolon === ';' || character === '@' || character === '.' ? character : null
}

/** `[at]`, `(dot)`, `{.}`, `[:]`, `[://]`; with words, the blanks around them; and ` at … dot …`. */
const constructs =
  / ?[[({<] ?(?:at|@|dot|\.) ?[\])}>] ?|[[({] ?(?::\/\/|:|\/) ?[\])}]| at [a-z\d-]{1,63}(?: dot [a-z\d-]{1,63}){1,4}(?![\w-])/gi

function readConstruct(construct: string): string {
  if (/^ at /i.test(construct)) return `@${construct.slice(4).replace(/ dot /gi, '.')}`
  const inner = construct.replace(/[^a-z@.:/]/gi, '').toLowerCase()
  return inner.replace('at', '@').replace('dot', '.')
}

/** Reads a source plainly; where one of `marks` stands, the text has a barrier. */
export function readPlainly(source: string, marks: readonly string[]): PlainReading {
  const foldCharacter = foldOnce()
  let reading = readCharacters(source, marks, foldCharacter)
  for (let layer = 0; layer < layersMax; layer++) {
    const before = reading
    reading = reread(before, escaped, (match) => {
      const character = unescaped(match)
      return character === null ? match[0] : foldCharacter(character)
    })
    if (reading.text === before.text) break
  }
  return reread(reading, constructs, ([construct]) => readConstruct(construct))
}
