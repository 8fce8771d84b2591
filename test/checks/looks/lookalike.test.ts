/**
 * Judging addresses by their look: every rule on a name that it speaks of and on one that it narrowly does
 * not, what must not slip through, who is never judged, and what is said of any name.
 */

import { describe, expect, test } from 'bun:test'
import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import { createBulkChecker, createDigestChecker } from '../../../src/checks/bulk.ts'
import {
  createLookalikeChecker,
  type LookalikeReason,
} from '../../../src/checks/looks/lookalike.ts'
import type { RelatedCounts } from '../../../src/index/related-names.ts'
import { loadGuards } from '../../../src/ingest/guards.ts'
import { parsePublicUrl } from '../../../src/model/url.ts'
import { type LookalikeCode, lookalikeCodes } from '../../../src/model/verdict.ts'
import { knowledge, suspiciousAt } from '../url-checker.ts'
import { World } from '../world.ts'

const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) }

const { platforms, isProtected } = loadGuards()

/** Names with related names; all others have none. */
const relatedByHost: ReadonlyMap<string, RelatedCounts> = new Map([
  ['one.weir-garden.com', { siblings: 1, family: 0 }],
  ['garden17weir.com', { siblings: 0, family: 2 }],
  ['garden18weir.com', { siblings: 0, family: 1 }],
])

const lookalikes = createLookalikeChecker({
  knowledge,
  platforms,
  isPopular: isProtected,
  countRelated: (host) => relatedByHost.get(host) ?? { siblings: 0, family: 0 },
  threshold: suspiciousAt,
})

/** Judges an address as a check does. */
function assess(input: string) {
  const url = parsePublicUrl(input)
  if (!url.ok) throw new Error(`${input} was refused: ${url.reason}`)
  return lookalikes.assessUrl(url.value)
}

const listCodes = (input: string): LookalikeCode[] => assess(input).reasons.map(({ code }) => code)

describe('every rule', () => {
  /** What each speaks of, and what it narrowly does not. */
  const rows: Readonly<Record<LookalikeCode, readonly [string, string]>> = {
    brand_domain_embedded: ['paypal.com-weir.top', 'paypal.cam-weir.top'],
    brand_domain_joined: ['paypalcom.top', 'paypalcam.top'],
    brand_homoglyph: ['paypa1.com', 'paypa9.com'],
    brand_with_keyword: ['paypal-login.com', 'paypal-garden.com'],
    brand_joined_keyword: ['paypallogin.com', 'paypalgarden.com'],
    brand_on_hosting: ['paypal.pages.dev', 'papaya.pages.dev'],
    brand_with_words: ['paypal-garden.com', 'paypalgarden.com'],
    brand_inside: ['xmicrosoftx.com', 'xmicrosufx.com'],
    brand_misspelt: ['microsoff.com', 'nicrosoft.com'],
    brand_other_ending: ['paypal.top', 'paypals.top'],
    brand_in_subdomain: ['paypal.weir-garden.com', 'papaya.weir-garden.com'],
    ending_in_name: ['garden.com-weir.top', 'garden.comweir.top'],
    ending_in_subdomain: ['garden.com.weir-evil.com', 'garden.cam.weir-evil.com'],
    mixed_scripts: [domainToASCII('pаypal.com'), domainToASCII('pàypal.com')],
    wallet_lure: ['rectify-wallet.com', 'rectify-pocket.com'],
    crypto_lure: ['airdrop-token.com', 'airdrop-garden.com'],
    lure_words: ['secure-account-login.com', 'garden-login.com'],
    machine_made: ['3f2a9c1b.weir-garden.top', '3f2a9c1b.weir-garden.com'],
    keywords: ['paypal-login.top', 'paypal-login.com'],
    risky_ending: ['paypal-login.top', 'paypal-login.com'],
    many_labels: ['a.b.c.paypal-login.com', 'a.b.paypal-login.com'],
    many_hyphens: ['paypal-login-w-e-i.com', 'paypal-login-w-ei.com'],
    listed_siblings: ['one.weir-garden.com', 'two.weir-garden.com'],
    listed_family: ['garden17weir.com', 'garden18weir.com'],
    address_as_host: ['http://203.0.113.5/', 'http://weir-garden.com/'],
    odd_port: ['http://weir-garden.com:4443/', 'http://weir-garden.com:8443/'],
    kit_path: [
      'http://weir-garden.com/wp-content/x/login.php',
      'http://weir-garden.com/x/login.php',
    ],
    script_in_query: ['http://weir-garden.com/?x=javascript:1', 'http://weir-garden.com/?x=java'],
    brand_in_userinfo: ['http://paypal.com@weir-garden.com/', 'http://weir.com@weir-garden.com/'],
    brand_in_path: ['http://weir-garden.com/www.paypal.com/', 'http://weir-garden.com/paypal/'],
    userinfo: ['http://someone@weir-garden.com/', 'http://weir-garden.com/@someone'],
    invisible_char: ['http://weir\u{200b}garden.com/', 'http://weir-garden.com/\u{200b}'],
  }

  test.each(lookalikeCodes.map((code) => [code, ...rows[code]] as const))(
    '%s speaks of %s, and not of %s',
    (code, spokenOf, spared) => {
      expect(listCodes(spokenOf)).toContain(code)
      expect(listCodes(spared)).not.toContain(code)
    },
  )
})

describe('what is clearly an imitation', () => {
  const rows: readonly [string, string][] = [
    ['paypal.com-weir.top', 'PayPal'],
    ['netflix.com.weir-garden.xyz', 'Netflix'],
    ['paypalcom.top', 'PayPal'],
    ['paypa1.com', 'PayPal'],
    ['rnicrosoft.com', 'Microsoft'],
    ['micros0ft-support.com', 'Microsoft'],
    [domainToASCII('раураl.com'), 'PayPal'],
    ['paypal-login.com', 'PayPal'],
    ['login-paypal.weir-garden.top', 'PayPal'],
    ['paypal.pages.dev', 'PayPal'],
    ['paypal-login.github.io', 'PayPal'],
    ['http://paypal.com@weir-garden.com/', ''],
  ]
  test.each(rows)('%s is suspicious, for %p', (input, name) => {
    const { score, brand } = assess(input)
    expect(score).toBeGreaterThanOrEqual(suspiciousAt)
    expect(brand?.name ?? '').toBe(name)
  })

  const evading: readonly (readonly [string, string])[] = [
    ['many labels stand left of it', `${'a.'.repeat(30)}paypal-login.top`],
    ['it stands below what only looks like a government', 'paypal-login.gov.cc'],
    ['its registry sells names under a guarded word', 'paypal-login.edu.pl'],
    ['a brand owns the platform that it stands on', 'paypal-login.wordpress.com'],
    ['a keyword is joined to a brand in digits', 'paypa1login.top'],
    ['hyphens part the brand as they part the keyword', 'bank-of-america-login.com'],
  ]
  test.each(evading)('is one also when %s', (_, host) => {
    expect(assess(host).score).toBeGreaterThanOrEqual(suspiciousAt)
  })

  test('of two brands names neither', () => {
    const { score, brand } = assess('paypal-netflix-login.com')
    expect(score).toBeGreaterThanOrEqual(suspiciousAt)
    expect(brand).toBeNull()
  })
})

describe('what is never suspicious by its name', () => {
  test('are brands’ own domains, and what lies below them', () => {
    for (const { domains } of knowledge.brands.all) {
      for (const domain of domains) {
        for (const host of [domain, `www.${domain}`, `login.${domain}`]) {
          expect([host, lookalikes.assess(host).score >= suspiciousAt]).toEqual([host, false])
        }
      }
    }
  })

  test('are platforms themselves: an apex has no score at all', () => {
    for (const { apex } of platforms.named)
      expect([apex, lookalikes.assess(apex).score]).toEqual([apex, 0])
    for (const apex of ['pages.dev', 'github.io', 'web.app'])
      expect(lookalikes.assess(apex).score).toBe(0)
  })

  test('are content networks, whatever stands in front of them', () => {
    for (const network of knowledge.facts.contentNetworks) {
      const host = `www.paypal.com.${network}`
      expect([host, lookalikes.assess(host).score >= suspiciousAt]).toEqual([host, false])
    }
  })

  test('are popular names and what lies below them', () => {
    const popular = createLookalikeChecker({
      knowledge,
      platforms,
      isPopular: (name) => name === 'paypal-login.com',
      countRelated: () => ({ siblings: 9, family: 9 }),
      threshold: suspiciousAt,
    })
    expect(popular.assess('paypal-login.com').score).toBe(0)
    expect(popular.assess('secure.paypal-login.com').score).toBe(0)
    expect(popular.assess('paypal-login.net').score).toBeGreaterThanOrEqual(suspiciousAt)
  })

  const rows: readonly [string][] = [
    ['irs.gov'],
    ['paypal-login.gov'],
    ['secure-login.navy.mil'],
    ['login.gov.uk'],
    ['paypal-login.stanford.edu'],
    ['weir-garden.com'],
    ['database.com'],
    ['photos.weir-garden.net'],
    ['automobile.com'],
    ['[2001:4860:4860::8888]'],
    ['8.8.8.8'],
    ['com'],
    ['co.uk'],
    ['localhost'],
  ]
  test.each(rows)('is %s', (host) => {
    expect(lookalikes.assess(host).score).toBeLessThan(suspiciousAt)
  })
})

describe('what is said of any name', () => {
  const word = fc.constantFrom(
    ...['paypal', 'paypa1', 'micros0ft', 'usps', 'chase', 'apple', 'binance', 'coinbase', 'dhl'],
    ...['login', 'secure', 'wallet', 'connect', 'airdrop', 'claim', 'track', 'support', 'my', 'x'],
    ...['24', '4711', 'com', 'gov', 'www', 'xn--pypal-4ve', 'xn--80ak6aa92e', 'xn--a', 'garden'],
  )
  const ending = fc.constantFrom(
    ...['com', 'top', 'xyz', 'co.uk', 'gov', 'pages.dev', 'github.io', 'hosting.example', 'cc'],
    ...['wordpress.com', 'akamaized.net', 'edu.pl', 'zip'],
  )
  const host = fc
    .tuple(
      fc.array(fc.tuple(word, fc.constantFrom('', '-', '.')), { minLength: 1, maxLength: 6 }),
      word,
      ending,
    )
    .map(([parts, last, end]) => `${parts.flat().join('')}${last}.${end}`)
    .filter((name) => parsePublicUrl(name).ok)
  const around = fc.constantFrom(
    ...['', '/', '/wp-includes/a/login.php', '/www.paypal.com/x', ':4443/', '/?a=data:text/html'],
  )
  const before = fc.constantFrom('', 'paypal.com@', 'user:pass@', 'null@')
  const address = fc
    .tuple(before, host, around)
    .map(([user, name, rest]) => `http://${user}${name}${rest}`)

  const isWhole = (message: string): boolean =>
    message.endsWith('.') && !/undefined|null|NaN|\[object|\n|^\s|^\.|""/.test(message)

  /** The strongest, and half of the others. */
  function sumPoints(reasons: readonly LookalikeReason[]): number {
    const [strongest = 0, ...others] = reasons.map(({ points }) => points)
    const rest = others.reduce((sum, points) => sum + points, 0)
    return Math.min(100, Math.round(strongest + rest / 2))
  }

  test('is whole sentences, the strongest first, that name the brand', () => {
    fc.assert(
      fc.property(address, (input) => {
        const { score, brand, reasons } = assess(input)
        expect(score).toBe(sumPoints(reasons))
        expect(reasons.filter(({ message }) => !isWhole(message))).toEqual([])
        expect(new Set(reasons.map(({ code }) => code)).size).toBe(reasons.length)
        const points = reasons.map((reason) => reason.points)
        expect(points).toEqual(points.toSorted((a, b) => b - a))
        if (brand !== null) {
          expect(score).toBeGreaterThanOrEqual(suspiciousAt)
          expect(reasons.some(({ message }) => message.includes(brand.name))).toBe(true)
        }
      }),
      runs,
    )
  })

  test('is a whole sentence also where there is nothing left of the label', () => {
    for (const input of ['com-weir.top', 'com-garden.xyz', 'gov-weir.top', 'paypal.com-.top']) {
      expect(assess(input).reasons.filter(({ message }) => !isWhole(message))).toEqual([])
    }
  })

  test('calls no ending foreign that is one of the brand’s own', () => {
    for (const input of ['pay-pal.com', 'capital-one.com', 'wells-fargo.com']) {
      const said = assess(input).reasons.map(({ message }) => message)
      expect(said.filter((message) => message.includes('none of its own'))).toEqual([])
    }
  })

  test('is the same in short, in bulk and at length, and never found', () => {
    const world = new World()
    const { checker, catalog } = world
    const bulk = createBulkChecker(checker, createDigestChecker(catalog, 50), catalog)
    fc.assert(
      fc.property(fc.array(address, { minLength: 1, maxLength: 5 }), (urls) => {
        const statuses = urls.map((url) => {
          const answer = checker.check(url)
          if (!answer.ok) return 'invalid'
          const { status, score, reasons } = answer.value.verdict
          expect(status).not.toBe('found')
          expect(status === 'suspicious').toBe(score >= suspiciousAt)
          expect(reasons.length).toBeGreaterThan(0)
          expect(reasons.filter(({ message }) => /\bsafe\b/i.test(message))).toEqual([])
          return status
        })
        const items = bulk.check({ urls, domains: [], hashes: [] }).urls
        expect(items.map((item) => ('verdict' in item ? item.verdict.status : 'invalid'))).toEqual(
          statuses,
        )
      }),
      runs,
    )
    world.db.remove()
  })

  test('is said of any host without a throw', () => {
    const anyHost = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'paylogin0135rnv-_.x'), maxLength: 253 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.domain(),
      fc.ipV6().map((ip) => `[${ip}]`),
    )
    fc.assert(
      fc.property(anyHost, (name) => {
        const { score } = lookalikes.assess(name)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(100)
      }),
      runs,
    )
  })
})
