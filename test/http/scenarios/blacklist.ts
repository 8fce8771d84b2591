/** GET /api/v1/blacklist: wrong parameters, formats, validators. */

import { listedDomains } from '../fixture.ts'
import type { Scenario } from '../scenario.ts'

const path = '/api/v1/blacklist'
const total = String(listedDomains.length)

const wrong: readonly (readonly [string, string])[] = [
  ['limit', '0'],
  ['limit', '-1'],
  ['limit', '0x10'],
  ['limit', '1e2'],
  ['limit', '5.5'],
  ['limit', ''],
  ['limit', '%205'],
  ['limit', '%D9%A1'],
  ['offset', '-1'],
  ['offset', '1e3'],
  ['offset', ''],
  ['since', '2026-02-30'],
  ['since', '2026-1-1'],
  ['since', '2026-01-01T00:00:00Z'],
  ['since', ''],
  ['format', 'xml'],
  ['format', 'JSON'],
  ['format', ''],
  ['cursor', ''],
  ['cursor', 'nonsense'],
  ['cursor', 'a'.repeat(5000)],
]

const refused: readonly Scenario[] = wrong.map(([field, value]) => ({
  name: `refuses ${field}=${value.slice(0, 30)}`,
  path: `${path}?${field}=${value}`,
  status: 400,
  problem: [field],
}))

const mediaTypes = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8; header=present',
  txt: 'text/plain; charset=utf-8',
  hosts: 'text/plain; charset=utf-8',
}

const formats: readonly Scenario[] = Object.entries(mediaTypes).flatMap(([format, mediaType]) =>
  ['GET', 'HEAD'].map((method) => ({
    name: `${method} ${format} says how many there are and of when they are`,
    method,
    path: `${path}?format=${format}`,
    status: 200,
    headers: {
      'content-type': mediaType,
      'x-total-count': total,
      'x-last-updated': /: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
      'last-modified': / GMT$/,
      etag: /: (W\/)?"[^"]+"$/,
      'cache-control': /max-age=\d+/,
      'content-length': /: \d+$/,
    },
  })),
)

export const blacklistScenarios: readonly Scenario[] = [
  ...refused,
  {
    name: 'names the formats there are',
    path: `${path}?format=xml`,
    status: 400,
    text: /json, csv, txt, hosts/,
  },
  {
    name: 'names every wrong parameter at once',
    path: `${path}?format=xml&limit=0&offset=x&since=x&limit=1`,
    status: 400,
    problem: ['limit', 'format', 'limit', 'offset', 'since'],
  },
  {
    name: 'takes a limit over the maximum for the maximum',
    path: `${path}?limit=1001`,
    status: 200,
    json: { limit: 1000, count: listedDomains.length },
  },
  {
    name: 'an offset past the end is an empty page',
    path: `${path}?offset=1000000000000000`,
    status: 200,
    json: { count: 0, offset: 1_000_000_000_000_000, domains: [], next_cursor: null },
  },
  {
    name: 'since a day to come matches nothing, and the header still counts all',
    path: `${path}?since=2999-12-31`,
    status: 200,
    headers: { 'x-total-count': total },
    json: { total: 0, count: 0, domains: [] },
  },
  {
    name: 'since a day long past matches all',
    path: `${path}?since=2000-02-29&limit=1`,
    status: 200,
    json: { total: listedDomains.length, count: 1 },
  },
  {
    name: 'json tells its limits, and a page that is not the last links to the next',
    path: `${path}?limit=5`,
    status: 200,
    headers: {
      link: /^link: <https?:\/\/[^>]+\/api\/v1\/blacklist\?[^>]*cursor=[^>]+>; rel="next"$/,
    },
    json: { total: listedDomains.length, count: 5, limit: 5, offset: 0 },
  },
  {
    name: 'the last page links nowhere',
    path: `${path}?limit=1000`,
    status: 200,
    headers: { link: null },
    json: { next_cursor: null },
  },
  ...formats,
  {
    name: 'the list may be read from anywhere',
    path,
    requestHeaders: { origin: 'https://dashboard.example.org' },
    status: 200,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': null,
      'access-control-expose-headers':
        'X-Total-Count, X-Last-Updated, X-List-Cursor, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Age',
      vary: 'accept-encoding',
    },
  },
  {
    name: 'any tag matches a star',
    path,
    requestHeaders: { 'if-none-match': '*' },
    status: 304,
    headers: { 'x-total-count': total, 'content-type': null },
    text: '',
  },
  {
    name: 'a date after the last change gets 304',
    path,
    requestHeaders: { 'if-modified-since': 'Fri, 31 Dec 2999 00:00:00 GMT' },
    status: 304,
    text: '',
  },
  {
    name: 'an old date gets the list',
    path,
    requestHeaders: { 'if-modified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
    status: 200,
  },
  {
    name: 'a date that is none gets the list',
    path,
    requestHeaders: { 'if-modified-since': 'yesterday' },
    status: 200,
  },
  {
    name: 'a tag counts before a date',
    path,
    requestHeaders: {
      'if-none-match': '"other"',
      'if-modified-since': 'Fri, 31 Dec 2999 00:00:00 GMT',
    },
    status: 200,
  },
  { name: 'one trailing slash is the same path', path: `${path}/?limit=1`, status: 200 },
  {
    name: 'POST is not one of its methods',
    method: 'POST',
    path,
    status: 405,
    headers: { allow: 'GET, HEAD', 'access-control-allow-origin': '*' },
    problem: [],
  },
]
