/** An answer that stays the same while the process runs: documents and pages. */

import { headersWith } from './answer.ts'
import { cacheHeaders, createValidators, isNotModified } from './conditional.ts'
import { PreparedBody } from './prepared-body.ts'

/** Short, so that a new version is seen soon after it is installed. */
export const staticSeconds = 300

/** A text with its headers, which is sent many times. */
export class StaticAnswer {
  readonly #body: PreparedBody
  readonly #headers: Readonly<Record<string, string>>
  readonly #version: string
  readonly #writtenAt: number
  readonly #now: () => number

  /** `headers` describe the text; the content type is one of them. */
  constructor(text: string, headers: Readonly<Record<string, string>>, now: () => number) {
    this.#body = new PreparedBody(text)
    this.#headers = headers
    this.#version = Bun.hash(text + JSON.stringify(headers)).toString(36)
    this.#writtenAt = now()
    this.#now = now
  }

  /** Answers a request: 304 if the client has this version, compressed if the client accepts that. */
  to(request: Request): Response | Promise<Response> {
    const validators = createValidators([this.#version], this.#writtenAt, this.#now())
    const headers = headersWith({ ...this.#headers, ...cacheHeaders(staticSeconds, validators) })
    if (!isNotModified(request.headers, validators)) return this.#body.answer(request, headers)
    headers.delete('content-type')
    return new Response(null, { status: 304, headers })
  }
}
