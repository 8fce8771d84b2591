import { describe, expect, test } from 'bun:test'
import { loadReportingLinks, parseReportingLinks } from '../../src/checks/reporting-links.ts'
import { type CallSubject, callSubjects } from '../../src/model/phone.ts'

const links = loadReportingLinks()

const listHosts = (subject: CallSubject | null, country: string | null): string[] =>
  links.about(subject, country).map(({ url }) => new URL(url).host)

const always = ['reportfraud.ftc.gov', 'www.donotcall.gov', 'consumercomplaints.fcc.gov']

describe('ReportingLinks', () => {
  test('name the FTC and the FCC first, whatever the call was about', () => {
    expect(listHosts(null, null)).toEqual(always)
    for (const subject of callSubjects) {
      expect(listHosts(subject, 'US').slice(0, 3)).toEqual(always)
      expect(listHosts(subject, 'JM').slice(0, 3)).toEqual(always)
    }
  })

  test('name further offices by what the call was about', () => {
    expect(listHosts('imposter', 'US')).toContain('oig.ssa.gov')
    expect(listHosts('imposter', 'US')).toContain('www.tigta.gov')
    expect(listHosts('tech_support', 'US')).toContain('www.ic3.gov')
    expect(listHosts('medical', 'US')).toContain('oig.hhs.gov')
    expect(listHosts('debt_reduction', 'US')).toContain('www.consumerfinance.gov')
    expect(listHosts('warranty', 'US')).toContain('www.bbb.org')
    expect(listHosts('other', 'US')).toEqual(always)
  })

  test('name the offices of Canada for its numbers alone', () => {
    expect(listHosts(null, 'CA')).toContain('reportcyberandfraud.canada.ca')
    expect(listHosts('imposter', 'US')).not.toContain('reportcyberandfraud.canada.ca')
  })
})

describe('parseReportingLinks', () => {
  const wrong: readonly [string, string, string][] = [
    ['a line of two parts', 'FTC | https://reportfraud.example/', 'write name'],
    [
      'an address of another scheme',
      'FTC | http://reportfraud.example/ | always',
      'must begin with https',
    ],
    ['a text that is not an address', 'FTC | reportfraud | always', 'must begin with https'],
    ['an unknown subject', 'FTC | https://reportfraud.example/ | sometimes', '"sometimes" is'],
  ]
  for (const [name, text, words] of wrong) {
    test(`refuses ${name}`, () => {
      expect(() => parseReportingLinks(text)).toThrow(words)
    })
  }
})
