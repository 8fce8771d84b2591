/** Examples of GET /api/check-url. */

import type { Example } from '../description.ts'
import { accountIoc, updated, wrongFields } from './records.ts'

const check = (query: string): Example['request'] => ({
  path: `/api/check-url?url=${encodeURIComponent(query)}`,
})

const platformNote = 'hosting.example hosts pages of many people; judge the exact subdomain.'

/** What is answered with 200. */
export const verdictExamples = {
  found: {
    summary: 'A name below a listed domain, asked for defanged',
    request: check('hxxps://login.paypa1-account[.]example/confirm'),
    body: {
      query: 'hxxps://login.paypa1-account[.]example/confirm',
      url: 'https://login.paypa1-account.example/confirm',
      domain: 'login.paypa1-account.example',
      status: 'found',
      confidence: 80,
      score: 0,
      reasons: [
        {
          code: 'listed_parent',
          message:
            'The parent domain paypa1-account.example is listed as phishing since 2026-03-12 by open-feed.',
        },
      ],
      match: accountIoc,
      updated,
    },
  },
  suspicious: {
    summary: 'A listing of little weight',
    request: check('perhaps-phishing.example'),
    body: {
      query: 'perhaps-phishing.example',
      url: 'http://perhaps-phishing.example/',
      domain: 'perhaps-phishing.example',
      status: 'suspicious',
      confidence: 40,
      score: 0,
      reasons: [
        {
          code: 'listed_host',
          message: 'The host is listed as phishing since 2026-03-12 by second-feed.',
        },
        { code: 'low_confidence', message: "The listing's confidence is 40, under 50." },
      ],
      match: {
        type: 'domain',
        value: 'perhaps-phishing.example',
        domain: 'perhaps-phishing.example',
        threat_type: 'phishing',
        threat_level: 'low',
        confidence: 40,
        target_brand: null,
        malware_family: null,
        do_not_block: 0,
        sources: ['second-feed'],
        first_seen: '2026-03-12T09:01:00.000Z',
        last_seen: '2026-03-12T09:01:00.000Z',
        listed_at: '2026-03-12T09:01:00.000Z',
        reference: null,
      },
      updated,
    },
  },
  shared_infrastructure: {
    summary: 'A page of a platform on which other pages are listed',
    request: check('https://spring.hosting.example/'),
    body: {
      query: 'https://spring.hosting.example/',
      url: 'https://spring.hosting.example/',
      domain: 'spring.hosting.example',
      status: 'shared_infrastructure',
      confidence: 0,
      score: 0,
      reasons: [{ code: 'shared_platform', message: platformNote }],
      match: null,
      updated,
      sharedInfrastructure: true,
      note: platformNote,
    },
  },
  not_found: {
    summary: 'An address that is not listed',
    request: check('https://example.com/'),
    body: {
      query: 'https://example.com/',
      url: 'https://example.com/',
      domain: 'example.com',
      status: 'not_found',
      confidence: 0,
      score: 0,
      reasons: [{ code: 'not_listed', message: 'example.com is on none of the lists.' }],
      match: null,
      updated,
    },
  },
  self_test: {
    summary: 'A name that proves a client’s wiring',
    request: check('found.weir.test'),
    body: {
      query: 'found.weir.test',
      url: 'http://found.weir.test/',
      domain: 'found.weir.test',
      status: 'found',
      confidence: 100,
      score: 0,
      reasons: [
        {
          code: 'self_test',
          message: 'This name always answers found, for testing a client.',
        },
      ],
      match: null,
      updated,
    },
  },
} as const

/** What is answered with 400. */
export const wrongCheckExamples = {
  nothing: {
    summary: 'Nothing to check',
    request: { path: '/api/check-url' },
    body: wrongFields(['url', 'Give a URL or a bare domain.']),
  },
  other_scheme: {
    summary: 'A scheme that leads to no page',
    request: check('javascript:alert(1)'),
    body: wrongFields(['url', 'Send an http, https or ftp URL, or a bare domain.']),
  },
  repeated: {
    summary: 'A parameter that is given twice',
    request: { path: '/api/check-url?url=a.example&url=b.example' },
    body: wrongFields(['url', 'Give this parameter only once.']),
  },
} as const
