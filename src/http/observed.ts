/**
 * The outermost layer of the app: sees how every call was answered, and tells nothing of what it asked.
 *
 * Who observes hears the template of the route (`/lists/:name`), never a path, so that what is counted
 * and logged comes from a bounded set. The time is that until the answer begins; a long body goes on
 * after it.
 */

import { type Handler, pathOf } from './gate.ts'

/** Hears of every answer; must not throw. */
export interface AnswerObserver {
  noteAnswer(route: string, method: string, status: number, seconds: number): void
}

/** The route of every path that weir does not have. */
export const otherRoute = 'other'

/** How many segments of a path are looked at; templates have fewer. */
const segmentsMax = 12

function matches(template: readonly string[], segments: readonly string[]): boolean {
  const isOpen = template.at(-1) === '*'
  if (isOpen ? segments.length < template.length : segments.length !== template.length) return false
  return template.every(
    (part, index) =>
      part === '*' || (part.startsWith(':') ? segments[index] !== '' : part === segments[index]),
  )
}

/**
 * Returns a function from a request's URL to the template of its route, `other` where there is none.
 *
 * A path without parameters takes one look-up; the others are compared in turn.
 */
export function createRouteOf(templates: readonly string[]): (url: string) => string {
  const exact = new Set<string>()
  const open: { readonly template: string; readonly parts: readonly string[] }[] = []
  for (const template of templates) {
    if (/[:*]/.test(template)) open.push({ template, parts: template.split('/') })
    else exact.add(template)
  }
  return (url) => {
    const path = pathOf(url)
    if (exact.has(path)) return path
    const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
    if (exact.has(plain)) return plain
    const segments = plain.split('/', segmentsMax)
    return open.find(({ parts }) => matches(parts, segments))?.template ?? otherRoute
  }
}

/**
 * Returns `inner` with `observers` told of each of its answers; `now` gives milliseconds that never go
 * back. A call that fails counts as 500, which is what the server then answers.
 */
export function observed(
  inner: Handler,
  routeOf: (url: string) => string,
  observers: readonly AnswerObserver[],
  now: () => number,
): Handler {
  const tell = ({ url, method }: Request, status: number, startedAt: number): void => {
    const seconds = (now() - startedAt) / 1000
    const route = routeOf(url)
    for (const observer of observers) observer.noteAnswer(route, method, status, seconds)
  }
  const settled = async (
    request: Request,
    settling: Promise<Response>,
    startedAt: number,
  ): Promise<Response> => {
    try {
      const response = await settling
      tell(request, response.status, startedAt)
      return response
    } catch (error) {
      tell(request, 500, startedAt)
      throw error
    }
  }
  return (request) => {
    const startedAt = now()
    try {
      const response = inner(request)
      if (response instanceof Promise) return settled(request, response, startedAt)
      tell(request, response.status, startedAt)
      return response
    } catch (error) {
      tell(request, 500, startedAt)
      throw error
    }
  }
}
