/** Examples of the TAXII paths. */

const root = '/api/taxii/2.1'
const collections = `${root}/collections`
const taxii = 'application/taxii+json;version=2.1'
/** A request of a TAXII client. */
const asked = (path: string) => ({ path, headers: { accept: taxii } }) as const

/** Where the bundle of three objects goes on. */
export const nextBundlePath = `${collections}/phishing-urls/objects/?limit=3&next=MSBwaGlzaGluZy11cmxzIDE3NzMzMDI0NjAwMDAwMTcgW251bGwsbnVsbCxudWxsLG51bGxd`

/** Where the first page of one indicator ends. */
export const nextPageOfDomains =
  'MSBkb21haW4tYmxhY2tsaXN0IDE3NzMzMDI0NjAwMDAwMDUgW251bGwsImluZGljYXRvciIsbnVsbCxudWxsXQ'

/** What discovery answers with 200. */
export const discoveryExamples = {
  discovery: {
    summary: 'The API root with its discovery document',
    request: asked(root),
  },
} as const

/** What the listing of the collections answers with 200. */
export const collectionsExamples = {
  collections: {
    summary: 'The three collections',
    request: asked(collections),
  },
} as const

/** What the objects of a collection are answered with. */
export const objectsExamples = {
  bundle: {
    summary: 'The first three objects as a bundle; the `Link` header leads to the next page',
    request: { path: `${collections}/phishing-urls/objects?limit=3` },
    newEachTime: ['id'],
  },
  envelope: {
    summary: 'To a TAXII client: a listing that is new since then, and one that has ended',
    request: asked(`${collections}/domain-blacklist/objects?added_after=2026-03-12T09:01:30Z`),
    mediaType: taxii,
  },
  more: {
    summary: 'The first of several pages, indicators only',
    request: asked(`${collections}/domain-blacklist/objects?match[type]=indicator&limit=1`),
    mediaType: taxii,
  },
  level: {
    summary: 'No additions since then',
    request: asked(
      `${collections}/domain-blacklist/objects?added_after=2026-03-12T09:02:02.000000Z`,
    ),
    mediaType: taxii,
  },
} as const

/** What is answered with 400. */
export const wrongObjectsExamples = {
  many: {
    summary: 'Several wrong parameters, each named',
    request: asked(`${collections}/campaigns/objects?limit=0&added_after=yesterday`),
  },
  made_up_cursor: {
    summary: 'A cursor of another collection',
    request: asked(`${collections}/campaigns/objects?next=made-up`),
  },
} as const

/** What is answered with 403. */
export const writingExamples = {
  writing: {
    summary: 'An attempt to add objects',
    request: { ...asked(`${collections}/campaigns/objects`), method: 'POST' },
  },
} as const

/** What is answered with 405. */
export const otherMethodExamples = {
  other_method: {
    summary: 'A method that the path does not accept',
    request: { ...asked(`${collections}/campaigns/objects`), method: 'PUT' },
  },
} as const

/** What is answered with 404. */
export const unknownCollectionExamples = {
  unknown_collection: {
    summary: 'An unknown collection',
    request: asked(`${collections}/everything/objects`),
  },
} as const
