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
  const headersOf = (name: ListName, list: ListVersion): Headers => {
    const { etag, lastModified } = validators(name, list)
    return headersWith({
      'cache-control': cacheControl,
      vary: 'accept-encoding',
      etag,
      'last-modified': new Date(lastModified).toUTCString(),
    })
  }

  const validators = (name: ListName, list: ListVersion): Validators =>
    validatorsOf([name, list, publicUrl, build], list.changedAt, services.now())

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
