/** Examples of GET /api/search. */

import { wrongFields } from './records.ts'

const accountResult = {
  type: 'url',
  id: 'urn:uuid:b80eeea6-e84c-53da-bf18-9a6bae3866d8',
  title: 'paypa1-account[.]example',
  url: 'paypa1-account.example',
  defanged: 'paypa1-account[.]example',
  summary: 'Listed for phishing that imitates PayPal by open-feed.',
  threat_level: 'high',
  target_brand: 'PayPal',
  published_at: '2026-03-12T08:01:00.000Z',
} as const

const letterResult = {
  type: 'scam',
  id: 'urn:uuid:abcd9a3f-7793-542b-a84c-5fabdc25cd54',
  title: 'Reported: a message that pretends to be from Example Parcels',
  url: null,
  defanged: null,
  summary: 'It asked me to pay a fee for a parcel at paypa1-account[.]example/pay.',
  threat_level: null,
  target_brand: 'Example Parcels',
  published_at: '2026-03-12T09:03:00.000Z',
} as const

const articleResult = {
  type: 'news',
  id: 'urn:uuid:efa18497-f9d9-5fb3-ab4d-0d9f4051e349',
  title: 'Text messages ask for parcel fees',
  url: 'https://press.example/2026/parcel-texts',
  defanged: null,
  summary: 'Example Press: A message says that a parcel waits. Older people lose most by it.',
  threat_level: null,
  target_brand: null,
  published_at: '2026-03-11T15:00:00.000Z',
} as const

/** What is answered with 200. */
export const searchExamples = {
  address: {
    summary: 'Part of a listed name',
    request: { path: '/api/search?q=paypa1&limit=2' },
    body: {
      query: 'paypa1',
      category: 'all',
      page: 1,
      limit: 2,
      total: 2,
      counts: { urls: 1, news: 0, scams: 1 },
      results: [accountResult, letterResult],
    },
  },
  words: {
    summary: 'Words of a report and an article',
    request: { path: '/api/search?q=parcel+fees' },
    body: {
      query: 'parcel fees',
      category: 'all',
      page: 1,
      limit: 20,
      total: 2,
      counts: { urls: 0, news: 1, scams: 1 },
      results: [letterResult, articleResult],
    },
  },
  nothing: {
    summary: 'Nothing matches',
    request: { path: '/api/search?q=%22%2A%29+OR&category=news&page=7' },
    body: {
      query: '"*) OR',
      category: 'news',
      page: 7,
      limit: 20,
      total: 0,
      counts: { urls: 0, news: 0, scams: 0 },
      results: [],
    },
  },
} as const

/** What is answered with 400. */
export const wrongSearchExamples = {
  wrong: {
    summary: 'Several parameters are wrong',
    request: { path: '/api/search?category=urls,news&page=0&limit=ten' },
    body: wrongFields(
      ['q', 'Give what to search for.'],
      ['category', 'Choose one of all, urls, news, scams.'],
      ['page', 'Give a whole number from 1 up.'],
      ['limit', 'Give a whole number from 1 to 50.'],
    ),
  },
} as const
