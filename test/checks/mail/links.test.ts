/** Links that promise one address and lead to another. */

import { describe, expect, test } from 'bun:test'
import { misleadingLinks, misleadingLinksMax } from '../../../src/checks/mail/links.ts'

describe('misleadingLinks', () => {
  test.each([
    ['https://bank.example/login', 'https://evil.test/x', 'evil.test'],
    ['www.bank.example', 'http://www.evil.test', 'www.evil.test'],
    ['example.com', 'https://evil.test/', 'evil.test'],
    ['example.com/account', '//evil.test/', 'evil.test'],
    ['(www.bank.example)', 'https://evil.test/', 'evil.test'],
    ['https://example.com', 'https://example.com.evil.test/', 'example.com.evil.test'],
    ['https://example.com', 'https://example.com@evil.test/', 'evil.test'],
    ['https://example.com', 'http://203.0.113.5/', '203.0.113.5'],
    ['https://one.github.io/', 'https://two.github.io/', 'two.github.io'],
  ])('%s that leads to %s is reported', (text, href, target) => {
    const shown = text.replace(/[()]/g, '')
    expect(misleadingLinks([{ href, text }])).toEqual([{ shown, target }])
  })

  test.each([
    ['click here', 'https://evil.test/'],
    ['', 'https://evil.test/'],
    ['https://example.com/', 'https://www.example.com/other'],
    ['example.com', 'http://mail.example.com/'],
    ['Example.com', 'https://evil.test/'],
    ['Node.js', 'https://nodejs.test/'],
    ['report.md', 'https://files.test/'],
    ['visit https://example.com', 'https://evil.test/'],
    ['me@example.com', 'https://evil.test/'],
    ['https://example.com', 'mailto:me@evil.test'],
    ['https://example.com', '#top'],
    ['https://example.com', ''],
    ['https://', 'https://evil.test/'],
    ['https://localhost/', 'https://evil.test/'],
  ])('%j that leads to %s is nothing to tell', (text, href) => {
    expect(misleadingLinks([{ href, text }])).toEqual([])
  })

  test('shows nothing that would turn the text around', () => {
    const text = 'https://bank.example/\u202e\u0085a'
    const [link] = misleadingLinks([{ href: 'https://evil.test/', text }])
    expect(link?.shown).toBe('https://bank.example/a')
  })

  test('tells each pair once and at most the limit', () => {
    const link = { text: 'example.com', href: 'https://evil.test/' }
    expect(misleadingLinks([link, link])).toHaveLength(1)
    const many = Array.from({ length: 50 }, (_, i) => ({ ...link, href: `https://evil${i}.test/` }))
    expect(misleadingLinks(many)).toHaveLength(misleadingLinksMax)
  })
})
