/**
 * Personal data in reports: what is masked, what stays, and that no disguise gets through.
 */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { maskPersonalData, withoutPersonalParts } from '../../src/reports/personal-data.ts'

const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? '200') }
const nobody = { phone: null, email: null }
const reported = { phone: '+12025552368', email: 'help@evil.example' }

const mask = (text: string): string => maskPersonalData(text, nobody)

describe('maskPersonalData', () => {
  test.each([
    ['jane@example.com', '[e-mail]'],
    ['Write to Jane.Doe+x@mail.example.co.uk, please.', 'Write to [e-mail], please.'],
    ['mailto:jane@example.com?x', 'mailto:[e-mail]?x'],
    ['jane@203.0.113.7', '[e-mail]'],
    ['josé@münchen.example', '[e-mail]'],
    ['"jane doe"@example.com', '[e-mail]'],
    ['jane@example.com202', '[e-mail]'],
    ['name [at] host [dot] com', '[e-mail]'],
    ['name(at)host.com', '[e-mail]'],
    ['name{AT}host(.)com', '[e-mail]'],
    ['name at host dot com', '[e-mail]'],
    ['name @ host.com', '[e-mail]'],
    ['name@host[.]com', '[e-mail]'],
    ['ｎａｍｅ＠ｈｏｓｔ．ｃｏｍ', '[e-mail]'],
    ['na\u200bme@ho\u00adst.com', '[e-mail]'],
    ['name&#64;host&#x2e;com', '[e-mail]'],
    ['name&commat;mail&#46;example, name&#064mail&period;example', '[e-mail], [e-mail]'],
    ['name&amp;#64;host.com or name&amp;amp;#x0040;host.com', '[e-mail] or [e-mail]'],
    [
      'name @mail.example; name@ mail.example; name  @  mail.example',
      '[e-mail]; [e-mail]; [e-mail]',
    ],
    ['name%40b%C3%BCcher.example, name%40b%FCcher.example', '[e-mail], [e-mail]'],
    ['name%25EF%25BC%25A0b%25C3%25BCcher.example', '[e-mail]'],
    ['na%E2%80%8Bme%C1%80host%E3%80%82com', '[e-mail]'],
    ['name%26%2364%3Bhost.com, name%2526%252364%253Bhost.com', '[e-mail], [e-mail]'],
    ['https://evil.example/?e=name+%40+mail.example&x=1', 'https://evil.example/?e=[e-mail]&x=1'],
    ['https://evil.example/?e=jane%40example.com#x', 'https://evil.example/?e=[e-mail]#x'],
    ['https://evil.example/u/jane%2540example.com/', 'https://evil.example/u/[e-mail]/'],
    ['https://evil.example/#jane@example.com', 'https://evil.example/#[e-mail]'],
    ['hxxp://evil[.]example/#amFuZUBleGFtcGxlLmNvbQ==', 'hxxp://evil[.]example/#[e-mail]'],
    ['evil.example/6a616e65406578616d706c652e636f6d', 'evil.example/[e-mail]'],
    ['https://jane:secret@evil.example/x', 'https://[hidden]@evil.example/x'],
    [
      'hxxps[:]//evil[.]com/l?id=5&token=ab%26c&x=1',
      'hxxps[:]//evil[.]com/l?id=5&token=[hidden]&x=1',
    ],
    ['(https://evil.example/?authCode=1234).', '(https://evil.example/?authCode=[hidden]).'],
    ['evil.example/a;jsessionid=1A2B?x', 'evil.example/a;jsessionid=[hidden]'],
    [
      'evil.example/#access_token=x&user[password]=y',
      'evil.example/#access_token=[hidden]&user[password]=[hidden]',
    ],
    ['evil.example/?r=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0', 'evil.example/?r=[hidden]'],
    ['evil.example/?3f9a8b7c6d5e4f3a2b1c', 'evil.example/?[hidden]'],
    [
      '?u=https%3A%2F%2Fx.com%2F%3Fkey%3Dabc%26a%3D1',
      '?u=https%3A%2F%2Fx.com%2F%3Fkey%3D[hidden]%26a%3D1',
    ],
    ['call 202-555-0101.', 'call [phone].'],
    ['(202) 555-0101', '[phone]'],
    ['+1 (202) 555-0101 ext. 5', '[phone]'],
    ['1.202.555.0101x7', '[phone]'],
    ['2025550101', '[phone]'],
    ['202/555/0101 or 202_555_0101', '[phone] or [phone]'],
    ['202-555-0101, 202-555-0102\n202-555-0103', '[phone], [phone]\n[phone]'],
    ['202\u00a0555\u20110101', '[phone]'],
    ['２０２－５５５－０１０１', '[phone]'],
    ['٢٠٢ ٥٥٥ ٠١٠١', '[phone]'],
    ['2 0 2 5 5 5 0 1 0 1', '[phone]'],
    ['tel:+442079460958 or +44 (0)20 7946 0958', 'tel:[phone] or [phone]'],
    ['wa.me/12025550101?text=%2B12025550101', 'wa.me/[phone]?text=[phone]'],
    ['01 23 45 67 89 or 030 / 123 45 67', '[phone] or [phone]'],
    ['4111 1111 1111 1111', '[card]'],
    ['Visa:4111-1111-1111-1111,12/26', 'Visa:[card],12/26'],
    ['4111111111111111 378282246310005 6011.0009.9013.9424', '[card] [card] [card]'],
    ['4\u200b111\u20091111\u20111111\u00a01111', '[card]'],
    ['41111111111111114111111111111111', '[hidden]'],
    ['4111/1111/1111/1111 4111_1111_1111_1111', '[card] [card]'],
    ['card:4111:1111:1111:1111, 4111|1111|1111|1111', 'card:[card], [card]'],
    ['4111~1111~1111~1111 and 4111*1111*1111*1111', '[card] and [card]'],
    ['4111/1111_1111|1111, 4111,1111,1111,1111', '[card], [card]'],
    ['4111 / 1111 / 1111 / 1111 3782/822463/10005', '[card] [card]'],
    ['4111111111111111%BC123456789', '[card]%BC123456789'],
    ['2026/4111/1111/1111/1111/12/26', '2026/[card]/12/26'],
    ['4111%C2%A01111%C2%A01111%A01111 or 4111&nbsp;1111&#160;1111&ndash;1111', '[card] or [card]'],
    ['?card=4111+1111+1111+1111&tel=202+555+0101', '?card=[card]&tel=[phone]'],
    ['202%E2%80%91555%E2%80%910101 &#50;025550101', '[phone] [phone]'],
    ['123-45-6789 and 123 45 6789', '[ssn] and [ssn]'],
    ['123\u201145\u20116789', '[ssn]'],
    ['my social security number is 123456789', 'my social security number is [ssn]'],
    ['123 456 789 (SSN)', '[ssn] (SSN)'],
  ])('masks %j as %j', (text, masked) => {
    expect(mask(text)).toBe(masked)
  })

  test.each([
    [''],
    ['hxxps[:]//evil[.]example/login?lang=en&step=2#top'],
    ['evil[.]com, evil(dot)com and https://login-2024.evil.com:8443/a/b.php'],
    ['https://2025550101.evil.com/ and ec2-203-0-113-25.compute.amazonaws.com'],
    ['203.0.113.7, 203[.]0[.]113[.]7, [2001:db8::1] and 192.168.100.101'],
    ['I paid $1,234.56, then 99.50 and € 1250 in 2024'],
    ['19.99 29.99 39.99 49.99'],
    ['2024-05-17, 17.05.2024, 5/17/24 20 times'],
    ['2024-05-17T10:20:30.123Z and 2024-05-17 10:20:30 +0200'],
    ['Fri, 17 May 2024 10:20:30 -0700 (PDT)'],
    ['2024-05-17 10:20:30 192.168.100.101'],
    ['2023 2024 2025'],
    ['code 1234, 123456 or 12345678'],
    ['order 123456789, ZIP 12345-6789'],
    ['4111 1111 1111 1112 and 4111111111111112'],
    ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['0x52908400098527886E0F7030069857D2E4169EE7'],
    ['evil.example/550e8400-e29b-41d4-a716-446655440000'],
    ['IMG_20240517_102030.jpg'],
    ['https://evil.example/2024/05/17/12345/'],
    ['3 apples@2.50, lodash@4.17.21, @jane, dinner @ 8'],
    ['https://video.example.com/@jane.doe'],
    ['evil.example/?utm_campaign=summer-sale-2024&zip=12345&keyword=x'],
    ['the key: none; a=b, 1=1, really?yes#tag'],
    ['[e-mail] [phone] [card] [ssn] ?token=[hidden]'],
    ['look at that. dot com bubble (2000)'],
    ['2026/11/22, 2026/11/22/4111 and 4111/1111/1111/1112'],
    ['2024/2025/2026/2029 and 2024|2025|2026|2029'],
    ['2001:4111:1111:1111:1111::1, 1:2:3:4111:1111:1111:1111:8 and 4111:1111:1111:1111::'],
    ['4111, 1111, 1111, 1111 and v4.11.1111'],
    ['a &amp; b &copy; c&d; 100% sure, %zz, %C3, %F5%80%80%80, &#9999999;, &#0;'],
    ['https://evil.example/%E4%B8%AD%E6%96%87?q=%D0%BF%D1%80&amp;x=1'],
    ['evil.example/?a=1&amp;b=2 and &#1;'],
  ])('does not change %j', (text) => {
    expect(mask(text)).toBe(text)
  })

  test.each([
    ['+1 (202) 555-2368 called from 202-555-0101', '+1 (202) 555-2368 called from [phone]'],
    [
      '2025552368 202.555.2368 ２０２\u00a0555\u20112368',
      '2025552368 202.555.2368 ２０２\u00a0555\u20112368',
    ],
    ['0012025552368, 011 1 202 555 2368', '0012025552368, 011 1 202 555 2368'],
    ['+44 202 555 2368 and +2025552368', '[phone] and [phone]'],
    ['4111 1111 1111 1111 2025552368', '[card] 2025552368'],
    ['help@evil.example wrote to jane@evil.example', 'help@evil.example wrote to [e-mail]'],
    [
      'HELP [at] evil[.]example, "help@evil.example."',
      'HELP [at] evil[.]example, "help@evil.example."',
    ],
    ['my.help@evil.example', '[e-mail]'],
    ['?e=help%40evil.example&token=12025552368', '?e=help%40evil.example&token=12025552368'],
  ])('keeps what was reported: %j as %j', (text, masked) => {
    expect(maskPersonalData(text, reported)).toBe(masked)
  })
})

/** Separators between digits, visible or not. */
const separator = fc.constantFrom(
  '',
  ' ',
  '-',
  '.',
  '\u00a0',
  '\u2009',
  '\u2011',
  '\u200b',
  '\u2013',
)
const digitStrings = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })

/** The digits of a card, the last one by Luhn's algorithm. */
const cardDigits = fc
  .integer({ min: 12, max: 18 })
  .chain(digitStrings)
  .map((digits) => {
    const sum = [...digits].reverse().reduce((total, digit, i) => {
      const doubled = i % 2 === 0 ? digit * 2 : digit
      return total + (doubled > 9 ? doubled - 9 : doubled)
    }, 0)
    return [...digits, (10 - (sum % 10)) % 10].join('')
  })

/** A card in groups, with different gaps, or with equal ones when the groups are as short as in amounts. */
const card = fc
  .tuple(
    cardDigits,
    fc.constantFrom(1, 2, 3, 4, 6),
    fc.array(separator, { minLength: 19, maxLength: 19 }),
  )
  .map(([digits, size, gaps]) =>
    [...digits]
      .map((digit, i) => {
        const gap = gaps[size < 3 ? 0 : i] ?? ''
        return i > 0 && i % size === 0 ? `${gap}${digit}` : digit
      })
      .join(''),
  )

const nationalDigits = fc.stringMatching(/^[2-9]\d{2}[2-9]\d{6}$/)
const phoneFormat = fc.constantFrom(
  'aaabbbcccc',
  'aaa-bbb-cccc',
  '(aaa) bbb-cccc',
  '(aaa)bbb-cccc',
  'aaa.bbb.cccc',
  'aaa bbb cccc',
  'aaa/bbb-cccc',
  '1aaabbbcccc',
  '+1aaabbbcccc',
  '+1 (aaa) bbb-cccc',
  '1-aaa-bbb-cccc',
  '+1.aaa.bbb.cccc',
  'aaa-bbb-cccc x12',
  'aaa\u00a0bbb\u2011cccc',
  'aaa\u200b-bbb\u200b-cccc',
  'aaa - bbb - cccc',
)
const written = (format: string, digits: string): string =>
  format
    .replace('aaa', digits.slice(0, 3))
    .replace('bbb', digits.slice(3, 6))
    .replace('cccc', digits.slice(6))
const widened = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))

const phone = fc
  .tuple(nationalDigits, phoneFormat, fc.boolean())
  .map(([digits, format, isWide]) =>
    isWide ? widened(written(format, digits)) : written(format, digits),
  )
const foreignPhone = fc
  .tuple(fc.stringMatching(/^[2-9]\d{8,13}$/), fc.constantFrom('', ' ', '-'))
  .map(
    ([digits, gap]) => `+${digits.slice(0, 2)}${gap}${digits.slice(2, 5)}${gap}${digits.slice(5)}`,
  )
const ssn = fc
  .tuple(fc.stringMatching(/^\d{9}$/), fc.constantFrom('-', ' ', '\u2011', '\u00a0', '\u2013'))
  .map(([digits, gap]) => [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)].join(gap))
const email = fc
  .tuple(
    fc.stringMatching(/^[a-z]{3,8}[._+-]?[a-z\d]{4,9}$/),
    fc.constantFrom('@', '%40', '＠', ' [at] ', '(at)', ' @ '),
    fc.stringMatching(/^[a-z\d]{4,9}$/),
    fc.constantFrom('.com', '[.]com', ' [dot] org', '.co.uk', '%2Ecom'),
  )
  .map((parts) => parts.join(''))

/** Text around personal data. */
const before = fc.constantFrom(
  'He called me from ',
  'Paid $1,234.56 on 2024-05-17 to (',
  'see https://evil.example/?x=',
  'see hxxp://evil[.]example/u/',
  'card:',
  'at 10:20, then ',
  '\n',
  '<',
  '',
)
const after = fc.constantFrom(
  '',
  '.',
  ', then nothing',
  ') today',
  '"',
  '\n',
  '&y=1 ok',
  '/x ok',
  '?',
  '!',
  '>',
  ';',
)
/** Returns texts with several things of one kind, the things, and the text around them. */
const textWith = (thing: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(before, thing, after), { minLength: 1, maxLength: 4 }).map((parts) => ({
    text: parts.map((part) => part.join('')).join(' and '),
    things: parts.map(([, each]) => each),
    rest: parts.map(([head, , tail]) => head + tail).join(' and '),
  }))

/** Returns the letters and digits of a text in lower case, without their disguise. */
const bare = (text: string): string =>
  text
    .replace(/%40|%2e|\[?dot\]?|[[(]at[\])]/gi, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z\d]/g, '')
const bareDigits = (text: string): string => bare(text).replace(/\D/g, '')

describe('maskPersonalData with anything in any text', () => {
  const numbers = { card, phone, foreignPhone, ssn }
  for (const [name, number] of Object.entries(numbers)) {
    test(`lets no ${name} through`, () => {
      fc.assert(
        fc.property(textWith(number), ({ text, things, rest }) => {
          const masked = mask(text)
          for (const thing of things) expect(masked).not.toContain(thing)
          expect(bareDigits(masked)).toBe(bareDigits(rest))
        }),
        runs,
      )
    })
  }

  test('lets no e-mail address through', () => {
    fc.assert(
      fc.property(textWith(email), ({ text, rest }) => {
        expect(bare(mask(text).replaceAll('[e-mail]', ''))).toBe(bare(rest))
      }),
      runs,
    )
    // `/@name` in a URL is a profile, `%20` is decoded, `{/}` is a slash.
    const valid = fc.emailAddress().filter((address) => !/[/}]@|%/.test(address))
    fc.assert(
      fc.property(textWith(valid), ({ text, things }) => {
        const masked = mask(text)
        for (const thing of things) expect(masked).not.toContain(thing)
      }),
      runs,
    )
  })

  test('keeps the reported number in any formatting', () => {
    const formatted = fc.tuple(nationalDigits, phoneFormat)
    fc.assert(
      fc.property(formatted, before, after, email, ([digits, format], head, tail, other) => {
        const number = written(format, digits)
        const known = { phone: `+1${digits}`, email: null }
        const masked = maskPersonalData(`${head}${number}${tail} or ${other}`, known)
        expect(masked).toContain(number)
        expect(bare(masked)).not.toContain(bare(other))
      }),
      runs,
    )
  })

  const pieces = fc.constantFrom(
    ...'@| @|@ |a|jane|.com|.|[dot]|(at)| at | dot |%40|%20|%26|%25|%C3|%BC|%C2%A0|&#64;|&commat;|&amp;|#64;|&|?|#|=|;|/|://|https://|evil.com|token|key'.split(
      '|',
    ),
    ...'session=|?token=|4111|_|/4111|:1111|::|1|202|555|0101|2025550101|4111111111111111|123456789|SSN|-|+|(|)|+44|$'.split(
      '|',
    ),
    ...'1,234.56|2024-05-17|10:20:30|10.0.0.1|x|ext 5|_|aB3xK9|[phone]|[hidden]|[|jane@example.com'.split(
      '|',
    ),
    ...[
      ' ',
      '\n',
      '"',
      '\u200b',
      '\u0301',
      '\ud800',
      '\0',
      '１',
      '٣',
      'é',
      '¼',
      '⑴',
      'help@evil.example',
    ],
  )
  const anything = fc.oneof(
    fc.array(pieces, { maxLength: 16 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  )

  test('changes nothing the second time, and never throws', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(nobody, reported), (text, known) => {
        const masked = maskPersonalData(text, known)
        expect(maskPersonalData(masked, known)).toBe(masked)
        const url = withoutPersonalParts(`https://evil.example/${text}`, known)
        expect(withoutPersonalParts(url, known)).toBe(url)
      }),
      runs,
    )
  })

  test('masks 64 KiB of any text in linear time', () => {
    const hostile =
      '@|a@|a@b.cc | @|a @|@ |%C3%BC|%C3|%E2%80%8B|%252525252540|&#64;|&amp;|&#000|&commat;|%26%2364%3B|4111/|4111:|4111_1111~|1:|::|202+|1|1 |1-|0.|1.1.1.1 |+1|(|1)(|-|.|a.|%|%25|%40|?|?a=|=|&|;|[|[at]|(dot) | at a dot b|://|a://b@|"@|/|/@|\n|é|１|\ud800|\0|\u0301|\uFDFA|A1|deadbeef|token=%26|ssn 123456789 |4111 1111 1111 1111 |[phone]'
    for (const piece of hostile.split('|')) {
      const text = piece.repeat(Math.ceil(65_536 / piece.length))
      const masked = maskPersonalData(text, reported)
      expect(maskPersonalData(masked, reported)).toBe(masked)
      expect(withoutPersonalParts(`http://evil.example/?${text}`, reported)).toStartWith(
        'http://evil.example/',
      )
    }
  })
})
