/** The pages of the documentation: whole, closed to the outside, and linked to each other. */

import { describe, expect, test } from 'bun:test'
import type { OpenApiDocument } from '../../src/http/openapi.ts'
import { escapeText } from '../../src/web/markup.ts'
import { brokenTagOf } from './html.ts'
import { document, instance, readPages } from './read-page.ts'

const { guide, reference } = await readPages()
const pages = [guide, reference]

describe.each(pages)('$path', (page) => {
  test('is well-formed HTML', () => {
    expect(page.html).toStartWith('<!doctype html>\n<html lang="en">')
    expect(brokenTagOf(page.html)).toBeNull()
  })

  test('gives each anchor to one element', () => {
    const ids = page.valuesOf('id')
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_.-]+$/)
  })

  test('has the target of every link within it', () => {
    const ids = new Set(page.valuesOf('id'))
    const targets = page.valuesOf('href').filter((href) => href.startsWith('#'))
    expect(targets.length).toBeGreaterThan(30)
    expect(targets.filter((target) => !ids.has(target.slice(1)))).toEqual([])
  })

  test('links to what is on the other page', () => {
    const others = page
      .valuesOf('href')
      .filter((href) => href.startsWith('/'))
      .map((href) => href.split('#'))
    expect(others.length).toBeGreaterThan(2)
    const missing = others.filter(([path, anchor]) => {
      const target = pages.find((each) => each.path === path)
      return (
        target === undefined || (anchor !== undefined && !target.valuesOf('id').includes(anchor))
      )
    })
    expect(missing).toEqual([])
  })

  test('says which of the two it is', () => {
    const links = [...page.html.matchAll(/<a href="([^"]*)"( aria-current="page")?>(\w+)<\/a>/g)]
    const named = links.filter(([, , , name]) => name === 'Guide' || name === 'Reference')
    expect(named.slice(0, 2).map(([, path]) => path)).toEqual(['/docs', '/docs/reference'])
    expect(named.filter(([, , mark]) => mark !== undefined).map(([, path]) => path)).toEqual([
      page.path,
    ])
  })

  test('has every section in its table of contents', () => {
    const contents = /<nav class="contents".*?<\/nav>/s.exec(page.html)?.[0] ?? ''
    const sections = page.html.matchAll(/<section id="([^"]*)"/g)
    const ids = [...sections].map(([, id]) => id)
    expect(ids.length).toBeGreaterThan(5)
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
      .valuesOf('href')
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

  test('is small enough for a slow line', () => {
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
})

describe('both pages', () => {
  test('look the same', () => {
    expect(reference.css).toBe(guide.css)
    const footerOf = (html: string): string => /<footer>.*<\/footer>/s.exec(html)?.[0] ?? ''
    expect(footerOf(guide.html)).toContain('weir 1.2.3')
    expect(footerOf(reference.html)).toBe(footerOf(guide.html))
  })

  test('find each other below the path under which a proxy offers them', async () => {
    const below = await readPages({ publicUrl: 'https://www.example.org/threats' })
    expect(below.guide.valuesOf('href')).toContain('/threats/docs/reference#op-checkUrl')
    expect(below.reference.valuesOf('href')).toContain('/threats/docs')
  })
})

describe('what others have written', () => {
  test('is text on the pages, wherever it comes from', async () => {
    const mark = '<b onclick="x">\'&</b>'
    const replaced: OpenApiDocument = JSON.parse(
      JSON.stringify(document).replaceAll('"The verdict."', JSON.stringify(mark)),
    )
    const read = await readPages({ version: mark, document: async () => replaced })
    for (const { html } of [read.guide, read.reference]) {
      expect(html).not.toContain('onclick="')
      expect(html.split(escapeText(mark)).length).toBeGreaterThan(2)
      expect(brokenTagOf(html)).toBeNull()
    }
  })

  test('an odd address ends no text in a program, and no link', async () => {
    const publicUrl = "https://weir.example.org/a'b$(c)!"
    const read = await readPages({ publicUrl })
    expect(read.guide.html).toContain('{WEIR:-https://weir.example.org/a%27b%24%28c%29%21}}')
    for (const { html } of [read.guide, read.reference]) expect(brokenTagOf(html)).toBeNull()
  })

  test('a document of another shape stops nothing', async () => {
    const odd: OpenApiDocument = JSON.parse(
      '{"paths":{"/x":{"get":{"responses":[]},"post":7}},"tags":[{"name":7}],"components":null}',
    )
    const read = await readPages({ document: async () => odd })
    expect(brokenTagOf(read.reference.html)).toBeNull()
  })
})
