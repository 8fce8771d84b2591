/** Examples of GET /api/v1/blacklist. */

import { mailboxEntry, perhapsEntry, updated, wrongFields } from './records.ts'

const path = '/api/v1/blacklist'

/** Where the first page of two entries ends. */
export const nextPageCursor = 'NWVlZDAxMjMgMTc3MzMwNjA2MDAwMCBwZXJoYXBzLXBoaXNoaW5nLmV4YW1wbGU'

/** What is answered with 200. */
export const blacklistExamples = {
  first_page: {
    summary: 'The two newest entries',
    request: { path: `${path}?limit=2` },
    body: {
      total: 5,
      count: 2,
      limit: 2,
      offset: 0,
      last_updated: updated,
      next_cursor: nextPageCursor,
      domains: [mailboxEntry, perhapsEntry],
    },
  },
  next_page: {
    summary: 'The page after them, which ends with a name that people read otherwise',
    request: { path: `${path}?limit=3&cursor=${nextPageCursor}` },
    body: {
      total: 5,
      count: 3,
      limit: 3,
      offset: 0,
      last_updated: updated,
      next_cursor: null,
      domains: [
        {
          domain: 'hosting.example',
          do_not_block: 1,
          threat_type: 'phishing',
          threat_level: 'low',
          target_brand: null,
          confidence: 0,
          sources: ['shared-infrastructure'],
          first_seen: '2026-03-12T08:01:00.000Z',
          last_seen: '2026-03-12T08:01:00.000Z',
          listed_at: '2026-03-12T08:01:00.000Z',
        },
        {
          domain: 'paypa1-account.example',
          do_not_block: 0,
          threat_type: 'phishing',
          threat_level: 'high',
          target_brand: 'PayPal',
          confidence: 80,
          sources: ['open-feed'],
          first_seen: '2026-03-12T08:01:00.000Z',
          last_seen: updated,
          listed_at: '2026-03-12T08:01:00.000Z',
        },
        {
          domain: 'xn--bcher-gewinn-dlb.example',
          domain_unicode: 'bücher-gewinn.example',
          do_not_block: 0,
          threat_type: 'phishing',
          threat_level: 'high',
          target_brand: null,
          confidence: 80,
          sources: ['open-feed'],
          first_seen: '2026-03-12T08:01:00.000Z',
          last_seen: updated,
          listed_at: '2026-03-12T08:01:00.000Z',
        },
      ],
    },
  },
  csv: {
    summary: 'As a table',
    request: { path: `${path}?format=csv&limit=2` },
    mediaType: 'text/csv; charset=utf-8; header=present',
    body:
      'domain,domain_unicode,do_not_block,threat_type,threat_level,target_brand,confidence,sources,' +
      'first_seen,last_seen,listed_at\r\n' +
      'mailbox-upgrade.example,,0,phishing,high,Microsoft,80,open-feed,' +
      '2026-03-12T09:02:00.000Z,2026-03-12T09:02:00.000Z,2026-03-12T09:02:00.000Z\r\n' +
      'perhaps-phishing.example,,0,phishing,low,,40,second-feed,' +
      '2026-03-12T09:01:00.000Z,2026-03-12T09:01:00.000Z,2026-03-12T09:01:00.000Z\r\n',
  },
  txt: {
    summary: 'One domain a line, without platforms',
    request: { path: `${path}?format=txt` },
    mediaType: 'text/plain; charset=utf-8',
    body:
      'mailbox-upgrade.example\nperhaps-phishing.example\npaypa1-account.example\n' +
      'xn--bcher-gewinn-dlb.example\n',
  },
  hosts: {
    summary: 'As a hosts file',
    request: { path: `${path}?format=hosts&limit=1` },
    mediaType: 'text/plain; charset=utf-8',
    body:
      '# Title: weir phishing domain blacklist\n# Version: 36864\n' +
      '# Last modified: 2026-03-12T09:02:00.000Z\n# Number of entries: 1\n' +
      '# Address: https://weir.example.org/api/v1/blacklist?format=hosts&limit=1\n' +
      '0.0.0.0 mailbox-upgrade.example\n',
  },
} as const

/** What is answered with 304. */
export const unchangedListExamples = {
  unchanged: {
    summary: 'What the client holds is still good',
    request: {
      path: `${path}?limit=2`,
      headers: { 'if-modified-since': 'Thu, 12 Mar 2026 09:02:00 GMT' },
    },
  },
} as const

/** What is answered with 400. */
export const wrongListExamples = {
  many: {
    summary: 'Several wrong parameters, each named',
    request: { path: `${path}?format=xml&limit=0&since=2026-02-30` },
    body: wrongFields(
      ['format', 'Choose one of json, csv, txt, hosts.'],
      ['limit', 'Give a whole number from 1 to 1000.'],
      ['since', 'Give a day as YYYY-MM-DD.'],
    ),
  },
  made_up_cursor: {
    summary: 'A cursor that is none of this database’s',
    request: { path: `${path}?cursor=made-up` },
    body: wrongFields(['cursor', 'Give a cursor from next_cursor of an earlier answer.']),
  },
} as const
