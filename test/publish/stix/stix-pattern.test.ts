import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseStixPattern } from '../../../src/ingest/formats/stix-pattern.ts'
import { type PatternedType, toPattern } from '../../../src/publish/stix/stix-pattern.ts'

const digests = { sha256: 'a'.repeat(64), sha1: 'b'.repeat(40), md5: 'c'.repeat(32) } as const

describe('patternOf', () => {
  test.each([
    ['domain', 'xn--bcher-kva.test', "[domain-name:value = 'xn--bcher-kva.test']"],
    ['url', 'https://a.test/b?c=1&d=%20', "[url:value = 'https://a.test/b?c=1&d=%20']"],
    ['url', "https://a.test/o'b", "[url:value = 'https://a.test/o%27b']"],
    ['url', 'https://a.test/?q=a\\b', "[url:value = 'https://a.test/?q=a%5Cb']"],
    ['url', 'https://a.test/a b\n\u007f', "[url:value = 'https://a.test/a%20b%0A%7F']"],
    ['url', 'https://a.test/ü', "[url:value = 'https://a.test/ü']"],
    ['ip', '203.0.113.7', "[ipv4-addr:value = '203.0.113.7']"],
    ['ip', '2001:db8::7', "[ipv6-addr:value = '2001:db8::7']"],
    ['email', "o'brien@a.test", "[email-addr:value = 'o\\'brien@a.test']"],
    ['email', 'a\\b@a.test', "[email-addr:value = 'a\\\\b@a.test']"],
    ['sha256', digests.sha256, `[file:hashes.'SHA-256' = '${digests.sha256}']`],
    ['sha1', digests.sha1, `[file:hashes.'SHA-1' = '${digests.sha1}']`],
    ['md5', digests.md5, `[file:hashes.MD5 = '${digests.md5}']`],
  ] as const)('writes the %s %s', (type, value, pattern) => {
    expect(toPattern(type, value)).toBe(pattern)
  })

  const types: readonly PatternedType[] = ['domain', 'url', 'ip', 'email', 'sha256', 'sha1', 'md5']
  const nasty = fc.constantFrom("'", '\\', '"', '\n', '\0', ']', ' OR ', '\u2028', '%27', 'ü', '💣')
  const text = fc
    .array(fc.oneof(fc.string(), nasty), { maxLength: 8 })
    .map((parts) => parts.join(''))

  test('makes of any text one comparison that reads back as the same', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), text, (type, value) => {
        const read = parseStixPattern(toPattern(type, value))
        expect(read.ok).toBe(true)
        if (!read.ok) return
        expect(read.value.length).toBe(1)
        const [comparison] = read.value
        // A URL is escaped by its own means.
        const meant = type === 'url' ? unescaped(comparison?.value ?? '') : comparison?.value
        expect(meant).toBe(type === 'url' ? unescaped(value) : value)
      }),
    )
  })

  test('leaves nothing in a URL that a reader would stumble over', () => {
    fc.assert(
      fc.property(text, (value) => {
        const inside = toPattern('url', value).slice("[url:value = '".length, -"']".length)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
        expect(inside).not.toMatch(/[\u0000-\u0020'\\\u007f]/)
      }),
    )
  })
})

/** Takes the escapes of what is ASCII off a URL. */
function unescaped(url: string): string {
  return url.replace(/%([0-7][0-9A-Fa-f])/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
