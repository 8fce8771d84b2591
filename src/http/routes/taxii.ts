/**
 * TAXII 2.1 under two roots: the specification's (§4, `/api/taxii/2.1/`), which is discovery and API root in
 * one and gives a STIX bundle to whoever does not ask for TAXII, and the standard's (`/taxii2/` with
 * `/taxii2/feeds/`), whose collections have UUIDs and which speaks TAXII alone.
 */

import { Elysia } from 'elysia'
import type { Result } from '../../model/result.ts'
import type { Pieces } from '../../publish/object-writing.ts'
import { type StixObject, stixMediaType } from '../../publish/stix.ts'
import {
  type CollectionDescription,
  collectionNamed,
  type TaxiiPage,
  type TaxiiQuery,
  type TaxiiReader,
  type TaxiiRefusal,
  taxiiMediaType,
  versionsText,
} from '../../publish/taxii.ts'
import { jsonText } from '../../publish/wire.ts'
import { headersWith } from '../answer.ts'
import type { FieldError } from '../problem.ts'
import { streamedAnswer } from '../streamed.ts'
import { type Accepted, acceptedBy } from '../taxii-accept.ts'
import { TaxiiDocuments } from '../taxii-documents.ts'
import {
  badTaxiiRequest,
  type TaxiiRoot,
  taxiiDiscoveryPath,
  taxiiError,
  taxiiRootPaths,
} from '../taxii-error.ts'
import { readTaxiiQuery, refusedBy } from '../taxii-query.ts'

export interface TaxiiServices {
  readonly taxii: Pick<
    TaxiiReader,
    'object' | 'objectPage' | 'page' | 'envelope' | 'manifest' | 'bundle'
  >
  readonly publicUrl: string
  now(): number
}

/** What a path names; an escape that cannot be decoded is null. */
type PathParameters = Readonly<Record<string, string | null | undefined>>

/** A request for something in a collection. */
interface Asked {
  readonly request: Request
  readonly root: TaxiiRoot
  readonly accepted: Accepted
  readonly collection: CollectionDescription
  /** The collection as the path names it. */
  readonly segment: string
}

type Answer = Response | Promise<Response>

const headersOf = (mediaType: string, others: Readonly<Record<string, string>> = {}): Headers =>
  headersWith({
    'content-type': mediaType,
    'cache-control': 'no-store',
    vary: 'accept, accept-encoding',
    ...others,
  })

const taxiiAnswer = (value: unknown): Response =>
  new Response(jsonText(value), { headers: headersOf(taxiiMediaType) })

const unknownCollection = (): Response =>
  taxiiError(404, 'There is no such collection; collections/ lists those that there are.')

const unknownObject = (): Response =>
  taxiiError(404, 'There is no object with this id in the collection.')

const readingOnly = (): Response =>
  taxiiError(403, 'The collections are for reading only: can_write is false.')

const added = ({ addedFirst, addedLast }: TaxiiPage): Readonly<Record<string, string>> => ({
  'x-taxii-date-added-first': addedFirst,
  'x-taxii-date-added-last': addedLast,
})

/** Answers the requests of both roots. */
class TaxiiHandlers {
  readonly #services: TaxiiServices
  readonly #documents: TaxiiDocuments

  constructor(services: TaxiiServices) {
    this.#services = services
    this.#documents = new TaxiiDocuments(services.publicUrl)
  }

  discovery(request: Request, root: TaxiiRoot): Answer {
    return this.#accepted(request, () => taxiiAnswer(this.#documents.discovery(root)))
  }

  apiRoot(request: Request, root: TaxiiRoot): Answer {
    return this.#accepted(request, () => taxiiAnswer(this.#documents.apiRoot(root)))
  }

  collections(request: Request, root: TaxiiRoot): Answer {
    return this.#accepted(request, () => taxiiAnswer(this.#documents.collections(root)))
  }

  collection(request: Request, root: TaxiiRoot, path: PathParameters): Answer {
    return this.#asked(request, root, path, ({ collection, segment }) =>
      taxiiAnswer(this.#documents.collection(collection, segment)),
    )
  }

  manifest(request: Request, root: TaxiiRoot, path: PathParameters): Answer {
    return this.#listed(request, root, path, (page) =>
      this.#streamed(request, page, this.#services.taxii.manifest(page)),
    )
  }

  objects(request: Request, root: TaxiiRoot, path: PathParameters): Answer {
    return this.#listed(request, root, path, (page, query, asked) =>
      root === 'standard' || asked.accepted === 'taxii'
        ? this.#envelope(request, page)
        : this.#bundle(asked, page, query),
    )
  }

  object(request: Request, root: TaxiiRoot, path: PathParameters): Answer {
    return this.#one(request, root, path, (_object, page) => this.#envelope(request, page))
  }

  versions(request: Request, root: TaxiiRoot, path: PathParameters): Answer {
    return this.#one(request, root, path, (object, page) => {
      const headers = headersOf(taxiiMediaType, added(page))
      return new Response(versionsText(page, object), { headers })
    })
  }

  /** Refuses whoever accepts nothing of what weir has. */
  #accepted(request: Request, answer: (accepted: Accepted) => Answer): Answer {
    const accepted = acceptedBy(request.headers.get('accept'))
    if (accepted !== 'none') return answer(accepted)
    return taxiiError(406, `Accept ${taxiiMediaType}: weir speaks no other version of TAXII.`)
  }

  #asked(
    request: Request,
    root: TaxiiRoot,
    path: PathParameters,
    answer: (asked: Asked) => Answer,
  ): Answer {
    const segment = path['collection'] ?? ''
    const collection = collectionNamed(segment)
    if (collection === null) return unknownCollection()
    return this.#accepted(request, (accepted) =>
      answer({ request, root, accepted, collection, segment }),
    )
  }

  /** Answers with a page of a collection. */
  #listed(
    request: Request,
    root: TaxiiRoot,
    path: PathParameters,
    answer: (page: TaxiiPage, query: TaxiiQuery, asked: Asked) => Answer,
  ): Answer {
    const services = this.#services
    return this.#asked(request, root, path, (asked) =>
      this.#paged(
        asked,
        (query) => services.taxii.page(asked.collection.name, query, services.now()),
        (page, query) => answer(page, query, asked),
      ),
    )
  }

  #paged(
    { request, root }: Asked,
    read: (query: TaxiiQuery) => Result<TaxiiPage, TaxiiRefusal>,
    answer: (page: TaxiiPage, query: TaxiiQuery) => Answer,
  ): Answer {
    const errors: FieldError[] = []
    const query = readTaxiiQuery(request.url, root, errors)
    if (errors.length > 0) return badTaxiiRequest(errors)
    const page = read(query)
    return page.ok ? answer(page.value, query) : badTaxiiRequest([refusedBy(page.reason)])
  }

  /** Answers for one object, which has to be in the collection. */
  #one(
    request: Request,
    root: TaxiiRoot,
    path: PathParameters,
    answer: (object: StixObject, page: TaxiiPage) => Answer,
  ): Answer {
    return this.#asked(request, root, path, (asked) => {
      const { name } = asked.collection
      const object = this.#services.taxii.object(name, path['object'] ?? '')
      if (object === null) return unknownObject()
      return this.#paged(
        asked,
        (query) => this.#services.taxii.objectPage(name, object, query),
        (page) => answer(object, page),
      )
    })
  }

  #envelope(request: Request, page: TaxiiPage): Answer {
    return this.#streamed(request, page, this.#services.taxii.envelope(page))
  }

  #streamed(request: Request, page: TaxiiPage, pieces: Pieces): Answer {
    return streamedAnswer(request, pieces, headersOf(taxiiMediaType, added(page)))
  }

  /** A bundle cannot say that there is more: a `Link` does. */
  #bundle({ request, segment }: Asked, page: TaxiiPage, { limit }: TaxiiQuery): Answer {
    const headers = headersOf(stixMediaType, added(page))
    if (page.next !== null) {
      const path = `${taxiiRootPaths.specification}/collections/${segment}/objects/`
      const address = `${this.#services.publicUrl}${path}?limit=${limit}&next=${page.next}`
      headers.set('link', `<${address}>; rel="next"`)
    }
    return streamedAnswer(request, this.#services.taxii.bundle(page, crypto.randomUUID()), headers)
  }
}

/** The routes of one root, below its address. */
function rootRoutes(handlers: TaxiiHandlers, root: TaxiiRoot) {
  const base = taxiiRootPaths[root]
  const routes = new Elysia({ name: `route.taxii.${root}`, normalize: false })
  const read = (path: string, answer: (request: Request, path: PathParameters) => Answer): void => {
    routes
      .get(`${base}${path}`, ({ request, params }) => answer(request, params))
      .head(`${base}${path}`, ({ request, params }) => answer(request, params))
  }
  read('', (request) => handlers.apiRoot(request, root))
  // Nothing can be sent here, so that there is nothing to be told of.
  read('/status/:status', () => taxiiError(404, 'There is no such status: nothing can be added.'))
  read('/collections', (request) => handlers.collections(request, root))
  read('/collections/:collection', (request, path) => handlers.collection(request, root, path))
  read('/collections/:collection/manifest', (request, path) =>
    handlers.manifest(request, root, path),
  )
  read('/collections/:collection/objects', (request, path) => handlers.objects(request, root, path))
  read('/collections/:collection/objects/:object', (request, path) =>
    handlers.object(request, root, path),
  )
  read('/collections/:collection/objects/:object/versions', (request, path) =>
    handlers.versions(request, root, path),
  )
  const refuse = (collection: string | null | undefined): Response =>
    collectionNamed(collection ?? '') === null ? unknownCollection() : readingOnly()
  routes
    .post(`${base}/collections/:collection/objects`, ({ params }) => refuse(params.collection), {
      parse: 'none',
    })
    .delete(`${base}/collections/:collection/objects/:object`, ({ params }) =>
      refuse(params.collection),
    )
  return routes
}

/** The routes of TAXII; GET and HEAD, and the refusals of writing. */
export function taxiiRoutes(services: TaxiiServices) {
  const handlers = new TaxiiHandlers(services)
  return new Elysia({ name: 'route.taxii', normalize: false })
    .get(taxiiDiscoveryPath, ({ request }) => handlers.discovery(request, 'standard'))
    .head(taxiiDiscoveryPath, ({ request }) => handlers.discovery(request, 'standard'))
    .use(rootRoutes(handlers, 'specification'))
    .use(rootRoutes(handlers, 'standard'))
}
