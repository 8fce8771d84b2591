/**
 * Defanged and wrapped addresses, as in reports and mails.
 */

import { describe, expect, test } from 'bun:test'
import { refang, unwrap } from '../../src/model/refang.ts'

describe('refang', () => {
  test.each([
    ['hxxp://example.com', 'http://example.com'],
    ['hXXps://example.com', 'https://example.com'],
    ['HTXP://example.com', 'http://example.com'],
    ['meow://example.com', 'http://example.com'],
    ['fxp://example.com', 'ftp://example.com'],
    ['hxxps[:]//example[.]com', 'https://example.com'],
    ['hxxps[://]example[.]com[/]a', 'https://example.com/a'],
    ['http[:]//example.com', 'http://example.com'],
    ['example[.]com', 'example.com'],
    ['example(.)com', 'example.com'],
    ['example{.}com', 'example.com'],
    ['example[dot]com', 'example.com'],
    ['example(DOT)com', 'example.com'],
    ['example[ . ]com', 'example.com'],
    ['example [.] com', 'example.com'],
    ['a . b . example', 'a.b.example'],
    ['meow(dot)example', 'meow.example'],
    ['203[.]0[.]113[.]7', '203.0.113.7'],
    ['hxxp://example.com/a[.]php?u=hxxp[:]//b', 'http://example.com/a.php?u=hxxp://b'],
  ])('reads %s as %s', (text, plain) => {
    expect(refang(text)).toBe(plain)
    expect(refang(plain)).toBe(plain)
  })

  test.each([
    ['https://example.com/a[.]b(dot)c?d[:]e'],
    ['example.com/x . y'],
    ['hxxp.example.com'],
    ['meow.example.com'],
    ['http://[2001:db8::1]/'],
    ['see example . com for more'],
    ['example.com?q=[.]'],
    ['fxpert.example'],
  ])('does not change %s', (text) => {
    expect(refang(text)).toBe(text)
  })
})

describe('unwrap', () => {
  test.each([
    ['<https://example.com/>', 'https://example.com/'],
    ['"\'example.com\'"', 'example.com'],
    [' \u00A0“example.com”\u200B ', 'example.com'],
    ['< example.com >', 'example.com'],
    ['exam\tple\r\n.com', 'example.com'],
    ['\u0001example.com\u0085', 'example.com'],
    ['<', '<'],
    ['<<<<<a>>>>>', '<a>'],
    ["example.com/it's'", "example.com/it's'"],
    ['', ''],
  ])('reads %j as %s', (text, inner) => {
    expect(unwrap(text)).toBe(inner)
  })
})
