import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { defang, defangNews, defangText, shownValue } from '../../src/model/defang.ts'
import { refang } from '../../src/model/refang.ts'

describe('defang', () => {
  const rows: readonly [string, string][] = [
    ['evil.example', 'evil[.]example'],
    ['https://evil.example/a.php?b=c.d', 'hxxps://evil[.]example/a[.]php?b=c[.]d'],
    ['ftp://evil.example/', 'fxp://evil[.]example/'],
    ['https://a.example/?u=http://b.example', 'hxxps://a[.]example/?u=hxxp://b[.]example'],
    ['192.0.2.7', '192[.]0[.]2[.]7'],
  ]
  for (const [plain, written] of rows) {
    test(`writes ${plain} as ${written}`, () => expect(defang(plain)).toBe(written))
  }

  test('is undone by refang, except for nested addresses', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
    const host = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'))
    const scheme = fc.constantFrom('', 'http://', 'https://', 'ftp://')
    const path = fc.constantFrom('', '/', '/a.html', '/a/b?c=d.e')
    fc.assert(
      fc.property(scheme, host, path, (start, name, rest) => {
        const address = start + name + rest
        expect(refang(defang(address))).toBe(address)
      }),
    )
  })
})

describe('shownValue', () => {
  test('does not change digests and phone numbers', () => {
    expect(shownValue('phone', '+12025550123')).toBe('+12025550123')
    expect(shownValue('ip', '2001:db8::7')).toBe('2001[:]db8[:][:]7')
    expect(shownValue('email', 'a.b@evil.example')).toBe('a[.]b[@]evil[.]example')
  })
})

describe('defangText', () => {
  test('finds addresses among words, and does not change the words', () => {
    expect(defangText('Go to www.evil.example/x now. It is 3.50 dollars, e.g. today.')).toBe(
      'Go to www[.]evil[.]example/x now. It is 3.50 dollars, e.g. today.',
    )
    expect(defangText('It was at evil.example/pay.')).toBe('It was at evil[.]example/pay.')
    expect(defangText('see 💩.la and evil。example')).toBe('see 💩[.]la and evil[.]example')
    expect(defangText('see HTTPS://evil.example/a')).toBe('see hxxpS://evil[.]example/a')
  })

  test('takes linear time', () => {
    for (const unit of ['a', 'a.', '.', 'http://', '://', 'é.', '-.']) {
      expect(defangText(unit.repeat(65_536 / unit.length)).length).toBeGreaterThan(0)
    }
  })
})

describe('defangNews', () => {
  test('keeps links to the publisher and to governments, and names of companies', () => {
    const text =
      'Report it at https://ReportFraud.ftc.gov/x or www.press.example. Booking.com is no www.bad.example, nor http://evil.example/pay.'
    expect(defangNews(text, 'https://www.press.example/2026/1')).toBe(
      'Report it at https://ReportFraud.ftc.gov/x or www.press.example. Booking.com is no www[.]bad[.]example, nor hxxp://evil[.]example/pay.',
    )
  })
})
