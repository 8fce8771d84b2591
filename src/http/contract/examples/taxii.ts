/** Examples of the TAXII paths. */

import {
  campaignIndicator,
  endedIndicator,
  marking,
  newIndicator,
  pageIndicator,
  publisher,
} from './stix-objects.ts'

const root = '/api/taxii/2.1'
const collections = `${root}/collections`
const rootAddress = `https://weir.example.org${root}/`
const taxii = 'application/taxii+json;version=2.1'
const stix = 'application/stix+json;version=2.1'

/** A request of a TAXII client. */
const asked = (path: string) => ({ path, headers: { accept: taxii } }) as const

/** Where the bundle of three objects goes on. */
export const nextBundlePath = `${collections}/phishing-urls/objects/?limit=3&next=MSBwaGlzaGluZy11cmxzIDE3NzMzMDI0NjAwMDAwMTcgW251bGwsbnVsbCxudWxsLG51bGxd`

/** Where the first page of one indicator ends. */
export const nextPageOfDomains =
  'MSBkb21haW4tYmxhY2tsaXN0IDE3NzMzMDI0NjAwMDAwMDUgW251bGwsImluZGljYXRvciIsbnVsbCxudWxsXQ'

/** Returns the TAXII error message of a refusal. */
export const taxiiErrorOf = (
  status: number,
  title: string,
  description: string,
  details?: Readonly<Record<string, string>>,
) => ({ title, description, http_status: String(status), ...(details && { details }) })

/** What discovery answers with 200. */
export const discoveryExamples = {
  discovery: {
    summary: 'The root, which is its own discovery document',
    request: asked(root),
    body: {
      title: 'weir: phishing threat data',
      description:
        'Indicators of phishing, malware and scams, and the brands and malware families they belong to. ' +
        'Public and read-only.',
      contact: 'https://weir.example.org/docs',
      default: rootAddress,
      api_roots: [rootAddress],
      versions: [taxii],
      max_content_length: 1_048_576,
    },
  },
} as const

const collection = (name: string, description: string) => ({
  id: name,
  title: name,
  description,
  can_read: true,
  can_write: false,
  media_types: [stix],
})

/** What the listing of the collections answers with 200. */
export const collectionsExamples = {
  collections: {
    summary: 'The three collections',
    request: asked(collections),
    body: {
      collections: [
        collection(
          'campaigns',
          'Brands that are imitated and malware families, and every indicator that belongs to one.',
        ),
        collection(
          'domain-blacklist',
          'Indicators of listed domains; shared platforms are left out.',
        ),
        collection(
          'phishing-urls',
          'Indicators of listed pages, files, e-mail addresses and network addresses.',
        ),
      ],
    },
  },
} as const

/** What the objects of a collection are answered with. */
export const objectsExamples = {
  bundle: {
    summary: 'The first three objects as a bundle; the `Link` header tells where it goes on',
    request: { path: `${collections}/phishing-urls/objects?limit=3` },
    newEachTime: ['id'],
    body: {
      type: 'bundle',
      id: 'bundle--c2a4f7d6-6e1f-4c57-9b0e-8f3a5d1e7b42',
      objects: [marking, publisher, pageIndicator],
    },
  },
  envelope: {
    summary: 'To a TAXII client: a listing that is new since then, and one that has ended',
    request: asked(`${collections}/domain-blacklist/objects?added_after=2026-03-12T09:01:30Z`),
    mediaType: taxii,
    body: { more: false, objects: [newIndicator, endedIndicator] },
  },
  more: {
    summary: 'The first of several pages, of indicators alone',
    request: asked(`${collections}/domain-blacklist/objects?match[type]=indicator&limit=1`),
    mediaType: taxii,
    body: { more: true, next: nextPageOfDomains, objects: [campaignIndicator] },
  },
  level: {
    summary: 'To whoever is level',
    request: asked(
      `${collections}/domain-blacklist/objects?added_after=2026-03-12T09:02:02.000000Z`,
    ),
    mediaType: taxii,
    body: { more: false },
  },
} as const

const badTitle = 'The request cannot be processed'
const badLimit = 'Give a whole number from 1 to 10000.'
const badTime = 'Give a time in UTC, as 2026-03-12T08:00:00.000000Z.'
const badCursor = 'Give the next of an earlier page of this collection.'

/** What is answered with 400. */
export const wrongObjectsExamples = {
  many: {
    summary: 'Several wrong parameters, each named',
    request: asked(`${collections}/campaigns/objects?limit=0&added_after=yesterday`),
    body: taxiiErrorOf(400, badTitle, `added_after: ${badTime} limit: ${badLimit}`, {
      added_after: badTime,
      limit: badLimit,
    }),
  },
  made_up_cursor: {
    summary: 'A cursor that is none of this collection’s',
    request: asked(`${collections}/campaigns/objects?next=made-up`),
    body: taxiiErrorOf(400, badTitle, `next: ${badCursor}`, { next: badCursor }),
  },
} as const

/** What is answered with 403. */
export const writingExamples = {
  writing: {
    summary: 'Whoever wants to add something',
    request: { ...asked(`${collections}/campaigns/objects`), method: 'POST' },
    body: taxiiErrorOf(403, 'Read-only', 'The collections are read-only: can_write is false.'),
  },
} as const

/** What is answered with 405. */
export const otherMethodExamples = {
  other_method: {
    summary: 'A method that is none of the path’s',
    request: { ...asked(`${collections}/campaigns/objects`), method: 'PUT' },
    body: taxiiErrorOf(405, 'Method Not Allowed', 'This path answers GET, HEAD, POST only.'),
  },
} as const

/** What is answered with 404. */
export const unknownCollectionExamples = {
  unknown_collection: {
    summary: 'A collection that there is not',
    request: asked(`${collections}/everything/objects`),
    body: taxiiErrorOf(
      404,
      'Not found',
      'There is no such collection; collections/ lists the existing ones.',
    ),
  },
} as const
