/**
 * Encoded words: the spelling of non-ASCII text in mail headers (RFC 2047), as in
 * `=?utf-8?B?w4lsb2RpZQ==?=`.
 *
 * A word that cannot be decoded stays as it is. Linear in the text; never throws.
 */

/** Charset, encoding and content, each without `?` and spaces. */
const encodedWord = /=\?([^?\s]{1,40})\?([bq])\?([^?\s]{0,1000})\?=/gi

/** Spaces between two encoded words only fold the line and are not part of the text. */
const foldedWord = /\?=\s+(?==\?)/g

function decodeQ(content: string): Buffer {
  const latin = content
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(latin, 'latin1')
}

/** The charsets of mails; the older Latin ones are decoded as windows-1252, as in browsers. */
const charsets = [
  'utf-8',
  'utf8',
  'us-ascii',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-9',
  'iso-8859-15',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1254',
  'windows-1256',
  'koi8-r',
  'koi8-u',
  'gb2312',
  'gbk',
  'gb18030',
  'big5',
  'shift_jis',
  'iso-2022-jp',
  'euc-jp',
  'euc-kr',
] as const
const decoders: ReadonlyMap<string, TextDecoder> = new Map(
  charsets.map((charset) => [charset, new TextDecoder(charset)]),
)

/** Returns the decoder of a charset, which a language may follow (RFC 2231 §5). */
const findDecoder = (charset: string): TextDecoder | undefined =>
  decoders.get(charset.split('*', 1)[0]?.toLowerCase() ?? '')

/** Returns the text of a header with its encoded words decoded. */
export function decodeEncodedWords(text: string): string {
  if (!text.includes('=?')) return text
  return text
    .replace(foldedWord, '?=')
    .replace(encodedWord, (word, charset: string, encoding: string, content: string) => {
      const isBase64 = encoding.toLowerCase() === 'b'
      const bytes = isBase64 ? Buffer.from(content, 'base64') : decodeQ(content)
      return findDecoder(charset)?.decode(bytes) ?? word
    })
}
