/**
 * The outermost layer of an endpoint: reports how every call was answered, and nothing of what was asked.
 *
 * Observers get the path of the definition (`/lists/:name`), never that of the request, so that the labels of counts
 * and logs come from a bounded set. The time is that until the answer begins; a long body is sent after it.
 */

import type { Answering, Handler } from './endpoint.ts'

/** Called for every answer; must not throw. */
export interface AnswerObserver {
  noteAnswer(route: string, method: string, status: number, seconds: number): void
}

/** The route of every path that is not an endpoint's. */
export const otherRoute = 'other'

/**
 * Returns `inner` with each of its answers reported to `observers`; `now` returns milliseconds that never go
 * back. A call that fails counts as 500, which is what the server then answers.
 */
export function observed(
  inner: Handler,
  route: string,
  observers: readonly AnswerObserver[],
  now: () => number,
): Handler {
  const note = ({ method }: Request, status: number, startedAt: number): void => {
    const seconds = (now() - startedAt) / 1000
    for (const observer of observers) observer.noteAnswer(route, method, status, seconds)
  }
  return (request, path): Answering => {
    const startedAt = now()
    const failed = (error: unknown): never => {
      note(request, 500, startedAt)
      throw error
    }
    const answered = (response: Response): Response => {
      note(request, response.status, startedAt)
      return response
    }
    try {
      const response = inner(request, path)
      return response instanceof Promise ? response.then(answered, failed) : answered(response)
    } catch (error) {
      return failed(error)
    }
  }
}
