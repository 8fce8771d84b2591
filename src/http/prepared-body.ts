/**
 * A body that is sent again and again: compressed once for each coding that is asked for, and never
 * copied, as an array of bytes would be for each answer.
 */

import { type Coding, codingFor, compress } from './compression.ts'

/** A body, plain and as far as it has been asked for compressed. */
export class PreparedBody {
  readonly #plain: Blob
  readonly #coded = new Map<Coding, Promise<Blob>>()

  constructor(text: string) {
    this.#plain = new Blob([text])
  }

  /**
   * Answers 200 with the body, compressed when it is long and the request allows it. That the answer
   * varies by `Accept-Encoding` is for the caller to say, since a 304 must say it too.
   */
  answer(request: Request, headers: Headers): Response | Promise<Response> {
    const coding = codingFor(request, this.#plain.size)
    if (coding === null) return new Response(this.#plain, { headers })
    headers.set('content-encoding', coding)
    return this.#in(coding).then((body) => new Response(body, { headers }))
  }

  #in(coding: Coding): Promise<Blob> {
    const known = this.#coded.get(coding)
    if (known !== undefined) return known
    const coded = this.#compress(coding)
    this.#coded.set(coding, coded)
    // What failed once may succeed the next time.
    coded.catch(() => this.#coded.delete(coding))
    return coded
  }

  async #compress(coding: Coding): Promise<Blob> {
    return new Blob([await compress(await this.#plain.bytes(), coding)])
  }
}
