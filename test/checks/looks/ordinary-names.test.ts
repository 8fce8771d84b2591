/** Names that hold a brand's and that nobody would suspect, and imitations that anybody sees. */

import { describe, expect, test } from 'bun:test'
import { loadGuards } from '../../../src/ingest/guards.ts'
import { buildLookalikes, suspiciousAt } from '../url-checker.ts'

const lookalikes = buildLookalikes(
  { countRelated: () => ({ siblings: 0, family: 0 }) },
  loadGuards().platforms,
)

describe('ordinary names', () => {
  test.each([
    'chain-link-fencing.com',
    'best-chain-link-fence.com',
    'cash-app-loans-guide.com',
    'octopus-energy-referral.co.uk',
    'across-to-europe.com',
    'line-me-up.com',
    'compound-interest-account.com',
    'steam-cleaning-services.com',
    'steam-tv-museum.com',
    'plus-net-worth.com',
    'google-it-yourself.com',
    'spectrum-support.org',
    'vanguard-security.com',
    'sky-delivery.com',
    'airdropbox.org',
    'coinexplorer.net',
    'chaseelliott.com',
    'pineapple.com',
    'paypal.wd1.myworkdayjobs.com',
    'www.netflix.com.translate.goog',
    'google.github.io',
    'xn--crdit-agricole-ckb.fr',
    'xn--pc-gla7cd.xn--p1ai',
  ])('%s is not suspicious', (name) => {
    expect(lookalikes.assess(name).score).toBeLessThan(suspiciousAt)
  })
})

describe('plain imitations', () => {
  test.each([
    ['usps.com-track.top', 'USPS'],
    ['norton-com-nu16.com', 'Norton'],
    ['amazon.co.jp.signin-help.xyz', 'Amazon'],
    ['paypa1login.com', 'PayPal'],
    ['bank-of-america-login.com', 'Bank of America'],
    ['wwwpaypal.com', 'PayPal'],
    ['uspstracking.com', 'USPS'],
    ['usps.weebly.com', 'USPS'],
    ['xn--pypal-4ve.com', 'PayPal'],
    ['www--wellsfargo--com--ba49.helpdesk-one.com', 'Wells Fargo'],
  ])('%s imitates %s', (name, brand) => {
    const look = lookalikes.assess(name)
    expect(look.score).toBeGreaterThanOrEqual(suspiciousAt)
    expect(look.brand?.name).toBe(brand)
  })

  test('a name that is made to take long does not', () => {
    const words = 'amazon-google.paypal-dot-ticketmaster-shopee.ubs-netflix-chase-visa'
    const host = `${words}.${words}.${words}.evil.top`
    expect(lookalikes.assess(host).reasons.length).toBeLessThan(12)
  })
})
