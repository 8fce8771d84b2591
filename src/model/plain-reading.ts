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

/** `%40` and what escaping it again makes of it (`%2540`), or a numeric reference of HTML. */
const escaped = /%(?:25){0,4}([0-7][\da-f])|&#(?:(\d{2,4})|x([\da-f]{2,4}));/iy

/** A compatibility form longer than this is a word in one character, such as U+FDFA. */
const foldedLengthMax = 4

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
    return plain.length > foldedLengthMax ? character : [...plain].map(fold).join('')
  }
  if (dash.test(character)) return '-'
  if (dot.test(character)) return '.'
  return digit.test(character) ? String(digitValue(character.codePointAt(0) ?? 0)) : character
}

/** Reads a source character by character; `marks` are those already put in place of something. */
function readCharacters(source: string, marks: readonly string[]): PlainReading {
  let text = ''
  const starts: number[] = []
  const ends: number[] = []
  // At most one entry for each character of the source.
  const folds = new Map<string, string>()
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
  const readFolded = (character: string, length: number): void => {
    let plain = folds.get(character)
    if (plain === undefined) {
      plain = fold(character)
      folds.set(character, plain)
    }
    read(plain, length)
  }
  while (at < source.length) {
    const character = source.charAt(at)
    if (character === '[') {
      const mark = marks.find((each) => source.startsWith(each, at))
      read(mark === undefined ? '[' : barrier, mark?.length ?? 1)
    } else if (character === '%' || character === '&') {
      escaped.lastIndex = at
      const [whole, hex, decimal, reference] = escaped.exec(source) ?? []
      if (whole === undefined) read(character, 1)
      else {
        const code = decimal ? Number(decimal) : Number.parseInt(hex ?? reference ?? '', 16)
        readFolded(String.fromCharCode(code), whole.length)
      }
    } else if (character >= ' ' && character <= '~') read(character, 1)
    else {
      const whole = String.fromCodePoint(source.codePointAt(at) ?? 0)
      readFolded(whole, whole.length)
    }
  }
  return { text, starts, ends }
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
  const { text, starts, ends } = readCharacters(source, marks)
  const plainStarts: number[] = []
  const plainEnds: number[] = []
  let copied = 0
  const copyUntil = (end: number): void => {
    for (; copied < end; copied++) {
      plainStarts.push(starts[copied] ?? 0)
      plainEnds.push(ends[copied] ?? 0)
    }
  }
  const plain = text.replace(constructs, (construct, at: number) => {
    const reading = readConstruct(construct)
    copyUntil(at)
    copied = at + construct.length
    for (let i = 0; i < reading.length; i++) {
      plainStarts.push(starts[at] ?? 0)
      plainEnds.push(ends[copied - 1] ?? 0)
    }
    return reading
  })
  if (copied === 0) return { text, starts, ends }
  copyUntil(text.length)
  return { text: plain, starts: plainStarts, ends: plainEnds }
}
