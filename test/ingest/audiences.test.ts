/** The audiences of articles, reports and listings. The titles are invented, in the style of real ones. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  audienceRulesVersion,
  findArticleAudiences,
  findListingAudiences,
  findReportAudiences,
} from '../../src/ingest/audiences.ts'
import { HostWordFinder } from '../../src/ingest/host-words.ts'
import type { Audience, AudienceWords } from '../../src/model/audience.ts'
import { fuzzRuns } from './reading.ts'

describe('findArticleAudiences', () => {
  const titles: readonly (readonly [string, AudienceWords])[] = [
    [
      'Scammers are calling about new Medicare cards',
      { elder: ['medicare'], general: ['scammers'] },
    ],
    ['That call about Social Security is fake', { elder: ['social security'] }],
    ['No, your Social Security number isn’t suspended', { elder: ['your social security number'] }],
    ['Grandparent scams get a new voice', { elder: ['grandparent'], general: ['scams'] }],
    ['Scam targets seniors at home', { elder: ['seniors'], general: ['scam'] }],
    [
      'Couriers pick up gold bars from older adults',
      { elder: ['couriers', 'gold bars', 'older adults'] },
    ],
    ['Losses grew most for people age 65', { elder: ['age 65'] }],
    ['One in ten consumers 60 and older lost money', { elder: ['60 and older'] }],
    ['What to do when a retirement account is drained', { elder: ['retirement'] }],
    ['Is your new love a romance scammer?', { elder: ['romance scammer'], general: ['scammer'] }],
    ['You did not win the sweepstakes', { elder: ['sweepstakes'] }],
    ['Tech-support pop-ups are back', { elder: ['tech-support'] }],
    ['Before you sign a reverse mortgage', { elder: ['reverse mortgage'] }],
    ['Veterans’ benefits and who wants them', { elder: ['veterans'] }],
    ['Timeshare exit fees that buy nothing', { elder: ['timeshare'] }],
    ['How to check a charity before you give', { elder: ['charity'] }],
    ['That unpaid toll text is a trick', { general: ['toll'] }],
    ['Your refund is waiting, says a stranger', { general: ['refund'] }],
    ['Nobody real asks for gift cards', { general: ['gift cards'] }],
    ['Smishing by the thousands', { general: ['smishing'] }],
    ['Identity theft: a week that counts', { general: ['identity theft'] }],
    ['CVE-2026-12345 under attack', { professional: ['cve-2026-12345'] }],
    [
      'Agency adds two known exploited vulnerabilities',
      {
        professional: ['exploited', 'vulnerabilities'],
      },
    ],
    ['#StopRansomware: a new affiliate', { professional: ['stopransomware'] }],
    ['Ransomware crew claims hospital', { professional: ['ransomware'] }],
    ['APT28 returns with a zero-day', { professional: ['apt28', 'zero-day'] }],
    ['Botnet and its C2 taken down', { professional: ['botnet', 'c2'] }],
    ['LummaC2 and Remcos share a loader', { professional: ['lummac2', 'remcos'] }],
    [
      'AiTM phishing kit beats one-time codes',
      {
        professional: ['aitm', 'phishing kit'],
        general: ['phishing'],
      },
    ],
    [
      'Business email compromise (BEC) costs billions',
      {
        professional: ['business email compromise', 'bec'],
      },
    ],
    // What only looks like it.
    ['Senior Iranian officials named in indictment', {}],
    ['Senior executives are bad at passwords', {}],
    ['A security veteran looks back', {}],
    ['Maker to retire its oldest firewall', {}],
    ['Welders, builders and apt tools', { professional: ['apt'] }],
    ['Elder Scrolls servers are down', {}],
    ['Agencies warn of financial exploitation', {}],
    ['Death toll rises after storm', {}],
    ['Malware delivery moves to calendars', {}],
    ['Company reports breach of Social Security numbers', {}],
    ['Scammers exploit the storm', { general: ['scammers'] }],
    ['New chairman sworn in', {}],
    ['', {}],
  ]
  for (const [title, audiences] of titles) {
    test(`"${title}" is for ${Object.keys(audiences).join(', ') || 'no audience'}`, () => {
      expect(findArticleAudiences({ title, summary: '' }, [])).toEqual(audiences)
    })
  }

  test('needs three phrases in a summary', () => {
    const of = (summary: string) => findArticleAudiences({ title: 'News', summary }, [])
    expect(of('Medicare and a charity.')).toEqual({})
    expect(of('Medicare, Medicare, Medicare.')).toEqual({})
    expect(of('Medicare, a charity and a lottery.')).toEqual({
      elder: ['medicare', 'charity', 'lottery'],
    })
  })

  test('a weak phrase counts in a title as in a summary', () => {
    const title = 'Retired, and then?'
    expect(findArticleAudiences({ title, summary: '' }, [])).toEqual({})
    expect(findArticleAudiences({ title, summary: 'A lottery. A charity.' }, []).elder).toEqual([
      'retired',
      'lottery',
      'charity',
    ])
  })

  test('an article is for the audiences of its source, and names the source where its words would not do', () => {
    const of = (title: string, defaults: readonly Audience[]) =>
      findArticleAudiences({ title, summary: 'A scam.' }, defaults)
    expect(of('News', ['general'])).toEqual({ general: ['scam', 'source'] })
    expect(of('News', ['elder', 'professional'])).toEqual({
      professional: ['source'],
      elder: ['source'],
    })
    expect(of('Phishing', ['general'])).toEqual({ general: ['phishing', 'scam'] })
  })

  test('reports at most a few words', () => {
    const title =
      'Medicare charity lottery funeral nursing timeshare retirement elders grandma veterans'
    expect(findArticleAudiences({ title, summary: '' }, []).elder).toHaveLength(8)
  })

  test('returns the same for the same item', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const article = { title, summary: title }
        expect(findArticleAudiences(article, [])).toEqual(findArticleAudiences(article, []))
      }),
      fuzzRuns,
    )
  })
})

describe('findReportAudiences', () => {
  const nothing = { value: null, description: null, targetBrand: null }

  test('is for the general public', () => {
    expect(findReportAudiences(nothing)).toEqual({ general: ['report'] })
  })

  test('reads a few lines as a title, and a story as a summary', () => {
    const short = { ...nothing, description: 'They said it was Medicare.' }
    expect(findReportAudiences(short)).toEqual({ elder: ['medicare'], general: ['report'] })
    const long = { ...nothing, description: `${'And then they called. '.repeat(20)} Medicare.` }
    expect(findReportAudiences(long)).toEqual({ general: ['report'] })
  })

  test('reads the brand, and the host that was reported', () => {
    expect(findReportAudiences({ ...nothing, targetBrand: 'Medicare' }).elder).toEqual(['medicare'])
    for (const value of ['https://mymedicare.example.com/a', 'help@my-medicare.example.com']) {
      expect(findReportAudiences({ ...nothing, value }).elder).toContain('medicare')
    }
    expect(findReportAudiences({ ...nothing, value: '+12125550100' })).toEqual({
      general: ['report'],
    })
  })

  test('is for professionals by its words', () => {
    const description = 'The page serves ransomware.'
    expect(findReportAudiences({ ...nothing, description }).professional).toEqual(['ransomware'])
  })
})

describe('findListingAudiences', () => {
  const low = { type: 'domain', value: 'a.example', threatType: 'scam', confidence: 60 } as const

  test('is for professionals at a high threat level', () => {
    const at = (threatType: 'phishing' | 'malware' | 'scam', confidence: number) =>
      findListingAudiences({ ...low, threatType, confidence })
    expect(at('malware', 90)).toEqual({ professional: ['critical'] })
    expect(at('malware', 75)).toEqual({ professional: ['high'] })
    expect(at('phishing', 80)).toEqual({ professional: ['high'] })
    expect(at('phishing', 74)).toEqual({})
    expect(at('scam', 100)).toEqual({})
  })

  test('is for the general public when it phishes or defrauds in a brand’s name', () => {
    const as = (threatType: 'phishing' | 'malware' | 'scam' | 'spam') =>
      findListingAudiences({ ...low, threatType, targetBrand: 'Example Bank' })
    expect(as('phishing')).toEqual({ general: ['Example Bank'] })
    expect(as('scam')).toEqual({ general: ['Example Bank'] })
    expect(as('malware')).toEqual({})
    expect(as('spam')).toEqual({})
  })

  const hosts: readonly (readonly [string, readonly string[]])[] = [
    ['medicare.example', ['medicare']],
    ['my-medicare.example', ['medicare']],
    ['mymedicare2026.example', ['medicare']],
    ['medicare.gov.portal.example', ['medicare']],
    ['techsupport.example', ['tech support']],
    ['tech-support-24.example', ['tech support']],
    ['socialsecurity-office.example', ['social security']],
    ['bestlotterywinner.example', ['lottery']],
    ['atth2hsweepstakes.example', ['sweepstake']],
    ['geeksquad-billing.example', ['geek squad']],
    ['retirement-medicare.example', ['retirement', 'medicare']],
    ['aarp.example', ['aarp']],
    ['join-aarp.example', ['aarp']],
    ['eldercare.example', ['elder care']],
    ['veterans-aid.example', ['veterans']],
    ['aarpon.example', []],
    ['welder-market.example', []],
    ['elder.example', []],
    ['account-suspension.example', []],
    ['pension-garni.example', []],
    ['upholdagent.example', []],
    ['seniority.example', []],
    ['matt-senior.example', []],
    ['tech.support.example', []],
    ['technology-support.example', []],
    ['medi-care.example', []],
    ['medical-career.example', []],
    ['social.example', []],
    ['irs-gov.example', []],
    ['a.medicare', []],
    ['medicare', []],
    ['xn--mdicare-bya.example', []],
  ]
  for (const [host, words] of hosts) {
    test(`${host} is ${words.length === 0 ? 'not ' : ''}for older people`, () => {
      const elder = words.length === 0 ? undefined : words
      expect(findListingAudiences({ ...low, value: host }).elder).toEqual(elder)
      const url = { ...low, type: 'url', value: `https://${host}/`, host } as const
      expect(findListingAudiences(url).elder).toEqual(elder)
    })
  }

  test('searches domains, pages, mail addresses and the brands that they imitate', () => {
    const host = 'medicare.example'
    const of = (type: 'email' | 'ip' | 'phone' | 'sha256', targetBrand: string | null) =>
      findListingAudiences({ ...low, type, value: 'x', host, targetBrand }).elder
    expect(of('email', null)).toEqual(['medicare'])
    expect(of('email', 'Medicare')).toEqual(['medicare'])
    expect(of('email', 'Geek Squad')).toEqual(['medicare', 'geek squad'])
    expect(of('email', 'Example Bank')).toEqual(['medicare'])
    expect(of('ip', 'Medicare')).toBeUndefined()
    expect(of('phone', 'Medicare')).toBeUndefined()
    expect(of('sha256', null)).toBeUndefined()
  })
})

describe('HostWordFinder', () => {
  test('refuses what is not one word or two', () => {
    expect(() => new HostWordFinder(['three words here'])).toThrow('write one word or two')
  })

  test('finds what a search for each word finds', () => {
    const lines = ['abacab', 'cabaca', 'bacaba ca', 'ab', 'aca', 'abc abc']
    const finder = new HostWordFinder(lines)
    const naive = (name: string): string[] =>
      lines.filter((line) =>
        [line.replace(' ', ''), line.replace(' ', '-')].some((spelling) =>
          spelling.length < 6 ? name.split(/[-.]/).includes(spelling) : name.includes(spelling),
        ),
      )
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-', '.'), maxLength: 40 }),
        (name) => {
          const found = finder.find(name, name.length)
          // Of words that end at one place, the longest is reported.
          expect(naive(name)).toEqual(expect.arrayContaining([...found]))
          for (const word of naive(name)) {
            expect(found.length).toBeGreaterThan(0)
            if (word.length > 6) expect(found).toContain(word)
          }
        },
      ),
      fuzzRuns,
    )
  })
})

describe('audienceRulesVersion', () => {
  test('is a short hash', () => {
    expect(audienceRulesVersion).toMatch(/^[0-9a-f]{16}$/)
  })
})
