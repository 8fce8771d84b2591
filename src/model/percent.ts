/**
 * Percent-escapes, paths and queries of URLs in canonical form (Safe Browsing, "Canonicalization").
 *
 * Every function is one linear pass over UTF-8 bytes in a scratch buffer of fixed size, and returns
 * a string that does not refer to it. Callers pass well-formed text of at most `scratchBytes` bytes.
 */

/** The longest text that these functions accept, in bytes of UTF-8. */
export const scratchBytes = 8192

const bytes = Buffer.alloc(scratchBytes)
const escaped = Buffer.alloc(scratchBytes * 3)

const percent = 0x25
const slash = 0x2f
const dot = 0x2e
const hexDigits = Buffer.from('0123456789ABCDEF', 'latin1')

function hexValue(code: number | undefined): number {
  if (code === undefined) return -1
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Returns the byte that is escaped at `start`, or -1 when there is no complete escape. */
function escapeAt(start: number, end: number): number {
  if (start < 0 || start + 2 >= end || bytes[start] !== percent) return -1
  const high = hexValue(bytes[start + 1])
  const low = hexValue(bytes[start + 2])
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

/**
 * Writes `text` into `bytes` with all escapes decoded; returns the length.
 *
 * Escapes cannot overlap, so the order of decoding does not matter: one pass that checks again after each
 * decoded byte has the same result as decoding repeatedly, however deep the nesting.
 */
function unescapeIntoBytes(text: string): number {
  const end = bytes.write(text, 'utf8')
  let length = 0
  for (let i = 0; i < end; i++) {
    bytes[length++] = bytes[i] ?? 0
    for (let byte = escapeAt(length - 3, length); byte >= 0; byte = escapeAt(length - 3, length)) {
      length -= 2
      bytes[length - 1] = byte
    }
  }
  return length
}

/** Decodes escapes until none is left; bytes that are not UTF-8 become U+FFFD. */
export function unescapeFully(text: string): string {
  if (!text.includes('%')) return text
  return bytes.toString('utf8', 0, unescapeIntoBytes(text))
}

/** Decodes every escape once; bytes that are not UTF-8 become U+FFFD. */
export function unescapeOnce(text: string): string {
  if (!text.includes('%')) return text
  const end = bytes.write(text, 'utf8')
  let length = 0
  for (let i = 0; i < end; i++) {
    const byte = escapeAt(i, end)
    bytes[length++] = byte < 0 ? (bytes[i] ?? 0) : byte
    if (byte >= 0) i += 2
  }
  return bytes.toString('utf8', 0, length)
}

/**
 * Resolves `.` and `..` and drops empty segments in place; returns the new length.
 *
 * `..` removes an empty segment, as in browsers: `/a//../b` is `/a/b`.
 */
function resolveSegments(length: number): number {
  const starts: number[] = []
  let write = 0
  let isDirectory = false
  for (let read = 0; read < length; ) {
    let end = read + 1
    while (end < length && bytes[end] !== slash) end++
    const size = end - read - 1
    const isDot = size === 1 && bytes[read + 1] === dot
    const isDotDot = size === 2 && bytes[read + 1] === dot && bytes[read + 2] === dot
    isDirectory = size === 0 || isDot || isDotDot
    if (isDotDot) write = starts.pop() ?? 0
    else if (!isDot) starts.push(write)
    if (!isDirectory) {
      bytes.copyWithin(write, read, end)
      write += end - read
    }
    read = end
  }
  if (isDirectory) bytes[write++] = slash
  return write
}

const isUnprintable = (byte: number): boolean => byte <= 0x20 || byte >= 0x7f

/** `#` and `%` as in Safe Browsing; `?` and `\` too, or the canonical text would parse differently. */
const isEscapedInPath = (byte: number): boolean =>
  isUnprintable(byte) || byte === 0x23 || byte === percent || byte === 0x3f || byte === 0x5c

function escapeBytes(length: number, isEscaped: (byte: number) => boolean): string {
  let write = 0
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] ?? 0
    if (isEscaped(byte)) {
      escaped[write++] = percent
      escaped[write++] = hexDigits[byte >> 4] ?? 0
      escaped[write++] = hexDigits[byte & 15] ?? 0
    } else escaped[write++] = byte
  }
  return escaped.toString('latin1', 0, write)
}

/**
 * Returns the canonical form of a path that starts with `/`: escapes decoded, `.` and `..` resolved,
 * runs of slashes collapsed, and only what must be escaped escaped again, in upper-case hex.
 */
export function canonicalPath(path: string): string {
  return escapeBytes(resolveSegments(unescapeIntoBytes(path)), isEscapedInPath)
}

/** Returns the query with only spaces, control characters and non-ASCII escaped. */
export function canonicalQuery(query: string): string {
  if (/^[!-~]*$/.test(query)) return query
  return escapeBytes(bytes.write(query, 'utf8'), isUnprintable)
}
