/** Examples of GET /api/v1/export/stix. */

import { wrongFields } from './records.ts'
import { campaign, marking, publisher, unsureIndicator } from './stix-objects.ts'

const path = '/api/v1/export/stix'

/** Where the export of one indicator goes on. */
export const nextExportPath = `${path}?limit=1&cursor=MSAxNzczMzA2MDYwMDAwMDAx`

/** What is answered with 200. */
export const stixExportExamples = {
  campaign: {
    summary: 'What imitates one brand',
    request: { path: `${path}?campaign=paypal` },
    newEachTime: ['id'],
    body: {
      type: 'bundle',
      id: 'bundle--3f0c1d8e-52b7-4a96-8d14-6b9be7a1c520',
      objects: [marking, publisher, ...campaign],
    },
  },
  more: {
    summary: 'The second newest alone; the `Link` leads to the third',
    request: { path: `${path}?limit=1&cursor=MSAxNzczMzA2MTIwMDAwMDA1` },
    newEachTime: ['id'],
    body: {
      type: 'bundle',
      id: 'bundle--6b1f02c7-9d53-4d0e-8a3c-0e1f7f0a5d44',
      objects: [marking, publisher, unsureIndicator],
    },
  },
  nothing: {
    summary: 'Nothing, which is no error',
    request: { path: `${path}?since=2026-03-13` },
    newEachTime: ['id'],
    body: { type: 'bundle', id: 'bundle--91c7e0b4-0d7f-4f0b-a3f1-2d6f1f5b8a07' },
  },
} as const

/** What is answered with 400. */
export const wrongStixExportExamples = {
  many: {
    summary: 'Several wrong parameters, each named',
    request: { path: `${path}?campaign=&since=yesterday&limit=0` },
    body: wrongFields(
      ['campaign', 'Give the name of a brand.'],
      ['since', 'Give a time as 2026-03-12T08:00:00Z, or a day.'],
      ['limit', 'Give a whole number from 1 to 10000.'],
    ),
  },
} as const
