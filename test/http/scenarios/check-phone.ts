/** GET /api/check-phone: wrong and odd inputs, and the answer's shape. */

import type { Scenario } from '../scenario.ts'

const ask = (phone: string): string => `/api/check-phone?phone=${encodeURIComponent(phone)}`

const refusedNumbers: readonly (readonly [string, string, RegExp])[] = [
  ['nine digits', '212555010', /ten digits/],
  ['seven digits', '555-0100', /ten digits/],
  ['eleven digits that begin with 2', '22125550100', /ten digits/],
  ['twelve digits', '112125550100', /ten digits/],
  ['letters', '1-800-FLOWERS', /in digits/],
  ['a British number', '+44 20 7946 0958', /country code 1/],
  ['a fullwidth British number', '＋４４２０７９４６０９５８', /country code 1/],
  ['two numbers', '2125550100;2125550101', /in digits/],
  ['markup', '<script>alert(1)</script>', /in digits/],
  ['65 characters', '2'.repeat(65), /64 characters/],
  ['blanks alone', '   ', /ten digits/],
]

const refused: readonly Scenario[] = refusedNumbers.map(([name, phone, text]) => ({
  name: `refuses ${name}`,
  path: ask(phone),
  status: 400,
  text,
  problem: ['phone'],
}))

const formattings: readonly string[] = [
  '(212) 555-0100',
  '212-555-0100',
  '212.555.0100',
  '212/555/0100',
  '12125550100',
  '+12125550100',
  '+1 (212) 555-0100',
  '２１２５５５０１００',
  '212-555-0100 x123',
  '212-555-0100 ext. 5',
]

const read: readonly Scenario[] = formattings.map((phone) => ({
  name: `reads ${phone}`,
  path: ask(phone),
  status: 200,
  json: { phone: '+12125550100', formatted: '(212) 555-0100', valid: false },
}))

const answers: readonly (readonly [string, string, object])[] = [
  ['a number for fiction', '2125550100', { invalidReason: 'fictional', status: 'suspicious' }],
  [
    'an area code that cannot be',
    '0123456789',
    { invalidReason: 'area_code_first_digit', areaCode: { kind: 'unassigned' } },
  ],
  [
    'an ordinary number',
    '2125552368',
    {
      valid: true,
      invalidReason: null,
      status: 'not_found',
      scamType: null,
      reports: 0,
      areaCode: { code: '212', region: 'New York', country: 'US', risk: 'none', note: null },
    },
  ],
  ['a Canadian number', '4165552368', { areaCode: { country: 'CA', risk: 'low' } }],
  ['a code of one-ring calls', '8765552368', { status: 'suspicious', areaCode: { risk: 'high' } }],
  ['a toll-free number', '8005552368', { status: 'not_found', areaCode: { kind: 'toll_free' } }],
  ['a premium number', '9005552368', { status: 'suspicious', areaCode: { kind: 'premium' } }],
  ['a code of nobody', '2225552368', { status: 'suspicious', areaCode: { kind: 'unassigned' } }],
]

const answered: readonly Scenario[] = answers.map(([name, phone, json]) => ({
  name: `answers about ${name}`,
  path: ask(phone),
  status: 200,
  headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
  json: { phone: `+1${phone}`, ...json },
  text: /^(?!.*\bsafe\b)(?!.*scammer)/i,
}))

export const checkPhoneScenarios: readonly Scenario[] = [
  {
    name: 'refuses a call without phone',
    path: '/api/check-phone',
    status: 400,
    problem: ['phone'],
  },
  {
    name: 'refuses an empty phone',
    path: '/api/check-phone?phone=',
    status: 400,
    problem: ['phone'],
  },
  {
    name: 'refuses phone twice',
    path: '/api/check-phone?phone=2125550100&phone=2125550101',
    status: 400,
    problem: ['phone'],
  },
  ...['%00', '%FF', '%EF%BF%BD', '%2', '%C0%AF'].map((text) => ({
    name: `refuses the escape ${text}`,
    path: `/api/check-phone?phone=2125550100${text}`,
    status: 400,
    problem: ['phone'],
  })),
  {
    name: 'takes a plus that was not escaped for a blank',
    path: '/api/check-phone?phone=+12125550100',
    status: 200,
    json: { phone: '+12125550100' },
  },
  {
    name: 'does not repeat what it refuses',
    path: ask('canary<b>'),
    status: 400,
    text: /^(?!.*canary)/,
    problem: ['phone'],
  },
  { name: 'answers HEAD', method: 'HEAD', path: ask('2125552368'), status: 200 },
  ...refused,
  ...read,
  ...answered,
]
