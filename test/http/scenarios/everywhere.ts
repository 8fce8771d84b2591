/** What holds on every path: unknown paths, CORS, preflights, health. */

import type { Scenario } from '../scenario.ts'

const origin = 'https://dashboard.example.org'

const unknown: readonly Scenario[] = [
  '/',
  '/api',
  '/api/check-url//',
  '/API/check-url?url=evil.test',
  '/api/check%2Durl?url=evil.test',
  '/api/check-url/x',
  '/health/x',
  '/%FF',
  '/%00',
  '/__proto__',
].map((path) => ({
  name: `${path} is unknown`,
  path,
  status: 404,
  headers: { 'access-control-allow-origin': null },
  problem: [],
}))

const unknownUnderV1: readonly Scenario[] = ['/api/v1/', '/api/v1/nothing', '/api/v1/%FF'].map(
  (path) => ({
    name: `${path} is unknown, and says so to any origin`,
    path,
    requestHeaders: { origin },
    status: 404,
    headers: { 'access-control-allow-origin': '*', vary: null },
    problem: [],
  }),
)

const outsideV1: readonly Scenario[] = ['/api/check-url?url=evil.test', '/health', '/ready'].map(
  (path) => ({
    name: `${path} carries no CORS header`,
    path,
    requestHeaders: { origin },
    status: 200,
    headers: {
      'access-control-allow-origin': null,
      'access-control-allow-headers': null,
      'access-control-expose-headers': null,
      'access-control-allow-methods': null,
      vary: null,
    },
  }),
)

const preflights: readonly Scenario[] = ['/api/v1/blacklist', '/api/v1/check/bulk'].map((path) => ({
  name: `a preflight of ${path} is answered for a day, for any origin`,
  method: 'OPTIONS',
  path,
  requestHeaders: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  },
  status: 204,
  headers: {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
    'access-control-allow-headers': 'content-type, authorization, if-none-match, idempotency-key',
    'access-control-max-age': '86400',
    'access-control-allow-credentials': null,
    vary: null,
    ratelimit: null,
  },
  text: '',
}))

const otherMethods: readonly Scenario[] = ['PUT', 'PATCH', 'DELETE', 'PROPFIND'].flatMap((method) =>
  [
    ['/health', 'GET, HEAD'],
    ['/api/check-url?url=evil.test', 'GET, HEAD'],
    ['/api/v1/blacklist/', 'GET, HEAD'],
    ['/api/v1/check/bulk', 'POST'],
  ].map(([path = '', allow = '']) => ({
    name: `${method} is no method of ${path}`,
    method,
    path,
    status: 405,
    headers: { allow },
    problem: [],
  })),
)

export const everywhereScenarios: readonly Scenario[] = [
  ...unknown,
  ...unknownUnderV1,
  ...outsideV1,
  ...preflights,
  ...otherMethods,
  {
    name: 'a preflight elsewhere is refused',
    method: 'OPTIONS',
    path: '/api/check-url',
    requestHeaders: { origin, 'access-control-request-method': 'GET' },
    status: 405,
    headers: { 'access-control-allow-origin': null, allow: 'GET, HEAD' },
    problem: [],
  },
  { name: 'health says ok', path: '/health', status: 200, text: '{"status":"ok"}' },
  { name: 'health answers HEAD', method: 'HEAD', path: '/health', status: 200, text: '' },
  {
    name: 'health is never cached',
    path: '/health/',
    status: 200,
    headers: { 'cache-control': 'no-store' },
  },
  {
    name: 'ready tells how far everything is',
    path: '/ready',
    status: 200,
    json: { status: 'ready', viewLag: {} },
    text: /"seq":\d+.*"indicators":\d+.*"walBytes":\d+.*"version":"[^"]+"/,
  },
  {
    name: 'health has no limit',
    path: '/health',
    status: 200,
    headers: { ratelimit: null, 'ratelimit-policy': null },
  },
  {
    name: 'refuses a long body where none is taken',
    method: 'POST',
    path: '/api/nothing',
    body: 'a'.repeat(100_000),
    status: 413,
    problem: [],
  },
]
