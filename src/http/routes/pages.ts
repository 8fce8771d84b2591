/**
 * The pages that people look at: GET and HEAD. Each is rendered when it is first asked for, and compressed
 * once in each coding, so that a start does not wait for it and reading it costs next to nothing.
 */

import { Elysia } from 'elysia'
import { StaticAnswer } from '../static-answer.ts'

/** A page that is the same for everyone. */
export interface Page {
  readonly path: string
  /** All that the page may load and do. */
  readonly contentSecurityPolicy: string
  /** Returns the page as HTML; asked once, when somebody wants to see it. */
  render(): string | Promise<string>
}

export interface PagesServices {
  readonly pages: readonly Page[]
  now(): number
}

/** Returns what answers requests for a page. */
function answering(page: Page, now: () => number): (request: Request) => Promise<Response> {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': page.contentSecurityPolicy,
  }
  let rendered: Promise<StaticAnswer> | null = null
  const render = async (): Promise<StaticAnswer> =>
    new StaticAnswer(await page.render(), headers, now)
  return async (request) => {
    rendered ??= render()
    return (await rendered).to(request)
  }
}

/** The routes; GET and HEAD. */
export function pagesRoute({ pages, now }: PagesServices) {
  const routes = new Elysia({ name: 'route.pages', normalize: false })
  for (const page of pages) {
    const answer = answering(page, now)
    routes.get(page.path, ({ request }) => answer(request))
    routes.head(page.path, ({ request }) => answer(request))
  }
  return routes
}
