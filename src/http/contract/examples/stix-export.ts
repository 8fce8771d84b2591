const path = '/api/v1/export/stix'

/** Where the export of one indicator goes on. */
export const nextExportPath = `${path}?limit=1&cursor=MSAxNzczMzA2MDYwMDAwMDAx`

/** What is answered with 200. */
export const stixExportExamples = {
  campaign: {
    summary: 'Indicators that imitate one brand',
    request: { path: `${path}?campaign=paypal` },
    newEachTime: ['id'],
  },
  more: {
    summary: 'Only the second newest; the `Link` leads to the third',
    request: { path: `${path}?limit=1&cursor=MSAxNzczMzA2MTIwMDAwMDA1` },
    newEachTime: ['id'],
  },
  nothing: {
    summary: 'No items, which is not an error',
    request: { path: `${path}?since=2026-03-13` },
    newEachTime: ['id'],
  },
} as const

/** What is answered with 400. */
export const wrongStixExportExamples = {
  many: {
    summary: 'Several wrong parameters, each named',
    request: { path: `${path}?campaign=&since=yesterday&limit=0` },
  },
} as const
