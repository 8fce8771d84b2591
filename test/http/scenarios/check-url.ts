/** GET /api/check-url: wrong and odd inputs, and the answer's shape. */

import type { Scenario } from '../scenario.ts'

const ask = (url: string): string => `/api/check-url?url=${encodeURIComponent(url)}`

const refusedUrls: readonly (readonly [string, string])[] = [
  ['a script', 'javascript:alert(1)'],
  ['data', 'data:text/html,x'],
  ['a file', 'file:///etc/passwd'],
  ['a mail address as a URL', 'mailto:someone@evil.test'],
  ['an undecodable label', 'xn--a'],
  ['a single label', 'intranet'],
  ['localhost', 'http://localhost/'],
  ['a name under .onion', 'http://abc.onion/'],
  ['a bare public suffix', 'co.uk'],
  ['only a scheme', 'https://'],
  ['a label of 64 characters', `http://${'a'.repeat(64)}.test/`],
  ['a port over 65535', 'http://evil.test:70000/'],
  ['8,193 bytes', `http://evil.test/${'a'.repeat(8193 - 'http://evil.test/'.length)}`],
]

const refused: readonly Scenario[] = refusedUrls.map(([name, url]) => ({
  name: `refuses ${name}`,
  path: ask(url),
  status: 400,
  problem: ['url'],
}))

const refusedSchemes: readonly Scenario[] = ['javascript:alert(1)', 'data:,x', 'file:///x'].map(
  (url) => ({
    name: `says of ${url} that it is the scheme`,
    path: ask(url),
    status: 400,
    text: /http, https or ftp/,
    problem: ['url'],
  }),
)

const readings: readonly (readonly [string, string, string, string])[] = [
  ['a bare listed name', 'evil.test', 'evil.test', 'found'],
  ['a page of it', 'https://evil.test/login?next=1', 'evil.test', 'found'],
  ['a name under a listed one', 'a.b.evil.test', 'a.b.evil.test', 'found'],
  ['a name that merely ends like it', 'notevil.test', 'notevil.test', 'not_found'],
  ['a name above it', 'test.example', 'test.example', 'not_found'],
  ['a defanged URL', 'hxxps://evil[.]test/login', 'evil.test', 'found'],
  ['what stands after the @', 'http://good.test@evil.test/', 'evil.test', 'found'],
  ['a backslash as a slash', 'http://evil.test\\@good.test', 'evil.test', 'found'],
  ['case, trailing dot and port', 'HTTP://EVIL.TEST.:80/', 'evil.test', 'found'],
  ['fullwidth letters and dots', 'ｅｖｉｌ。test', 'evil.test', 'found'],
  ['a name in Unicode', 'https://bücher.test/', 'xn--bcher-kva.test', 'found'],
  ['the same in punycode', 'xn--bcher-kva.test', 'xn--bcher-kva.test', 'found'],
  ['an address in another notation', 'http://0x7f.1/', '127.0.0.1', 'not_found'],
  ['the longest name there is', `${'a.'.repeat(124)}test`, `${'a.'.repeat(124)}test`, 'not_found'],
  ['a reserved name', 'https://example.com/', 'example.com', 'not_found'],
]

const read: readonly Scenario[] = readings.map(([name, url, domain, status]) => ({
  name: `reads ${name}`,
  path: ask(url),
  status: 200,
  json: { query: url, domain, status },
}))

const selfTests: readonly Scenario[] = ['found', 'suspicious', 'not_found'].map((status) => {
  const name = status === 'not_found' ? 'clean' : status
  return {
    name: `the self-test name for ${status} answers so`,
    path: ask(`https://${name}.weir.test/`),
    status: 200,
    json: { status },
    text: /"code":"self_test"/,
  }
})

export const checkUrlScenarios: readonly Scenario[] = [
  { name: 'refuses a call without url', path: '/api/check-url', status: 400, problem: ['url'] },
  { name: 'refuses an empty url', path: '/api/check-url?url=', status: 400, problem: ['url'] },
  { name: 'refuses NUL', path: '/api/check-url?url=evil.test%00', status: 400, problem: ['url'] },
  {
    name: 'refuses what is not UTF-8',
    path: '/api/check-url?url=%FF',
    status: 400,
    problem: ['url'],
  },
  {
    name: 'refuses U+FFFD',
    path: '/api/check-url?url=%EF%BF%BD.test',
    status: 400,
    problem: ['url'],
  },
  {
    name: 'refuses a broken escape',
    path: '/api/check-url?url=evil.test%2',
    status: 400,
    problem: ['url'],
  },
  ...['%ZZ', '%E0%A4%A', '%C0%AF', '%ED%A0%80', '%', '%00'].map((text) => ({
    name: `refuses the escape ${text}`,
    path: `/api/check-url?url=evil.test${text}`,
    status: 400,
    problem: ['url'],
  })),
  {
    name: 'refuses url twice',
    path: '/api/check-url?url=evil.test&url=good.test',
    status: 400,
    problem: ['url'],
  },
  ...refused,
  ...refusedSchemes,
  ...read,
  ...selfTests,
  {
    name: 'a shared platform answers with its flag and a note',
    path: ask('https://shared.weir.test/'),
    status: 200,
    json: { status: 'shared_infrastructure', sharedInfrastructure: true },
    text: /"note":"[^"]+"/,
  },
  {
    name: 'flag and note are absent off platforms',
    path: ask('https://evil.test/'),
    status: 200,
    text: /^(?!.*"sharedInfrastructure")(?!.*"note")/,
  },
  {
    name: 'a listed name answers with its record',
    path: ask('https://evil.test/'),
    status: 200,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'access-control-allow-origin': null,
      vary: null,
    },
    json: {
      query: 'https://evil.test/',
      url: 'https://evil.test/',
      domain: 'evil.test',
      status: 'found',
      match: { type: 'domain', value: 'evil.test', domain: 'evil.test', do_not_block: 0 },
    },
    text: /"code":"listed_host","message":"[A-Z][^"]+\.".*"updated":"[-\d]+T[\d:]+\.\d{3}Z"/,
  },
  {
    name: 'an address that is not listed answers 200 with a reason and no record',
    path: ask('https://good.test/'),
    status: 200,
    json: { status: 'not_found', match: null },
    text: /"code":"not_listed"/,
  },
  {
    name: 'no answer can open a tag',
    path: ask('https://good.test/<script>alert(1)</script>'),
    status: 200,
    text: /^[^<]+$/,
  },
  {
    name: 'unknown parameters are ignored',
    path: `${ask('evil.test')}&debug=1&debug=2&x=%FF`,
    status: 200,
    json: { status: 'found' },
  },
  {
    name: 'one trailing slash is the same path',
    path: '/api/check-url/?url=evil.test',
    status: 200,
    json: { status: 'found' },
  },
  {
    name: 'HEAD answers as GET without the body',
    method: 'HEAD',
    path: ask('evil.test'),
    status: 200,
    headers: { 'content-type': 'application/json', 'content-length': /\d/ },
    text: '',
  },
  {
    name: 'POST is not one of its methods',
    method: 'POST',
    path: '/api/check-url?url=evil.test',
    status: 405,
    headers: { allow: 'GET, HEAD' },
    problem: [],
  },
]
