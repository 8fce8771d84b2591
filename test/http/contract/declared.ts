/** What the definition of an endpoint says against an answer that a test has received, whatever was asked. */

import { corsPrefix } from '../../../src/http/cors.ts'
import { endpoints } from '../../../src/http/endpoints/endpoints.ts'
import { pageEndpoint } from '../../../src/http/endpoints/service.ts'
import { feedPages } from '../../../src/web/feed-pages.ts'
import { everywhere } from '../scenario.ts'
import { Documented, type ReadAnswer } from './documented.ts'
import type { Defined } from './probes.ts'

const instance = { publicUrl: 'https://weir.example.org', version: '0.0.0' }

const pages = feedPages(instance).map(({ path }) =>
  pageEndpoint({ id: path.replaceAll('/', '-'), path, summary: '', description: '' }),
)

/** A path without parameters is matched before one with them. */
const isFixed = ({ path }: Defined): number => (path.includes(':') ? 1 : 0)

const all: readonly Defined[] = [...endpoints, ...pages].sort((a, b) => isFixed(a) - isFixed(b))

/** Finds endpoints, and compares answers with their declarations. */
export class Declarations {
  readonly #all: readonly Defined[]
  readonly #documented: Documented

  constructor(declared: readonly Defined[] = all) {
    this.#all = declared
    this.#documented = new Documented({ ...instance, limits: {} }, declared)
  }

  /** Returns everything in an answer that is not declared. */
  complaints(method: string, pathname: string, answer: ReadAnswer): string[] {
    if (isOfServer(answer)) return []
    const missing = Object.entries(everywhere).filter(
      ([name, value]) => answer.headers.get(name) !== value,
    )
    return [
      ...missing.map(([name]) => `${name} is missing`),
      ...this.#own(method, pathname.replace(/(?<=.)\/$/, ''), answer),
    ]
  }

  #own(method: string, pathname: string, answer: ReadAnswer): string[] {
    if (method === 'OPTIONS' && pathname.startsWith(corsPrefix)) {
      return answer.status === 204 && answer.text === '' ? [] : ['a preflight is answered by 204']
    }
    const isHead = method === 'HEAD'
    const wanted = isHead ? 'get' : method.toLowerCase()
    const siblings = this.#all.filter(({ path }) => matches(path, pathname))
    const [first] = siblings
    if (first === undefined) return this.#unknown(pathname, answer, isHead)
    const endpoint = siblings.find((each) => each.method === wanted && each.path === first.path)
    const said = endpoint ?? first
    if (endpoint === undefined && answer.status < 400) return [`${method} is not declared`]
    // A body that no endpoint reads may be too long for all.
    const isOther = answer.status === 413 && said.bodyBytesMax === undefined
    return this.#complaints(said, answer, isHead, isOther)
  }

  /** Unknown paths are 404, and below some prefixes they have the limit of an endpoint. */
  #unknown(pathname: string, answer: ReadAnswer, isHead: boolean): string[] {
    const limited = this.#all.find(
      ({ limitsBelow }) =>
        limitsBelow !== undefined && `${pathname}/`.startsWith(`${limitsBelow}/`),
    )
    const said = limited ?? this.#all.find(({ policy }) => policy === null)
    if (said === undefined) throw new Error('no endpoint is without a limit')
    const isOther = answer.status === 404 || answer.status === 413
    return this.#complaints(said, answer, isHead, isOther)
  }

  #complaints(
    { method, path }: Defined,
    answer: ReadAnswer,
    isHead: boolean,
    isOther: boolean,
  ): string[] {
    const status = isOther ? 'default' : String(answer.status)
    return this.#documented.complaints(method, path, answer, isHead, status)
  }
}

/** Reports whether the server beneath weir has refused a request that weir has never seen. */
const isOfServer = ({ status, headers, text }: ReadAnswer): boolean =>
  [400, 413, 431, 505].includes(status) && text === '' && headers.get('content-type') === null

function matches(path: string, pathname: string): boolean {
  const segments = pathname.split('/')
  const named = path.split('/')
  return (
    named.length === segments.length &&
    named.every((name, index) => name.startsWith(':') || name === segments[index])
  )
}
