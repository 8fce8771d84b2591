/** Claims held against senders, over an invented table of brands. */

import { describe, expect, test } from 'bun:test'
import { createCompanyJudge, type KnownSender } from '../../../src/checks/mail/claimed-company.ts'
import {
  CompanyWordsError,
  createCompanyNames,
  parseCompanyWords,
} from '../../../src/checks/mail/company-names.ts'
import { parseMailbox } from '../../../src/model/mailbox.ts'
import { brands, letters } from './world.ts'

const names = createCompanyNames(brands, letters)
const judge = createCompanyJudge(brands, names)

function sender(text: string, changes: Partial<KnownSender> = {}): KnownSender {
  const mailbox = parseMailbox(text)
  if (!mailbox.ok) throw new Error(`${text}: ${mailbox.reason}`)
  const isFree = mailbox.value.domain === 'freemail.example'
  return { mailbox: mailbox.value, isFree, isDisposable: false, isTenant: false, ...changes }
}

describe('parseCompanyWords', () => {
  test('reads words with their kinds, and leaves comments out', () => {
    const words = parseCompanyWords('# a comment\ninc form\n\nteam role # another\n')
    expect([...words]).toEqual([
      ['inc', 'form'],
      ['team', 'role'],
    ])
  })

  test.each([['inc'], ['inc law'], ['inc form form'], ['inc form\ninc role']])(
    'refuses %j and says what to write',
    (text) => {
      expect(() => parseCompanyWords(text)).toThrow(CompanyWordsError)
    },
  )
})

describe('createCompanyNames', () => {
  test.each([
    ['Examplebank', 'Examplebank'],
    ['EXAMPLE BANK', 'Examplebank'],
    ['Examplebank Customer Care Inc.', 'Examplebank'],
    ['Your Examplebank Security Team', 'Examplebank'],
    ['Example Savings', 'Examplebank'],
    ['XB', 'Examplebank'],
    ['Ехаmplebank', 'Examplebank'],
    ['Еxаmplеbank', 'Examplebank'],
    ['Examp1ebank', 'Examplebank'],
    ['Exampelbank', 'Examplebank'],
    ['Examplebanking', 'Examplebank'],
    ['Parcelly Express', 'Parcelly'],
    ['Chance', 'Chance'],
    ['Chance Support', 'Chance'],
    ['Second Chance', null],
    ['Acme Tools', null],
    ['', null],
    ['!!!', null],
    ['x '.repeat(100), null],
  ])('reads the company %j as %j', (company, brand) => {
    expect(names.given(company)?.name ?? null).toBe(brand)
  })

  test.each([
    ['Examplebank Alerts', ['Examplebank']],
    ['Your parcel from Parcelly, paid by Examplebank', ['Parcelly', 'Examplebank']],
    ['XB Alerts', ['Examplebank']],
    ['xb', []],
    ['Chance', ['Chance']],
    ['Examplebank™', ['Examplebank']],
    ['help@parcelly.example', ['Parcelly']],
    ['Offers of chance.example', ['Chance']],
    ['Chance Alerts', ['Chance']],
    ['Chance Bank', ['Chance']],
    ['Dan Chance', []],
    ['Parcelly, Ann', []],
    ['Ann Lee', []],
  ])('finds in the name %j %j', (name, found) => {
    expect(names.displayName(name).map((brand) => brand.name)).toEqual(found)
  })

  test.each([
    ['examplebank-support', 'Examplebank'],
    ['parcelly.delivery24', 'Parcelly'],
    ['ann.parcelly', null],
    ['chance', null],
    ['xb', null],
  ])('reads the part before the @ %j as %j', (local, brand) => {
    expect(names.localPart(local)?.name ?? null).toBe(brand)
  })

  test.each([
    ['dear customer, your examplebank account is locked', 'Examplebank'],
    ['parcelly express: your parcel waits', 'Parcelly'],
    [`${'words '.repeat(20)}as examplebank said to the press`, null],
    [`${'words '.repeat(20)}the parcelly team`, 'Parcelly'],
    [`${'words '.repeat(3_000)}the parcelly team`, null],
    ['a second chance for your account', null],
  ])('takes the text %j to speak for %j', (text, brand) => {
    expect(names.text(text)?.name ?? null).toBe(brand)
  })
})

describe('createCompanyJudge', () => {
  const cases: readonly [string | null, string | null, boolean | null | undefined, string[]][] = [
    ['Examplebank', 'a@examplebank.example', true, ['company_domain:0']],
    ['Examplebank', 'a@mail.examplebank.test', true, ['company_domain:0']],
    ['Examplebank', 'a@evil.example', false, ['company_mismatch:40']],
    ['Examplebank', 'a@examplebank.example.evil.test', false, ['company_mismatch:40']],
    ['Examplebank', 'a@freemail.example', false, ['company_on_free_mail:50']],
    ['Freemailer', 'a@freemail.example', false, ['company_on_free_mail:50']],
    ['Freemailer', 'a@freemailer.example', true, ['company_domain:0']],
    ['Examplebank', 'a@examplebank.org', null, ['company_unverified:10']],
    ['Examplebank', null, null, []],
    ['Acme Tools', 'a@acmetools.test', null, ['company_plausible:0']],
    ['Acme Tools GmbH', 'a@acmetools-news.test', null, ['company_plausible:0']],
    ['Acme Tools', 'a@evil.example', null, ['company_unverified:10']],
    ['Acme Tools', 'a@freemail.example', null, ['company_on_free_mail:35']],
    ['Acme Tools', null, null, []],
    ['Support', 'a@evil.example', null, []],
    [null, 'Examplebank <a@examplebank.example>', true, ['company_domain:0']],
    [null, 'Examplebank <a@evil.example>', false, ['company_mismatch:40']],
    [null, 'Parcelly for Examplebank <a@examplebank.example>', true, ['company_domain:0']],
    [null, 'examplebank-support@evil.example', false, ['company_mismatch:25']],
    [null, 'Chance <a@evil.example>', false, ['company_mismatch:40']],
    [null, 'Chance <a@freemail.example>', false, ['company_on_free_mail:25']],
    [null, 'Chance Support <a@freemail.example>', false, ['company_on_free_mail:50']],
    [null, 'Ann <ann@evil.example>', undefined, []],
    [null, '"ann@friend.example" <a@evil.example>', undefined, ['display_name_address:30']],
    [null, '"ann@mail.evil.example" <a@evil.example>', undefined, []],
    [null, '"@home and @work" <a@evil.example>', undefined, []],
    [null, null, undefined, []],
  ]

  test.each(cases)('%j from %j matches %j: %j', (claimed, from, matches, reasons) => {
    const found = judge.judge(claimed, from === null ? null : sender(from), null)
    expect(found.answer?.matches).toBe(matches)
    expect(found.reasons.map(({ code, points }) => `${code}:${points}`)).toEqual(reasons)
  })

  test.each([
    ['Telephony', 'a@telephony.example', true, null, ['company_plausible:0']],
    ['Telephony', 'a@freemail.example', true, false, ['company_on_free_mail:50']],
    ['Freemailer', 'a@freemailer.example', true, false, ['company_on_free_mail:50']],
    ['Tax Bureau', 'a@tax.gov.uk', false, null, ['company_plausible:0']],
    ['Tax Bureau', 'a@tax.gov', false, null, ['company_plausible:0']],
    ['Tax Bureau', 'a@mail.tax.gouv.fr', false, null, ['company_plausible:0']],
    ['Tax Bureau', 'a@gov-tax.com', false, false, ['company_mismatch:40']],
    ['Tax Bureau', 'a@gov.uk.evil.example', false, false, ['company_mismatch:40']],
    ['Examplebank', 'a@tax.gov.uk', false, false, ['company_mismatch:40']],
    ['Chance', 'a@chancebank-south.test', false, null, ['company_unverified:10']],
    ['Town', 'a@my-town.test', false, null, ['company_unverified:10']],
    ['Town', 'a@downtown.test', false, false, ['company_mismatch:40']],
    ['Chance', 'a@chance-south.test', true, false, ['company_on_free_mail:50']],
  ] as const)(
    '%s from %s (free mail: %p) matches %p: %j',
    (claimed, from, isFree, matches, reasons) => {
      const found = judge.judge(claimed, sender(from, { isFree }), null)
      expect(found.answer?.matches).toBe(matches)
      expect(found.reasons.map(({ code, points }) => `${code}:${points}`)).toEqual([...reasons])
      if (matches === null) expect(found.doubted).toBeNull()
    },
  )

  test('what would turn the text around is cut out of a claim', () => {
    const claimed = 'Exa\u202emple\u0085bank\u2028'
    expect(judge.judge(claimed, null, null).answer?.claimed).toBe('Examplebank')
  })

  test('a text that speaks for a brand weighs less, and is asked last', () => {
    const text = 'your examplebank account is locked'
    const spoken = judge.judge(null, sender('a@evil.example'), text)
    expect(spoken.answer).toMatchObject({ claimed: 'Examplebank', matches: false })
    expect(spoken.reasons.map(({ points }) => points)).toEqual([25])
    expect(spoken.doubted).toBeNull()
    const named = judge.judge(null, sender('Parcelly <a@evil.example>'), text)
    expect(named.answer?.claimed).toBe('Parcelly')
  })

  test('a tenant of a platform that a brand runs is not the brand', () => {
    const tenant = sender('Examplebank <a@x.examplebank.example>', { isTenant: true })
    expect(judge.judge(null, tenant, null).answer?.matches).toBe(false)
  })

  test('who forwards mail may show whom it is from', () => {
    const alias = sender('"ann@friend.example" <a@alias.example>', { isDisposable: true })
    expect(judge.judge(null, alias, null).reasons).toEqual([])
  })

  test('names the domains that are known to be its own', () => {
    expect(judge.judge('examplebank', null, null).answer).toEqual({
      claimed: 'examplebank',
      matches: null,
      officialDomains: ['examplebank.example', 'examplebank.test'],
    })
  })
})
