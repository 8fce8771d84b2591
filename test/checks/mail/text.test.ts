/**
 * What a reader sees of a mail: tags, references, disguises and addresses, well-formed and not.
 */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { linksMax, linkTextMax, readHtml } from '../../../src/checks/mail/html.ts'
import { searchTextMax, toSearchText } from '../../../src/checks/mail/plain.ts'
import { readMailText } from '../../../src/checks/mail/text.ts'
import { addressesIn, mailUrlsMax } from '../../../src/checks/mail/urls.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200)
const letters = new Map([
  ['а', 'a'],
  ['е', 'e'],
  ['о', 'o'],
  ['ԁ', 'd'],
  ['ο', 'o'],
  ['ı', 'i'],
  ['é', 'e'],
  ['ᴄ', 'c'],
  ['ʟ', 'l'],
  ['ß', 'ss'],
])

const textOf = (body: string): string => readMailText(body, letters).text

describe('character references', () => {
  test.each([
    ['&amp;&lt;&gt;&quot;&apos;', `&<>"'`],
    ['a&nbsp;b', 'a\u00A0b'],
    ['caf&eacute; &euro;5', 'café €5'],
    ['&#118;&#x65;&#X72;ify', 'verify'],
    ['&#000000000000118;', 'v'],
    ['&#118erify', 'verify'],
    ['&#146;&#128;', '’€'],
    ['&#0;&#xD800;&#x110000;&#99999999999;', '\uFFFD\uFFFD\uFFFD\uFFFD'],
    ['&eacute &copy2', 'é ©2'],
    ['AT&T &unknown; &; & &#; &#x; &#xg', 'AT&T &unknown; &; & &#; &#x; &#xg'],
    ['&amp;amp;', '&amp;'],
    ['&zwnj;&shy;', '\u200C\u00AD'],
    ['&constructor; &__proto__;', '&constructor; &__proto__;'],
    ['&', '&'],
  ])('reads %j as %j', (text, decoded) => {
    expect(readHtml(`<b>${text}`).text).toBe(decoded)
  })

  test('leaves the parameters of an address alone', () => {
    const [link] = readHtml('<a href="?a=1&copy=2&lt5&amp;x">').links
    expect(link?.href).toBe('?a=1&copy=2&lt5&x')
  })

  test('asks for the semicolon in plain text', () => {
    expect(textOf('a&copy b&copy;')).toBe('a&copy b©')
  })
})

describe('readMailText', () => {
  test.each([
    ['plain text stays', 'Update your  account\r\nnow', 'update your account now'],
    ['text with angle brackets is no HTML', 'a < b <me@example.com> c', 'a < b <me@example.com> c'],
    ['tags go', '<p>Dear <b>customer</b></p><p>hello</p>', 'dear customer hello'],
    ['tags inside a word do not part it', '<div>up<b>da</b><i></i>te</div>', 'update'],
    ['tags of a block part words', 'one<br>two<td>three', 'one two three'],
    [
      'styles, scripts and titles are not shown',
      '<style>p{x}</style><script>if(a<b)"</p>"</script><title>t</title><p>shown',
      'shown',
    ],
    ['an unclosed script hides nothing', '<p>shown<script>hidden', 'shown hidden'],
    ['a style in a drawing hides nothing', '<svg><style><p>a</svg><style>b</style>c', 'a c'],
    ['a comment may end with an exclamation mark', '<p>a<!-- b --!>c<!----!>d', 'acd'],
    ['runs of marks are cut', `x${'\u0591'.repeat(50)}`, `x${'\u0591'.repeat(4)}`],
    ['an end tag may hold blanks', '<p><STYLE>x</style >shown', 'shown'],
    ['comments go', '<p>a<!-- <b> -- > -->b<!-->c<!--->d', 'abcd'],
    ['an unclosed comment takes the rest', '<p>shown<!-- hidden <b>', 'shown'],
    [
      'conditional comments and declarations go',
      '<!DOCTYPE html><p>a<![if !mso]>b<![endif]><?xml x?>c',
      'abc',
    ],
    ['CDATA is a comment up to the bracket', '<p>a<![CDATA[ b > c ]]>d', 'a c ]]>d'],
    ['an end tag without a name goes', '<p>a</>b</ x>c', 'abc'],
    ['a bracket that starts no tag stays', '<p>1 < 2 <3', '1 < 2 <3'],
    ['an unclosed tag takes the rest', '<p>shown <a href="https://example.com" hidden', 'shown'],
    [
      'an unclosed quote takes the rest',
      '<p>shown <a href="https://example.com>hidden</a>',
      'shown',
    ],
    ['a bracket in a quoted value ends no tag', '<p title="a>b">c', 'c'],
    ['a bare value ends at the bracket', '<p title=a"b>c', 'c'],
    [
      'addresses in brackets are text',
      '<div>see <https://example.com/a> or <mailto:x@example.com>',
      'see <https://example.com/a> or <mailto:x@example.com>',
    ],
    ['tags of Office are tags', '<p>a<o:p>b</o:p>', 'ab'],
    ['references are decoded after the tags', '<p>&lt;b&gt;v&#101;rify', '<b>verify'],
    ['invisible characters go', 'ver\u200Bi\u00ADf\u034Fy\u2060 \uFEFFnow', 'verify now'],
    ['invisible references go', '<p>ver&zwnj;i&shy;fy', 'verify'],
    ['compatibility forms are folded', 'ＵＰＤＡＴＥ 𝐲𝐨𝐮𝐫 ﬁle', 'update your file'],
    ['marks without a letter go', 'u\u0332p\u0332d\u0332', 'upd'],
    ['accents stay', 'Regularizac\u0327a\u0303o é', 'regularização é'],
    ['look-alikes are folded in Latin words', 'Lеԁgеr Grοupe', 'ledger groupe'],
    ['signs of phonetics are folded', 'ᴄaʟʟ ᴄʟ straße', 'call cl straße'],
    ['words of another script stay', 'мое ο', 'мое ο'],
    ['letters set apart are joined', 'u p d a t e your PIN', 'update your pin'],
    ['wider gaps part the words that were set apart', 'P A Y  N O W', 'pay now'],
    ['all are joined when a letter would stay alone', 'x y  a  z', 'xyaz'],
    ['look-alikes set apart are joined and folded', 'p а y p а l', 'paypal'],
    ['two letters are not joined', 'plan a b', 'plan a b'],
    ['a lone surrogate is replaced', 'a\uD800b', 'a\uFFFDb'],
    ['nothing is nothing', '', ''],
  ])('%s', (_, body, text) => {
    expect(textOf(body)).toBe(text)
  })

  test.each([
    ['double quotes', '<a href="https://a.example/x">shown</a>', 'https://a.example/x', 'shown'],
    [
      'single quotes',
      "<A class=b HREF = 'https://a.example/x'>shown</A>",
      'https://a.example/x',
      'shown',
    ],
    [
      'no quotes',
      '<a href=https://a.example/x?b=c/ id=d>shown</a>',
      'https://a.example/x?b=c/',
      'shown',
    ],
    [
      'references',
      '<a href="https://a.example/?a=1&amp;b&#61;2">a &amp; b</a>',
      'https://a.example/?a=1&b=2',
      'a & b',
    ],
    [
      'line breaks and blanks',
      '<a href=" https://a.exa\nmple/ ">\n a  b\n</a>',
      'https://a.example/',
      'a b',
    ],
    [
      'tags in the text',
      '<a href="https://a.example/"><b>one</b><br>two</a>',
      'https://a.example/',
      'one two',
    ],
    [
      'the first of two',
      '<a href="https://a.example/" href="https://b.example/">x</a>',
      'https://a.example/',
      'x',
    ],
    ['no end', '<a href="https://a.example/">x', 'https://a.example/', 'x'],
    [
      'no space between attributes',
      '<a id="b"href="https://a.example/">x</a>',
      'https://a.example/',
      'x',
    ],
    ['an empty value', '<a href="">x</a>', '', 'x'],
  ])('reads a link with %s', (_, body, href, text) => {
    expect(readMailText(body, letters).links).toEqual([{ href, text }])
  })

  test('a link ends where the next one starts', () => {
    const { links } = readMailText('<a href=x>one<a href=y>two</a>three', letters)
    expect(links).toEqual([
      { href: 'x', text: 'one' },
      { href: 'y', text: 'two' },
    ])
  })

  test('an anchor without a target is no link', () => {
    expect(readMailText('<a name="top">x</a><p hrefs="https://a.example">', letters).links).toEqual(
      [],
    )
  })

  test('takes addresses of links and forms first, then those of the text, each once', () => {
    const body = `<p>See https://c.example/ and https://a.example/x.
      <a href="https://a.example/x">here</a> <a href="mailto:x@example.com">mail</a>
      <form action="//b.example/post"> <area href=www.d.example> <a href="javascript:x">`
    expect(readMailText(body, letters).urls).toEqual([
      'https://a.example/x',
      'https://b.example/post',
      'www.d.example',
      'https://c.example/',
    ])
  })

  test.each([
    ['after a comment that browsers end', '<p><!-- --!><a href="https://u.example/">x</a>'],
    ['after a control character', '<a href="&#1; https://u.example/">x</a>'],
    ['in a comment', '<p><!--[if mso]><a href="https://u.example/">x</a><![endif]-->'],
    ['in a comment that nothing ends', '<p><!-- <a href="https://u.example/">x</a>'],
    ['in a declaration', '<p><![CDATA[<a href="https://u.example/">x</a>'],
    ['in a script', '<p><script>"<a href=https://u.example/>"</script>'],
    ['in the style of a drawing', '<svg><style><a href="https://u.example/">x</a>'],
    ['in the title of a drawing', '<svg><title><a href="https://u.example/">x</a>'],
    ['of a drawing', '<svg><a xlink:href="https://u.example/">x</a>'],
    ['after a style that is never closed', '<style><a href="https://u.example/">x</a>'],
    ['of a base', '<base href="https://u.example/">'],
    ['of a button', '<form><button formaction="https://u.example/">x</button>'],
    ['of a field', '<form><input type=submit formaction=https://u.example/>'],
    ['of a refresh', '<meta http-equiv=Refresh content="0; URL=\'https://u.example/\'">'],
    ['of a refresh in short', '<meta content="0;https://u.example/" http-equiv="refresh">'],
    ['of a frame', '<iframe src="https://u.example/"></iframe>'],
  ])('takes a link %s', (_, body) => {
    const [url] = readMailText(body, letters).urls
    expect(url).toBe('https://u.example/')
  })

  test('takes backslashes for slashes, as browsers do', () => {
    const { urls } = readMailText('<a href="\\\\u.example/">x</a>', letters)
    expect(urls).toEqual(['https:\\\\u.example/'])
  })

  test('reads links relative to their base', () => {
    const body = '<a href="login">x</a><a href="#top">y</a><base href="https://u.example/a/">'
    const { links, urls } = readMailText(body, letters)
    expect(links.map(({ href }) => href)).toEqual(['https://u.example/a/login', '#top'])
    expect(urls).toEqual(['https://u.example/a/login', 'https://u.example/a/'])
  })

  test('takes hidden links last, so that they never displace shown ones', () => {
    const hidden = '<!-- <a href="https://hidden.example/"> -->'.repeat(500)
    const { urls } = readMailText(`${hidden}<p>See secure-pay.com <a href=www.a.example>`, letters)
    expect(urls).toEqual(['www.a.example', 'secure-pay.com', 'https://hidden.example/'])
  })

  test('keeps the letters of an address as they are, without what is invisible', () => {
    expect(readMailText('Go to HTTPS://pаypal.ex\u200Bample/Path', letters).urls).toEqual([
      'HTTPS://pаypal.example/Path',
    ])
  })

  test('bounds what it returns', () => {
    const link = '<a href="https://a.example/1">'
    const many = Array.from({ length: 2_000 }, (_, i) => link.replace('1', `${i}`)).join('w')
    const { links, urls } = readMailText(many, letters)
    expect(links).toHaveLength(linksMax)
    expect(urls).toHaveLength(mailUrlsMax)
    const long = readMailText(`<a href=x>${'word '.repeat(1_000)}`, letters)
    expect(long.links[0]?.text).toHaveLength(linkTextMax)
    expect(textOf('\uFDFA'.repeat(searchTextMax)).length).toBeLessThanOrEqual(searchTextMax)
  })
})

describe('addressesIn, urls', () => {
  test.each([
    ['see https://a.example/x, please', ['https://a.example/x']],
    ['(https://a.example/x) [https://b.example]', ['https://a.example/x', 'https://b.example']],
    ['https://a.example/x_(y) end', ['https://a.example/x_(y)']],
    ['[Pay](https://a.example/p)!', ['https://a.example/p']],
    ['<https://a.example/>"https://b.example/"', ['https://a.example/', 'https://b.example/']],
    [
      'hxxps://a[.]example/x hxxp[:]//b[.]example',
      ['hxxps://a[.]example/x', 'hxxp[:]//b[.]example'],
    ],
    ['hxxps[://]a.example', ['hxxps[://]a.example']],
    ['Go:https://a.example now', ['https://a.example']],
    ['www.a.example, WWW.B.EXAMPLE/x.', ['www.a.example', 'WWW.B.EXAMPLE/x']],
    ['awww.a.example x@www.a.example a.www.b.example', []],
    ['https://a.example/?u=https://b.example/', ['https://a.example/?u=https://b.example/']],
    ['http:// https:// www. http://.', []],
    ['ftp://a.example mailto:x@a.example', []],
    ['https://a.example…', ['https://a.example']],
    ['', []],
  ])('finds in %j the addresses %j', (text, urls) => {
    expect(addressesIn(text, 10).urls).toEqual(urls)
  })

  test('stops at its limit and cuts what is too long', () => {
    expect(addressesIn('https://a.example/ '.repeat(9), 3).urls).toHaveLength(3)
    const [url] = addressesIn(`https://a.example/${'b'.repeat(60_000)}`, 3).urls
    expect(url).toHaveLength(2_730)
  })
})

describe('addressesIn, names', () => {
  test.each([
    ['Go to secure-pay.com/verify now', ['secure-pay.com/verify']],
    ['(Secure-Pay.COM), or b.co.uk.', ['Secure-Pay.COM', 'b.co.uk']],
    ['_secure-pay.com_ ...secure-pay.com...', ['secure-pay.com', 'secure-pay.com']],
    ['bücher.com:8080/a?b=(c).', ['bücher.com:8080/a?b=(c)']],
    ['pay.github.io?a', ['pay.github.io?a']],
    ['ann@secure-pay.com, first.last.com@b.example', []],
    ['https://a.example/b.com?u=c.com www.d.com', []],
    ['https://a.example/ b.com', ['b.com']],
    ['see node.js, e.g. 3.14 or U.S. and 192.0.2.1', []],
    ['a..com .com com', []],
  ])('finds in %j %j', (text, names) => {
    expect(addressesIn(text, 10).names).toEqual(names)
  })

  test('takes at most the limit', () => {
    expect(addressesIn('b.com '.repeat(20), 3).names).toHaveLength(3)
  })
})

/** Text that is likely to meet every turn of the readers. */
const mailish = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['<a href="', '<a ', '"', "'", '>', '</a>', '<!--', '-->', '<p>', '<style>', '</style>'],
        ...['&amp', '&#', '&#x41;', ';', 'http://', 'www.', '[.]', ')', ' a ', ' b  c ', '\u200B'],
        ...['\u0301', '\uD800', 'а', 'u p d', 'İ', '\uFDFA', 'ᄀ ᅡ  ᄂ ᅡ  ᄃ ᅡ', '<![CDATA[', '\n'],
      ),
      fc.string({ unit: 'binary' }),
      fc.string(),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

describe('for every text', () => {
  test('reading never throws and is bounded', () => {
    fc.assert(
      fc.property(mailish, (body) => {
        const { text, links, urls } = readMailText(body, letters)
        expect(text.length).toBeLessThanOrEqual(searchTextMax)
        expect(links.length).toBeLessThanOrEqual(linksMax)
        expect(urls.length).toBeLessThanOrEqual(mailUrlsMax)
        expect(new Set(urls).size).toBe(urls.length)
      }),
      { numRuns },
    )
  })

  test('the plain spelling of a plain spelling is itself', () => {
    fc.assert(
      fc.property(mailish, (text) => {
        const plain = toSearchText(text, letters)
        expect(toSearchText(plain, letters)).toBe(plain)
      }),
      { numRuns },
    )
  })
})
