/** The pages of the documentation: complete, self-contained, and linked to each other. */

import { describe, expect, test } from 'bun:test'
import type { OpenApiDocument } from '../../src/http/openapi.ts'
import { findBrokenTag } from './html.ts'
import { document, instance, pageAt, readPages } from './read-page.ts'

const pages = await readPages()
const paths = [...pages.keys()]

test('there is a page for the overview, each file of docs/, and the reference', () => {
  const files = [...new Bun.Glob('*.md').scanSync(`${import.meta.dir}/../../docs`)]
  const chapters = files.map((file) => `/docs/${file.replace(/\.md$/, '')}`)
  expect(paths.toSorted()).toEqual(['/docs', ...chapters, '/docs/reference'].toSorted())
})

describe.each([...pages.values()])('$path', (page) => {
  test('is well-formed HTML', () => {
    expect(page.html).toStartWith('<!doctype html>\n<html lang="en">')
    expect(findBrokenTag(page.html)).toBeNull()
  })

  test('gives each anchor to one element', () => {
    const ids = page.listValues('id')
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_.-]+$/)
  })

  test('links to anchors and pages that exist', () => {
    const links = page.listValues('href').filter((href) => /^[#/]/.test(href))
    expect(links.length).toBeGreaterThan(15)
    const missing = links.filter((href) => {
      const [path, anchor] = href.split('#')
      const target = path === '' ? page : pages.get(path ?? '')
      return (
        target === undefined || (anchor !== undefined && !target.listValues('id').includes(anchor))
      )
    })
    expect(missing).toEqual([])
  })

  test('has every page in its navigation, and marks itself', () => {
    const navigation = /<nav class="pages".*?<\/nav>/s.exec(page.html)?.[0] ?? ''
    const links = [...navigation.matchAll(/<a href="([^"]*)"( aria-current="page")?>/g)]
    expect(links.map(([, path]) => path ?? '')).toEqual(paths)
    expect(links.filter(([, , mark]) => mark !== undefined).map(([, path]) => path)).toEqual([
      page.path,
    ])
  })

  test('has every section in its table of contents', () => {
    const contents = /<nav class="contents".*?<\/nav>/s.exec(page.html)?.[0] ?? ''
    const ids = [...page.html.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids.length).toBeGreaterThan(1)
    expect(ids.filter((id) => !contents.includes(`href="#${id}"`))).toEqual([])
  })

  test('loads nothing, runs nothing and links to this service alone', () => {
    const names = new Set(page.elements.map(({ name }) => name))
    for (const name of ['script', 'iframe', 'img', 'form', 'base', 'object', 'svg']) {
      expect(names.has(name), name).toBe(false)
    }
    const loading = page.attributes.filter(({ name }) => /^(?:on|src|style|action|ping)/.test(name))
    expect(loading).toEqual([])
    const elsewhere = page
      .listValues('href')
      .filter((href) => !/^(?:#|\/docs\b)/.test(href))
      .filter((href) => !href.startsWith(`${instance.publicUrl}/`))
    expect(elsewhere).toEqual([expect.stringMatching(/^data:image\/svg\+xml,/)])
    expect(page.css).not.toMatch(/url\(|@import|image-set/)
  })

  test('is allowed its own style sheet and nothing else', () => {
    const hash = new Bun.CryptoHasher('sha256').update(page.css).digest('base64')
    expect(page.css).not.toBe('')
    expect(page.policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })

  test('is small enough for a slow connection', () => {
    // Browsers get it compressed.
    expect(Bun.gzipSync(page.html).length).toBeLessThan(40_000)
    expect(Buffer.byteLength(page.html)).toBeLessThan(400_000)
  })

  test('has one heading of the first rank, and skips no rank', () => {
    const ranks = page.elements.map(({ name }) => /^h([1-6])$/.exec(name)?.[1]).filter(Boolean)
    expect(ranks.filter((rank) => rank === '1')).toHaveLength(1)
    const numbers = ranks.map(Number)
    expect(numbers.filter((rank, index) => rank > (numbers[index - 1] ?? 0) + 1)).toEqual([])
  })

  test('has the style sheet and the footer of all pages', () => {
    expect(page.css).toBe(pageAt(pages, '/docs').css)
    expect(page.html).toContain('<footer><p>weir 1.2.3</p></footer>')
  })
})

test('the pages link to each other below the path at which a proxy offers them', async () => {
  const below = await readPages({ publicUrl: 'https://www.example.org/threats' })
  const links = pageAt(below, '/docs/checking').listValues('href')
  for (const path of ['', '/reference#op-checkUrl', '/api#errors']) {
    expect(links).toContain(`/threats/docs${path}`)
  }
  expect(pageAt(below, '/docs/api').listValues('href')).toContain('/threats/docs/reference')
})

describe('what comes from elsewhere', () => {
  test('is text on the pages', async () => {
    const mark = '<b onclick="x">\'&</b>'
    const replaced: OpenApiDocument = JSON.parse(
      JSON.stringify(document).replaceAll('"The verdict."', JSON.stringify(mark)),
    )
    const read = await readPages({ version: mark, document: async () => replaced })
    for (const { html } of read.values()) {
      expect(html).not.toContain('onclick="')
      expect(html).toContain(Bun.escapeHTML(mark))
      expect(findBrokenTag(html)).toBeNull()
    }
    const reference = pageAt(read, '/docs/reference').html
    expect(reference.split(Bun.escapeHTML(mark)).length).toBeGreaterThan(2)
  })

  test('an unusual public address ends no string of a program, and no link', async () => {
    const read = await readPages({ publicUrl: "https://weir.example.org/a'b$(c)!$&" })
    expect(pageAt(read, '/docs/checking').html).toContain(
      '{WEIR:-https://weir.example.org/a%27b%24%28c%29%21%24%26}}',
    )
    const root = Bun.escapeHTML("/a'b$(c)!$&/docs")
    expect(pageAt(read, '/docs/checking').listValues('href')).toContain(`${root}/api#errors`)
    for (const { html } of read.values()) expect(findBrokenTag(html)).toBeNull()
  })

  test('an OpenAPI document of another form prevents no page', async () => {
    const odd: OpenApiDocument = JSON.parse(
      '{"paths":{"/x":{"get":{"responses":[]},"post":7}},"tags":[{"name":7}],"components":null}',
    )
    for (const { html } of (await readPages({ document: async () => odd })).values()) {
      expect(findBrokenTag(html)).toBeNull()
    }
  })
})
