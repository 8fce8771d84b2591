/** What is read out of a host name: brands and how they stand in it, words, and the end of it. */

import { describe, expect, test } from 'bun:test'
import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import { indexBrands } from '../../../src/checks/looks/brands.ts'
import {
  Lookalikes,
  loadNameKnowledge,
  type NameReading,
} from '../../../src/checks/looks/lookalikes.ts'
import {
  type KeywordKind,
  type NameFacts,
  readConfusables,
} from '../../../src/checks/looks/name-facts.ts'
import { parseBrands } from '../../../src/model/brand.ts'
import { parseDomainName, publicSuffix } from '../../../src/model/domain.ts'
import { anyHost, runs } from '../../index/laws.ts'

const brands = indexBrands(
  parseBrands(`
    Acmepay | payment | acmepay.example acmepay.co.test | ACP |
    Zorblat Bank | bank | zorblat.example | Zorblat |
    Rivers | shop | rivers.example | | word
    Metromail | post | metromail.example | |`),
)

const kinds: readonly (readonly [string, KeywordKind])[] = [
  ['login', 'account'],
  ['secure', 'account'],
  ['wallet', 'crypto'],
  ['connect', 'crypto'],
  ['id', 'plain'],
]

const facts: NameFacts = {
  keywords: new Map(kinds.map(([text, kind]) => [text, { text, kind }])),
  riskyEndings: new Set(['top']),
  contentNetworks: new Set(),
  innocentWords: new Set(['acmepayment', 'acmepat']),
  confusables: readConfusables('a а\nc с\ne е\nm м\np р\ny у'),
}

const lookalikes = new Lookalikes(brands, facts)

/** Reads a host whose last label is its ending. */
function read(host: string): NameReading | null {
  return lookalikes.read(host, host.slice(host.lastIndexOf('.') + 1), false)
}

function isCanonical(host: string): boolean {
  const parsed = parseDomainName(host)
  return parsed.ok && parsed.value === host
}

/** What stands in a name, in short. */
const inShort = (host: string): string[] =>
  (read(host)?.brands ?? []).map(
    ({ word, likeness, place, text }) => `${word.brand.name} ${likeness} ${place} ${text}`,
  )

describe('the brands that Lookalikes.read finds', () => {
  const rows: readonly [string, ...string[]][] = [
    ['acmepay.top', 'Acmepay same label acmepay'],
    ['acmepay24.top', 'Acmepay same label acmepay24'],
    ['24acmepay.top', 'Acmepay same label 24acmepay'],
    ['login-acmepay.top', 'Acmepay same token acmepay'],
    ['login_acmepay.top', 'Acmepay same token acmepay'],
    ['acmepay.evil.top', 'Acmepay same left acmepay'],
    ['www.my-acmepay.evil.top', 'Acmepay same left acmepay'],
    ['acmepay.rivers.top', 'Acmepay same left acmepay', 'Rivers same label rivers'],
    ['acp.top', 'Acmepay same label acp'],
    ['zorblatbank.top', 'Zorblat Bank same label zorblatbank'],
    ['z0rblat.top', 'Zorblat Bank lookalike label z0rblat'],
    ['zorb1at-id.top', 'Zorblat Bank lookalike token zorb1at'],
    ['zorbiat.evil.top', 'Zorblat Bank lookalike left zorbiat'],
    ['rnetromail.top', 'Metromail lookalike label rnetromail'],
    ['myacmepayshop.top', 'Acmepay inside label myacmepayshop'],
    ['xacmepayx.evil.top', 'Acmepay inside left xacmepayx'],
    ['xzorblatbankx.top', 'Zorblat Bank inside label xzorblatbankx'],
    ['acmepai.top', 'Acmepay near label acmepai'],
    ['acmpay.top', 'Acmepay near label acmpay'],
    ['amcepay-id.top', 'Acmepay near token amcepay'],
    ['metromial24.top', 'Metromail near label metromial24'],
    ['acmepayexample.top', 'Acmepay joined label acmepayexample'],
    ['my-acmepaycotest.top', 'Acmepay joined token acmepaycotest'],
    ['acme-pay.top', 'Acmepay same label acme-pay'],
    ['metro-mail.evil.top', 'Metromail same left metro-mail'],
    ['acmepayment.top'],
    ['acmepat.top'],
    ['bcmepay.top'],
    ['xacpx.top'],
    ['acmexpay.top', 'Acmepay near label acmexpay'],
    ['login.top'],
    ['evil.top'],
    ['---.top'],
    ['_.top'],
    ['4711.top'],
  ]
  test.each(rows.map(([host, ...found]) => [host, found] as const))(
    'in %s are %j',
    (host, found) => {
      expect(inShort(host)).toEqual([...found])
    },
  )

  const international: readonly [string, ...string[]][] = [
    ['асмерау.top', 'Acmepay lookalike label acmepay'],
    ['аcmepay.evil.top', 'Acmepay lookalike left acmepay'],
    ['ácmepáy.top', 'Acmepay lookalike label acmepay'],
    ['acmepäy24.top', 'Acmepay lookalike label acmepay24'],
    ['асмерау-login.top', 'Acmepay inside label acmepay-login'],
    ['пример.top'],
    ['日本.top'],
  ]
  test.each(international.map(([host, ...found]) => [host, found] as const))(
    'in %s are %j',
    (host, found) => {
      const ascii = domainToASCII(host)
      expect(ascii).toContain('xn--')
      expect(inShort(ascii)).toEqual([...found])
    },
  )

  test('carry what stands there beside what it is read as', () => {
    const ascii = domainToASCII('асмерау.top')
    const [match] = read(ascii)?.brands ?? []
    expect(match).toMatchObject({ text: 'acmepay', written: ascii.slice(0, -4) })
  })

  test('carry what stands around them, and the keyword in it', () => {
    const findInside = (host: string) => {
      const [match] = read(host)?.brands ?? []
      return [match?.around, match?.beside?.text ?? null]
    }
    expect(findInside('acmepaylogin.top')).toEqual([['login'], 'login'])
    expect(findInside('loginacmepay24.top')).toEqual([['login'], 'login'])
    expect(findInside('xacmepaymyloginx.top')).toEqual([['x', 'myloginx'], null])
    expect(findInside('xacmepayxlogin.top')).toEqual([['x', 'xlogin'], 'login'])
    expect(findInside('xacmepayx.top')).toEqual([['x', 'x'], null])
  })

  test('carry the keyword also where the brand is written in digits', () => {
    const [match] = read('z0rblatlogin.top')?.brands ?? []
    expect(match).toMatchObject({ likeness: 'inside', beside: { text: 'login' } })
  })

  test('tell whether all that stands around them is keywords', () => {
    const isFilled = (host: string) => read(host)?.brands[0]?.isFilled
    expect(isFilled('acmepaylogin.top')).toBe(true)
    expect(isFilled('loginacmepaywallet24.top')).toBe(true)
    expect(isFilled('acmepayxlogin.top')).toBe(false)
    expect(isFilled('acmepayxyz.top')).toBe(false)
  })

  test('an ordinary word is marked as one, its compounds are not', () => {
    expect(read('rivers.top')?.brands[0]?.word.isCommon).toBe(true)
    expect(read('acmepay.top')?.brands[0]?.word.isCommon).toBe(false)
  })
})

describe('Lookalikes.read', () => {
  test('parts a name into what is left, the label and the ending', () => {
    expect(read('a.b.login-acmepay.top')).toMatchObject({
      left: 'a.b',
      label: 'login-acmepay',
      ending: 'top',
      isHosted: false,
      hasRiskyEnding: true,
    })
    expect(lookalikes.read('acmepay.co.uk', 'co.uk', false)).toMatchObject({
      left: '',
      label: 'acmepay',
      ending: 'co.uk',
      hasRiskyEnding: false,
    })
  })

  test('reads a platform’s tenant by the apex it stands on', () => {
    expect(lookalikes.read('x.acmepay.pages.top', 'pages.top', true)).toMatchObject({
      left: 'x',
      label: 'acmepay',
      ending: 'pages.top',
      isHosted: true,
      hasRiskyEnding: true,
    })
  })

  test('says nothing of a name that is nothing but its ending', () => {
    expect(lookalikes.read('top', 'top', false)).toBeNull()
    expect(lookalikes.read('co.uk', 'co.uk', false)).toBeNull()
    expect(lookalikes.read('', '', false)).toBeNull()
  })

  test('knows keywords that stand alone, with digits, and inside a token', () => {
    const words = (host: string) =>
      read(host)?.tokens.map(({ text, keyword, keywords, isFilled }) => [
        text,
        keyword?.text ?? null,
        keywords.map((word) => word.text),
        isFilled,
      ])
    expect(words('login24.walletconnect.top')).toEqual([
      ['login24', 'login', ['login'], true],
      ['walletconnect', null, ['wallet', 'connect'], true],
    ])
    expect(words('mywalletx-id.top')).toEqual([
      ['mywalletx', null, ['wallet'], false],
      ['id', 'id', ['id'], true],
    ])
  })

  test('reads labels as long as labels get', () => {
    const label = `${'x'.repeat(56)}acmepay`
    expect(label.length).toBe(63)
    expect(inShort(`${label}.top`)).toEqual([`Acmepay inside label ${label}`])
    expect(inShort(`${'0'.repeat(56)}acmepay.top`)).toHaveLength(1)
  })

  test('takes A-labels that cannot be decoded for what they are', () => {
    for (const host of ['xn--.top', 'xn--a.top', 'xn--0.xn--99999999.top', 'x.xn--acmepay.top']) {
      expect(read(host)).not.toBeNull()
    }
  })

  test('sees what was registered, however much stands left of it', () => {
    const left = Array.from({ length: 40 }, () => 'a').join('.')
    expect(inShort(`${left}.acmepay.top`)).toEqual(['Acmepay same label acmepay'])
    expect(inShort(`${left}.login-acmepay.top`)).toEqual(['Acmepay same token acmepay'])
  })

  test('reads any name with all that ships, in bounds', () => {
    const { lookalikes: shipped } = loadNameKnowledge()
    const long = fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-_.'),
      minLength: 1,
      maxLength: 253,
    })
    const encoded = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((text) => domainToASCII(text))
    fc.assert(
      fc.property(fc.oneof(anyHost, long, encoded), fc.boolean(), (host, isHosted) => {
        const ending = publicSuffix(host) ?? host.slice(host.lastIndexOf('.') + 1)
        const name = shipped.read(host, ending, isHosted)
        if (name === null || !isCanonical(host)) return
        expect(host.startsWith(name.left)).toBe(true)
        expect(host.endsWith(`${name.label}.${name.ending}`)).toBe(true)
        expect(name.tokens.length).toBeLessThanOrEqual(128)
        expect(name.brands.length).toBeLessThanOrEqual(name.tokens.length + 1)
        for (const { text } of name.tokens) expect(text.length).toBeGreaterThan(0)
      }),
      runs,
    )
  })
})
