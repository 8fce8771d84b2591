/** Examples of GET /api/check-phone. */

import type { Example } from '../description.ts'
import { wrongFields } from './records.ts'

const check = (phone: string): Example['request'] => ({
  path: `/api/check-phone?phone=${encodeURIComponent(phone)}`,
})

const callerId = {
  code: 'caller_id',
  message:
    'Caller ID can be spoofed: a call need not come from the number it shows, so judge a caller by what is asked for.',
} as const

const notListed = (formatted: string) =>
  ({ code: 'not_listed', message: `${formatted} is on none of the lists.` }) as const

/** Where every call can be reported. */
const anyCallLinks = [
  { name: 'Federal Trade Commission: report fraud', url: 'https://reportfraud.ftc.gov/' },
  { name: 'National Do Not Call Registry', url: 'https://www.donotcall.gov/' },
  {
    name: 'Federal Communications Commission: complaints',
    url: 'https://consumercomplaints.fcc.gov/',
  },
] as const

const imposterLinks = [
  { name: 'FBI Internet Crime Complaint Center (IC3)', url: 'https://www.ic3.gov/' },
  {
    name: 'Social Security Administration, Inspector General',
    url: 'https://oig.ssa.gov/report/',
  },
  {
    name: 'Treasury Inspector General for Tax Administration',
    url: 'https://www.tigta.gov/',
  },
  { name: 'Postal Inspection Service', url: 'https://www.uspis.gov/report' },
  { name: 'IdentityTheft.gov', url: 'https://www.identitytheft.gov/' },
  {
    name: 'National Elder Fraud Hotline, 1-833-372-8311',
    url: 'https://ovc.ojp.gov/program/stop-elder-fraud/providing-help-restoring-hope',
  },
] as const

const jamaicaNote =
  'Area code 876 belongs to Jamaica: the FTC named it in warnings of calls that ring once so that people call back and pay for it.'

/** What is answered with 200. */
export const phoneExamples = {
  found: {
    summary: 'A number that people reported',
    request: check('(202) 555-2368'),
    body: {
      phone: '+12025552368',
      formatted: '(202) 555-2368',
      valid: true,
      invalidReason: null,
      status: 'found',
      scamType: 'imposter',
      reports: 3,
      areaCode: {
        code: '202',
        region: 'District of Columbia',
        country: 'US',
        kind: 'geographic',
        risk: 'none',
        note: null,
      },
      reasons: [
        {
          code: 'reported_calls',
          message:
            'Reported 3 times between 2026-03-02 and 2026-03-11; nobody has verified the reports, and caller ID can be spoofed.',
        },
        {
          code: 'reported_subject',
          message:
            'The subject that reports name most often: calls pretending to be government, businesses, or family and friends.',
        },
        callerId,
      ],
      reportingLinks: [...anyCallLinks, ...imposterLinks],
    },
  },
  one_ring: {
    summary: 'A number abroad that looks domestic, not listed',
    request: check('+1 876 555 2368'),
    body: {
      phone: '+18765552368',
      formatted: '(876) 555-2368',
      valid: true,
      invalidReason: null,
      status: 'suspicious',
      scamType: null,
      reports: 0,
      areaCode: {
        code: '876',
        region: 'Jamaica',
        country: 'JM',
        kind: 'foreign_nanp',
        risk: 'high',
        note: jamaicaNote,
      },
      reasons: [{ code: 'area_code', message: jamaicaNote }, notListed('(876) 555-2368'), callerId],
      reportingLinks: anyCallLinks,
    },
  },
  forbidden: {
    summary: 'A number that nobody may have',
    request: check('212.555.0100'),
    body: {
      phone: '+12125550100',
      formatted: '(212) 555-0100',
      valid: false,
      invalidReason: 'fictional',
      status: 'suspicious',
      scamType: null,
      reports: 0,
      areaCode: {
        code: '212',
        region: 'New York',
        country: 'US',
        kind: 'geographic',
        risk: 'none',
        note: null,
      },
      reasons: [
        {
          code: 'forbidden_number',
          message:
            'Numbers from 555-0100 to 555-0199 are reserved for fiction and examples. A call that shows this number has a forged caller ID.',
        },
        notListed('(212) 555-0100'),
        callerId,
      ],
      reportingLinks: anyCallLinks,
    },
  },
  not_found: {
    summary: 'A number that is not listed',
    request: check('1-416-555-2368 x12'),
    body: {
      phone: '+14165552368',
      formatted: '(416) 555-2368',
      valid: true,
      invalidReason: null,
      status: 'not_found',
      scamType: null,
      reports: 0,
      areaCode: {
        code: '416',
        region: 'Ontario',
        country: 'CA',
        kind: 'geographic',
        risk: 'low',
        note: 'Area code 416 is in Canada; calls to it may cost more.',
      },
      reasons: [notListed('(416) 555-2368'), callerId],
      reportingLinks: [
        ...anyCallLinks,
        {
          name: 'Canadian Anti-Fraud Centre',
          url: 'https://reportcyberandfraud.canada.ca/',
        },
        { name: "Canada's National Do Not Call List", url: 'https://lnnte-dncl.gc.ca/' },
      ],
    },
  },
} as const

/** What is answered with 400. */
export const wrongPhoneExamples = {
  nothing: {
    summary: 'Nothing to check',
    request: { path: '/api/check-phone' },
    body: wrongFields(['phone', 'Send a phone number of ten digits.']),
  },
  nine_digits: {
    summary: 'A digit too few',
    request: check('212-555-010'),
    body: wrongFields(['phone', 'Send ten digits, after an optional +1 or 1.']),
  },
  other_country: {
    summary: 'A number of another country',
    request: check('+44 20 7946 0958'),
    body: wrongFields([
      'phone',
      'Send a number of country code 1, such as +1 212 555 2368; others are not supported.',
    ]),
  },
  letters: {
    summary: 'Letters instead of digits',
    request: check('1-800-FLOWERS'),
    body: wrongFields([
      'phone',
      'Send one number in digits; only an extension such as x123 may have letters.',
    ]),
  },
} as const
