/**
 * The guide: the README and the files of `docs/` as pages, one page per file. The files are imported as
 * text, so that the executable contains them, and rendered when a page is first requested.
 *
 *     docs/checking.md ──Bun.markdown──▶ HTML ──links, tables, programs──▶ /docs/checking
 *
 * What the files contain for readers of the source is adapted to readers of the page: links between
 * files lead to pages, the default address becomes that of this instance, `GET /path` links to the
 * reference, and a list of links to programs becomes the programs themselves.
 */

import api from '../../docs/api.md' with { type: 'text' }
import checking from '../../docs/checking.md' with { type: 'text' }
import decisions from '../../docs/decisions.md' with { type: 'text' }
import lists from '../../docs/lists-and-sync.md' with { type: 'text' }
import operating from '../../docs/operating.md' with { type: 'text' }
import performance from '../../docs/performance.md' with { type: 'text' }
import search from '../../docs/search-feeds-reports.md' with { type: 'text' }
import sources from '../../docs/sources-and-formats.md' with { type: 'text' }
import stix from '../../docs/stix-taxii.md' with { type: 'text' }
import readme from '../../README.md' with { type: 'text' }
import type { OpenApiDocument } from '../http/openapi.ts'
import type { PageContent } from './frame.ts'
import { html, Markup } from './markup.ts'
import { findOperations } from './reference.ts'
import { samples } from './samples.ts'
import { codeBlock, disclosureGroup, docsRoot, type Entry, type Instance } from './section.ts'

/** A file of the guide. */
export interface GuideFile {
  /** Its name without an ending, as links between the files use it. */
  readonly name: string
  /** The path of its page below that of the documentation. */
  readonly path: string
  /** What the navigation calls it. */
  readonly title: string
  /** Markdown without raw HTML. */
  readonly text: string
}

/** Returns the text of the first heading. */
const findTitle = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? ''

const chapter = (name: string, text: string): GuideFile => ({
  name,
  path: `/${name}`,
  title: findTitle(text),
  text,
})

/** Every file of the guide, in the order of the navigation. */
export const guideFiles: readonly GuideFile[] = [
  { name: 'README', path: '', title: 'Overview', text: readme },
  chapter('checking', checking),
  chapter('lists-and-sync', lists),
  chapter('stix-taxii', stix),
  chapter('search-feeds-reports', search),
  chapter('api', api),
  chapter('sources-and-formats', sources),
  chapter('operating', operating),
  chapter('performance', performance),
  chapter('decisions', decisions),
]

/**
 * The address in the files that means this instance. As inline code without a path it is the
 * default, and stays.
 */
const defaultAddress = /http:\/\/127\.0\.0\.1:8080(?!`)/g

/** Returns the public address with every character escaped that could end a string of a program. */
function escapeAddress(publicUrl: string): string {
  const special = /[^A-Za-z0-9:/.[\]%_~-]/g
  return publicUrl.replace(special, (character) => `%${character.charCodeAt(0).toString(16)}`)
}

/** Returns the target of a link on the page, or null when it leads to a file that has no page. */
function resolveLink(href: string, address: string, root: string): string | null {
  if (href.startsWith('#')) return href
  if (href.startsWith(`${address}/docs`)) return root + href.slice(`${address}/docs`.length)
  const [, name, anchor = ''] = /^(?:[./\w-]*\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  const file = guideFiles.find((each) => each.name === name)
  return file === undefined ? null : root + file.path + anchor
}

/** Matches a list in which every item is a link to a program. */
const sampleList = /<ul>\n((?:<li><a href="samples\/[^"]*">[^<]*<\/a><\/li>\n)+)<\/ul>/g
const sampleLink = /<a href="samples\/([^"]*)">([^<]*)<\/a>/g

/** Returns the programs that a list links to; the first one is open. */
function renderSamples(list: string, address: string): string {
  const disclosures = [...list.matchAll(sampleLink)].map(([, name = '', title = '']) => {
    const text = samples.get(name)
    if (text === undefined) throw new Error(`there is no program docs/samples/${name}`)
    return {
      title: html`${title}`,
      id: name.replace(/\.txt$/, ''),
      body: codeBlock(text.replace(defaultAddress, address)),
    }
  })
  const group = `samples-${disclosures[0]?.id}`
  return disclosureGroup(disclosures, { group, isFirstOpen: true }).text
}

const heading = /<h([23]) id="([^"]*)"><a [^>]*>(.*?)<\/a><\/h\1>/g

/** Returns the table of contents: headings of the second rank, and below each those of the third. */
function findEntries(body: string): readonly Entry[] {
  const entries: { id: string; title: Markup; below: Entry[] }[] = []
  for (const [, rank, id = '', title = ''] of body.matchAll(heading)) {
    const entry = { id, title: new Markup(title), below: [] }
    if (rank === '2') entries.push(entry)
    else entries.at(-1)?.below.push(entry)
  }
  return entries
}

/** Returns the page of a file. */
export function renderFile(
  { title, text }: GuideFile,
  { publicUrl }: Pick<Instance, 'publicUrl'>,
  document: OpenApiDocument,
): PageContent {
  const address = escapeAddress(publicUrl)
  const root = Bun.escapeHTML(docsRoot(publicUrl))
  const operationFor = findOperations(document)
  const rendered = Bun.markdown.html(text.replace(defaultAddress, address), {
    headings: true,
    noHtmlBlocks: true,
    noHtmlSpans: true,
  })
  const body = rendered
    .replace(/<h1 .*<\/h1>\n/, '')
    .replace(sampleList, (_, list: string) => renderSamples(list, address))
    .replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (link, href: string, label: string) => {
      const target = resolveLink(href, address, root)
      return target === null ? label : link.replace(href, () => target)
    })
    .replace(/<code>((?:GET|POST) \/[^<]*)<\/code>/g, (code, call: string) => {
      const id = operationFor(call)
      return id === null ? code : `<a href="${root}/reference#op-${id}">${code}</a>`
    })
    .replaceAll('<table>', '<div class="scroll"><table>')
    .replaceAll('</table>', '</table></div>')
  const entries = findEntries(body)
  return { title: `weir: ${title}`, heading: findTitle(text), entries, body: new Markup(body) }
}
