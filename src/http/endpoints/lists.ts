/**
 * GET /lists/…: everything that is published, as whole files for name servers and blockers; one endpoint for each file.
 * The system sends them from disk, so that an answer takes no memory.
 */

import { Type } from '@sinclair/typebox'
import { type FullLists, ListError, type ListFile } from '../../publish/lists/full-lists.ts'
import type { ListVersion } from '../../publish/lists/list-file.ts'
import type { ListName } from '../../publish/lists/list-formats.ts'
import { headersWith } from '../answer.ts'
import { codingFor } from '../compression.ts'
import {
  type CacheValidators,
  cacheHeaders,
  createValidators,
  isNotModified,
} from '../conditional.ts'
import {
  cachedHeaders,
  conditionalHeaders,
  contentEncoding,
  contentRange,
  limitHeaders,
} from '../contract/headers.ts'
import { refusals, unchanged } from '../contract/problems.ts'
import { type Answering, endpoint } from '../endpoint.ts'
import { unavailable } from '../problem.ts'

/** How often fetching a list again is worth it. */
const keptSeconds = 300

/** Waiting for a list to be written takes no memory. */
const inFlightMax = 32

const fileHeaders = [...cachedHeaders(keptSeconds), ...limitHeaders] as const

const about =
  'Everything that is published and may be blocked, in one file: shared platforms are left out. It begins ' +
  'with comments that state its title, version, time, number of entries, licence and sources. Ask with ' +
  '`If-None-Match`: an unchanged list answers 304.'

/** The facts that differ between lists. */
interface ListEndpointFacts {
  readonly id: string
  readonly name: ListName
  readonly summary: string
  readonly syntax: string
}

interface ListsServices {
  readonly lists: Pick<FullLists, 'version' | 'plain' | 'coded'>
  readonly publicUrl: string
  readonly version: string
  now(): number
}

const secondMs = 1_000

const isConditional = ({ headers }: Request): boolean =>
  headers.has('if-none-match') || headers.has('if-modified-since')

/** Returns the function that answers with a list. */
function createSender(services: ListsServices) {
  const { lists, publicUrl, version: build } = services
  /** Sending takes so little time that writing the same headers again is noticeable. */
  const headersOfFiles = new WeakMap<ListFile, Headers>()

  // One tag for all codings: it is weak, and names the version alone.
  const validatorsFor = (name: ListName, list: ListVersion): CacheValidators =>
    createValidators([name, list, publicUrl, build], list.changedAt, services.now())

  const headersFor = (validators: CacheValidators): Headers =>
    headersWith(cacheHeaders(keptSeconds, validators))

  const headersOf = (file: ListFile): Headers => {
    const known = headersOfFiles.get(file)
    if (known !== undefined) return known
    const validators = validatorsFor(file.name, file.version)
    const headers = headersFor(validators)
    headers.set('content-type', 'text/plain; charset=utf-8')
    if (file.coding !== null) headers.set('content-encoding', file.coding)
    // In the second of the change the date is one second earlier than it is afterwards.
    const isSettled = file.version.changedAt - validators.lastModified < secondMs
    if (isSettled) headersOfFiles.set(file, headers)
    return headers
  }

  const send = async (request: Request, name: ListName): Promise<Response> => {
    if (isConditional(request)) {
      const validators = validatorsFor(name, lists.version(name))
      if (isNotModified(request.headers, validators)) {
        return new Response(null, { status: 304, headers: headersFor(validators) })
      }
    }
    const plain = await lists.plain(name, publicUrl)
    const coding = codingFor(request, plain.bytes)
    const file = coding === null ? plain : await lists.coded(plain, coding)
    const response = new Response(Bun.file(file.path), { headers: headersOf(file) })
    // Bun would send a part of the file to a client that asks for one: appended to a part of an older list it could
    // form names that no list contains. An answer that states its range itself is sent whole.
    if (request.headers.has('range')) {
      response.headers.set('content-range', `bytes 0-${file.bytes - 1}/${file.bytes}`)
    }
    return response
  }

  return async (request: Request, name: ListName): Promise<Response> => {
    try {
      return await send(request, name)
    } catch (error) {
      if (!(error instanceof ListError)) throw error
      return unavailable('The list is temporarily unavailable.', error.retryAfterSeconds)
    }
  }
}

const list = <const File extends ListEndpointFacts>({ id, name, summary, syntax }: File) =>
  endpoint({
    id,
    method: 'get',
    path: `/lists/${name}` as `/lists/${File['name']}`,
    tag: 'Lists',
    summary,
    description: about,
    policy: 'LISTS',
    costly: { class: 'lists', inFlightMax },
    requestHeaders: conditionalHeaders,
    answers: {
      200: {
        description: 'The whole list.',
        headers: [...fileHeaders, contentEncoding, contentRange],
        content: { 'text/plain; charset=utf-8': Type.String({ description: syntax }) },
        examples: {
          list: {
            summary: 'The list of an instance with few listings',
            request: { path: `/lists/${name}` },
          },
          range: {
            summary: 'A request for a part is answered with the whole list',
            request: { path: `/lists/${name}`, headers: { range: 'bytes=0-99' } },
          },
        },
      },
      304: unchanged(fileHeaders, { path: `/lists/${name}`, headers: { 'if-none-match': '*' } }),
      ...refusals,
    },
    handler: (services: ListsServices) => {
      const send = createSender(services)
      return ({ request }): Answering => send(request, name)
    },
  })

/** The endpoints of all lists. */
export const listEndpoints = [
  list({
    id: 'downloadDomains',
    name: 'domains.txt',
    summary: 'All domains, one a line',
    syntax: 'One domain a line after comments that begin with `#`.',
  }),

  list({
    id: 'downloadHosts',
    name: 'domains.hosts',
    summary: 'All domains as a hosts file',
    syntax: '`0.0.0.0 domain`, one a line, after comments that begin with `#`.',
  }),

  list({
    id: 'downloadAdblock',
    name: 'domains.adblock',
    summary: 'All domains as filters for ad blockers',
    syntax: '`||domain^`, one a line, after comments that begin with `!`.',
  }),

  list({
    id: 'downloadDnsmasq',
    name: 'domains.dnsmasq',
    summary: 'All domains as settings of dnsmasq',
    syntax: '`local=/domain/`, one a line: the name and all below it have no address.',
  }),

  list({
    id: 'downloadUnbound',
    name: 'domains.unbound',
    summary: 'All domains as settings of Unbound',
    syntax: '`local-zone: "domain" always_nxdomain`, one a line, in a `server:` clause.',
  }),

  list({
    id: 'downloadRpz',
    name: 'domains.rpz',
    summary: 'All domains as a response policy zone',
    syntax:
      'A zone file: `domain CNAME .` and `*.domain CNAME .`; its serial grows with each version.',
  }),

  list({
    id: 'downloadUrls',
    name: 'urls.txt',
    summary: 'All listed pages, one URL a line',
    syntax: 'One canonical URL a line after comments that begin with `#`.',
  }),
] as const
