/** POST /api/v1/check/bulk: wrong bodies, and the answer's shape. */

import type { Scenario } from '../scenario.ts'

const path = '/api/v1/check/bulk'
const json = { 'content-type': 'application/json' }

const send = (body: unknown) => ({
  method: 'POST',
  path,
  requestHeaders: json,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `name-${index}.example.org`)

const wrongBodies: readonly (readonly [string, string, readonly string[]])[] = [
  ['an array', '[]', ['body']],
  ['an array of requests', '[{"urls":[]}]', ['body']],
  ['a text', '"x"', ['body']],
  ['a number', '5', ['body']],
  ['null', 'null', ['body']],
  ['no bytes', '', ['body']],
  ['blanks', ' \n', ['body']],
  ['broken JSON', '{"urls":[', ['body']],
  ['a misspelt field', '{"url":[]}', ['url']],
  ['__proto__ as a field', '{"__proto__":{"urls":[]}}', ['__proto__']],
  ['a text for a list', '{"urls":"evil.test"}', ['urls']],
  ['null for a list', '{"domains":null}', ['domains']],
  ['an object for a list', '{"hashes":{}}', ['hashes']],
  ['a number in a list', '{"urls":["evil.test",5]}', ['urls[1]']],
  ['null in a list', '{"hashes":[null]}', ['hashes[0]']],
  ['a list in a list', '{"domains":[["evil.test"]]}', ['domains[0]']],
  ['two documents', '{}{}', ['body']],
  ['NUL after the document', '{}\0', ['body']],
  ['a comment', '{/* */}', ['body']],
  ['three wrong fields', '{"urls":1,"domains":[2],"more":3}', ['more', 'urls', 'domains[0]']],
]

const refused: readonly Scenario[] = wrongBodies.map(([name, body, problem]) => ({
  ...send(body),
  name: `refuses ${name}`,
  status: 400,
  headers: { 'access-control-allow-origin': '*' },
  problem,
}))

const refusedTypes: readonly Scenario[] = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/jsonp',
  'text/json; application/json',
  '',
].map((type) => ({
  ...send({ urls: ['evil.test'] }),
  name: `refuses the content type ${type || 'that is empty'}`,
  requestHeaders: { 'content-type': type },
  status: 415,
  problem: [],
}))

const takenTypes: readonly Scenario[] = [
  'application/json; charset=utf-8',
  'Application/JSON;charset="UTF-8"',
  'application/json ; charset=iso-8859-1',
].map((type) => ({
  ...send({ urls: ['evil.test'] }),
  name: `takes the content type ${type}`,
  requestHeaders: { 'content-type': type },
  status: 200,
  json: { total: 1 },
}))

const encodings: readonly (readonly [string, Uint8Array<ArrayBuffer>, number])[] = [
  ['takes UTF-8 after a byte order mark', Buffer.from('\uFEFF{"urls":["evil.test"]}'), 200],
  ['refuses UTF-16', Buffer.from('\uFEFF{"urls":["evil.test"]}', 'utf16le'), 400],
]

const encoded: readonly Scenario[] = encodings.map(([name, body, status]) => ({
  ...send(''),
  name,
  body,
  status,
  ...(status === 200 ? { json: { counts: { found: 1 } } } : { problem: ['body'] }),
}))

const none = { found: 0, suspicious: 0, shared_infrastructure: 0, not_found: 0, invalid: 0 }

export const bulkScenarios: readonly Scenario[] = [
  ...refused,
  ...refusedTypes,
  ...takenTypes,
  ...encoded,
  {
    ...send(''),
    name: 'bytes that are no UTF-8 make an item invalid, not the request',
    body: Buffer.from('{"urls":["evil\xff.test","evil.test"]}', 'latin1'),
    status: 200,
    json: { urls: [{ status: 'invalid' }, { status: 'found' }] },
  },
  {
    ...send('{}'),
    name: 'refuses a compressed body',
    requestHeaders: { ...json, 'content-encoding': 'gzip' },
    status: 415,
    problem: [],
  },
  {
    ...send({}),
    name: 'an empty request is answered with nothing',
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    json: { total: 0, counts: none, urls: [], domains: [], hashes: [] },
    text: /"updated":"[^"]+Z"/,
  },
  {
    ...send({ urls: [], domains: [], hashes: [] }),
    name: 'so are empty lists',
    status: 200,
    json: { total: 0 },
  },
  {
    ...send({ domains: names(500) }),
    name: 'takes 500 items',
    status: 200,
    json: { total: 500, counts: { ...none, not_found: 500 } },
  },
  {
    ...send({ urls: names(200), domains: names(200), hashes: names(101) }),
    name: 'refuses 501 items over the three lists, naming those that hold some',
    status: 400,
    problem: ['urls', 'domains', 'hashes'],
  },
  {
    ...send({ urls: names(501) }),
    name: 'refuses 501 items in one list',
    status: 400,
    problem: ['urls'],
  },
  {
    ...send({
      urls: ['https://evil.test/x', 'good.test', 'javascript:alert(1)'],
      domains: ['evil.test', 'https://evil.test/', '__proto__', 'constructor'],
      hashes: ['A'.repeat(64), 'a'.repeat(63), 'g'.repeat(64), ''],
    }),
    name: 'answers every item in its place, unreadable ones with the reason',
    status: 200,
    json: {
      total: 11,
      counts: { found: 3, suspicious: 0, shared_infrastructure: 0, not_found: 2, invalid: 6 },
      urls: [
        { value: 'https://evil.test/x', status: 'found', match: { value: 'evil.test' } },
        { value: 'good.test', status: 'not_found', confidence: 0, match: null },
        { value: 'javascript:alert(1)', status: 'invalid' },
      ],
      domains: [
        { value: 'evil.test', status: 'found' },
        { value: 'https://evil.test/', status: 'found' },
        { value: '__proto__', status: 'invalid' },
        { value: 'constructor', status: 'invalid' },
      ],
      hashes: [
        { value: 'A'.repeat(64), status: 'not_found' },
        { value: 'a'.repeat(63), status: 'invalid' },
        { value: 'g'.repeat(64), status: 'invalid' },
        { value: '', status: 'invalid' },
      ],
    },
    text: /"status":"invalid","error":"[^"]+"/,
  },
  {
    ...send('{"urls":["\\ud800.test","a\\u0000b.test","evil.test"]}'),
    name: 'a lone surrogate and NUL make an item invalid, not the request',
    status: 200,
    json: { urls: [{ status: 'invalid' }, { status: 'invalid' }, { status: 'found' }] },
  },
  {
    ...send({ domains: Array.from({ length: 500 }, () => 'evil.test') }),
    name: 'the same item 500 times is answered 500 times',
    status: 200,
    json: { total: 500, counts: { ...none, found: 500 } },
  },
  {
    ...send({ urls: ['<script>alert(1)</script>'] }),
    name: 'no answer can open a tag',
    status: 200,
    text: /^[^<]+$/,
  },
  {
    ...send(`{"urls":["${'a'.repeat(5.1 * 2 ** 20)}"]}`),
    name: 'refuses a body of 5.1 MiB',
    status: 413,
    headers: { 'access-control-allow-origin': '*' },
    problem: [],
  },
  {
    ...send(`{"urls":["${'a'.repeat(4.9 * 2 ** 20)}"]}`),
    name: 'takes a body of 4.9 MiB',
    status: 200,
    json: { counts: { ...none, invalid: 1 } },
  },
  {
    ...send({ urls: ['evil.test'] }),
    name: 'one trailing slash is the same path',
    path: `${path}/`,
    status: 200,
    json: { total: 1 },
  },
  {
    name: 'GET is not one of its methods',
    path,
    status: 405,
    headers: { allow: 'POST' },
    problem: [],
  },
]
