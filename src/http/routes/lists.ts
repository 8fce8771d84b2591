/**
 * GET /lists/…: everything that is published, as whole files for name servers and blockers. The system
 * sends them from where they lie, so that an answer takes no memory.
 */

import { Elysia } from 'elysia'
import { type FullLists, ListError } from '../../publish/full-lists.ts'
import type { ListVersion } from '../../publish/list-file.ts'
import { type ListName, listNames } from '../../publish/list-formats.ts'
import { headersWith } from '../answer.ts'
import { codingFor } from '../compression.ts'
import { isNotModified, type Validators, validatorsOf } from '../conditional.ts'
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

/** The routes; GET and HEAD. */
export function listsRoute(services: ListsServices) {
  const { lists, publicUrl, version: build } = services

  // One tag for all codings: it is weak, and names the version alone.
  const validators = (name: ListName, list: ListVersion): Validators =>
    validatorsOf([name, list, publicUrl, build], list.changedAt, services.now())

  const headersOf = ({ etag, lastModified }: Validators): Headers =>
    headersWith({
      'cache-control': cacheControl,
      vary: 'accept-encoding',
      etag,
      'last-modified': new Date(lastModified).toUTCString(),
    })

  const send = async (request: Request, name: ListName): Promise<Response> => {
    const known = validators(name, lists.version(name))
    if (isNotModified(request.headers, known)) {
      return new Response(null, { status: 304, headers: headersOf(known) })
    }
    const plain = await lists.plain(name, publicUrl)
    const coding = codingFor(request, plain.bytes)
    const file = coding === null ? plain : await lists.coded(plain, coding)
    const headers = headersOf(validators(name, file.version))
    headers.set('content-type', 'text/plain; charset=utf-8')
    if (file.coding !== null) headers.set('content-encoding', file.coding)
    // Bun would send a part of the file to whoever asks for one: put behind the part of an older list
    // that would make names nobody listed. An answer that tells its range already is sent whole.
    if (request.headers.has('range')) {
      headers.set('content-range', `bytes 0-${file.bytes - 1}/${file.bytes}`)
    }
    return new Response(Bun.file(file.path), { headers })
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
