/**
 * GET /lists/…: everything that is published, as whole files for name servers and blockers. The system
 * sends them from where they lie, so that an answer takes no memory.
 */

import { Elysia } from 'elysia'
import { type FullLists, ListError, type ListFile } from '../../publish/full-lists.ts'
import type { ListVersion } from '../../publish/list-file.ts'
import { type ListName, listNames } from '../../publish/list-formats.ts'
import { headersWith } from '../answer.ts'
import { codingFor } from '../compression.ts'
import { cacheHeaders, isNotModified, type Validators, validatorsOf } from '../conditional.ts'
import { unavailable } from '../problem.ts'

const pathOfList = (name: ListName): string => `/lists/${name}`

/** The path of every full list. */
export const listsPaths: readonly string[] = listNames.map(pathOfList)

/** As often as a list is worth fetching again. */
const cacheControl = 'public, max-age=300'

export interface ListsServices {
  readonly lists: Pick<FullLists, 'version' | 'plain' | 'coded'>
  readonly publicUrl: string
  readonly version: string
  now(): number
}

const secondMs = 1_000

const isConditional = ({ headers }: Request): boolean =>
  headers.has('if-none-match') || headers.has('if-modified-since')

/** The routes; GET and HEAD. */
export function listsRoute(services: ListsServices) {
  const { lists, publicUrl, version: build } = services
  /** Sending takes so little that writing the same headers again would show. */
  const headersOfFiles = new WeakMap<ListFile, Headers>()

  // One tag for all codings: it is weak, and names the version alone.
  const validatorsFor = (name: ListName, list: ListVersion): Validators =>
    validatorsOf([name, list, publicUrl, build], list.changedAt, services.now())

  const headersFor = (validators: Validators): Headers =>
    headersWith(cacheHeaders(cacheControl, validators))

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
    // Bun would send a part of the file to whoever asks for one: put behind the part of an older list
    // that would make names nobody listed. An answer that tells its range already is sent whole.
    if (request.headers.has('range')) {
      response.headers.set('content-range', `bytes 0-${file.bytes - 1}/${file.bytes}`)
    }
    return response
  }

  const answer = async (request: Request, name: ListName): Promise<Response> => {
    try {
      return await send(request, name)
    } catch (error) {
      if (!(error instanceof ListError)) throw error
      return unavailable('The list cannot be had at the moment.', error.retryAfterSeconds)
    }
  }

  const routes = new Elysia({ name: 'route.lists', normalize: false })
  for (const name of listNames) {
    routes
      .get(pathOfList(name), ({ request }) => answer(request, name))
      .head(pathOfList(name), ({ request }) => answer(request, name))
  }
  return routes
}
