/** The documentation as a page: whole, closed to the outside, and complete. */

import { describe, expect, test } from 'bun:test'
import { selfTestVerdict } from '../../src/checks/self-test.ts'
import { createApp } from '../../src/http/app.ts'
import { type OpenApiDocument, openApiDocument } from '../../src/http/openapi.ts'
import { badRequest, tooManyRequests } from '../../src/http/problem.ts'
import { checkUrlRoute, presentUrlAnswer } from '../../src/http/routes/check-url.ts'
import { reasonCodes, verdictStatuses } from '../../src/model/verdict.ts'
import { collectionDescriptions } from '../../src/publish/taxii.ts'
import { docsPage } from '../../src/web/docs.ts'
import { checkExample } from '../../src/web/guide-checks.ts'
import { problemExample, refusalExample } from '../../src/web/guide-terms.ts'
import { escapeText } from '../../src/web/markup.ts'
import { standIns } from '../http/stand-ins.ts'
import { attributesOf, brokenTagOf, elementsOf } from './html.ts'

const aMinute = 60_000
const limits = {
  GENERAL: null,
  BLACKLIST: { quota: 100, windowMs: 60 * aMinute },
  BLACKLIST_CHANGES: { quota: 7, windowMs: 90_000 },
  CHECK_URL: { quota: 30, windowMs: aMinute },
  BULK: null,
  CHECK_EMAIL: null,
  CHECK_PHONE: null,
  LISTS: { quota: 30, windowMs: 60 * aMinute },
  STIX: { quota: 60, windowMs: 60 * aMinute },
  TAXII: { quota: 120, windowMs: aMinute },
}
const instance = { publicUrl: 'https://weir.example.org', version: '1.2.3', limits }
const document = openApiDocument(instance)
const settings = { ...instance, suspiciousAt: 50 }
const page = docsPage({ ...settings, document: async () => document })
const pageHtml = await page.render()
const elements = elementsOf(pageHtml)
const attributes = elements.flatMap(attributesOf)
const valuesOf = (name: string): string[] =>
  attributes.filter((attribute) => attribute.name === name).map(({ value }) => value)
const css = /<style>(.*)<\/style>/s.exec(pageHtml)?.[1] ?? ''

/** The text of the page, without tags. */
const text = pageHtml.replace(/<style>.*<\/style>/s, '').replace(/<[^>]*>/g, '')
const shows = (words: string): void => expect(text).toContain(escapeText(words))

describe('the page', () => {
  test('is well-formed HTML', () => {
    expect(pageHtml).toStartWith('<!doctype html>\n<html lang="en">')
    expect(brokenTagOf(pageHtml)).toBeNull()
  })

  test('gives each anchor to one element', () => {
    const ids = valuesOf('id')
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_.-]+$/)
  })

  test('has the target of every link', () => {
    const ids = new Set(valuesOf('id'))
    const targets = valuesOf('href').filter((href) => href.startsWith('#'))
    expect(targets.length).toBeGreaterThan(50)
    expect(targets.filter((target) => !ids.has(target.slice(1)))).toEqual([])
  })

  test('loads nothing, runs nothing and links to this service alone', () => {
    const names = new Set(elements.map(({ name }) => name))
    for (const name of ['script', 'iframe', 'img', 'form', 'base', 'object', 'svg']) {
      expect(names.has(name), name).toBe(false)
    }
    const loading = attributes.filter(({ name }) => /^(?:on|src|style|action|ping)/.test(name))
    expect(loading).toEqual([])
    const elsewhere = valuesOf('href').filter(
      (href) => !href.startsWith('#') && !href.startsWith(`${instance.publicUrl}/`),
    )
    expect(elsewhere).toEqual([expect.stringMatching(/^data:image\/svg\+xml,/)])
    expect(css).not.toMatch(/url\(|@import|image-set/)
  })

  test('is allowed its own style sheet and nothing else', () => {
    const hash = new Bun.CryptoHasher('sha256').update(css).digest('base64')
    expect(css).not.toBe('')
    expect(page.contentSecurityPolicy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })

  test('is small enough for a slow line', () => {
    // Browsers get it compressed.
    expect(Bun.gzipSync(pageHtml).length).toBeLessThan(40_000)
    expect(Buffer.byteLength(pageHtml)).toBeLessThan(400_000)
  })

  test('has one heading of the first rank, and skips no rank', () => {
    const ranks = elements.map(({ name }) => /^h([1-6])$/.exec(name)?.[1]).filter(Boolean)
    expect(ranks.filter((rank) => rank === '1')).toHaveLength(1)
    const numbers = ranks.map(Number)
    expect(numbers.filter((rank, index) => rank > (numbers[index - 1] ?? 0) + 1)).toEqual([])
  })
})

describe('what it tells', () => {
  test.each(reasonCodes)('the reason code %s, with its meaning', (code) => {
    expect(pageHtml).toMatch(
      new RegExp(`<div id="reason-${code}"><dt><code>${code}</code></dt><dd>[A-Z]`),
    )
  })

  test.each(verdictStatuses)('the verdict %s', (status) => {
    expect(valuesOf('id')).toContain(`verdict-${status}`)
  })

  test('every operation of the API, with its parameters', () => {
    const ids = new Set(valuesOf('id'))
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (method === 'head') continue
        shows(`${method.toUpperCase()} ${path}`)
        shows(String(operation['summary']))
        expect(ids.has(`op-${operation['operationId']}`)).toBe(true)
      }
    }
    for (const id of [
      'op-checkUrl-url',
      'op-readBlacklist-cursor',
      'op-readBlacklist-if-none-match',
      'op-readTaxiiObjects-collection',
      'op-readTaxiiObjects-match-type',
      'tag-stix-and-taxii',
    ])
      expect(ids.has(id), id).toBe(true)
  })

  test('every record, header and shared refusal of the document', () => {
    const ids = new Set(valuesOf('id'))
    const { components } = document
    for (const [kind, prefix] of [
      ['schemas', 'schema'],
      ['headers', 'header'],
      ['responses', 'answer'],
    ] as const) {
      const names = Object.keys(Object(components[kind]))
      expect(names.length).toBeGreaterThan(3)
      expect(names.filter((name) => !ids.has(`${prefix}-${name}`))).toEqual([])
    }
  })

  test('short examples of good answers, and every shared refusal’s', () => {
    shows('Example: A name below a listed domain, asked for defanged')
    shows('Example: One call more than the limit')
    expect(text).not.toContain('Example: Several wrong parameters, each named')
  })

  test('the TAXII collections, by name and by UUID', () => {
    const collections = Object.values(collectionDescriptions)
    expect(collections).toHaveLength(3)
    for (const { name, uuid, description } of collections) shows(`${name}${description}${uuid}`)
  })

  test('addresses of STIX and TAXII that are answered', async () => {
    const app = createApp(standIns({ publicUrl: instance.publicUrl }))
    const section = /<section id="stix-and-taxii".*?<\/section>/s.exec(pageHtml)?.[0] ?? ''
    const addresses = [
      ...section.matchAll(/https:\/\/weir\.example\.org\/(?:taxii2|api)(?:[^<&\s]|&amp;)*/g),
    ].map(([address]) => address.replaceAll('&amp;', '&').replace('https:', 'http:'))
    expect(new Set(addresses).size).toBe(7)
    for (const address of addresses) {
      const headers = { accept: 'application/taxii+json;version=2.1' }
      const { status } = await app.fetch(new Request(address, { headers }))
      expect([address, status]).toEqual([address, 200])
    }
  })

  test('the limits that are in force here', async () => {
    for (const row of [
      'GET /api/v1/blacklist100 an hour',
      'GET /api/v1/blacklist/changes7 in 90 seconds',
      'GET /api/check-url30 a minute',
      'POST /api/v1/check/bulkno limit',
      'GET /lists/…30 an hour',
    ]) {
      shows(row)
    }
    expect(text).not.toContain('everything below together')
    const general = { quota: 1000, windowMs: 24 * 60 * aMinute }
    const all = { ...limits, GENERAL: general }
    const limited = await docsPage({
      ...settings,
      document: async () => document,
      limits: all,
    }).render()
    expect(limited).toContain('everything below together</code></th><td>1000 a day')
  })

  test('its own address and version, in the samples too', () => {
    shows('This is weir 1.2.3 at https://weir.example.org.')
    shows("curl -G 'https://weir.example.org/api/check-url'")
    shows('{WEIR:-https://weir.example.org}}')
    expect(text).not.toContain('127.0.0.1')
  })
})

describe('what it shows as answers', () => {
  test('is what a check answers', () => {
    const verdict = selfTestVerdict('found.weir.test')
    if (verdict === null) throw new Error('found.weir.test is no self-test name')
    const { query, url, domain, updated } = checkExample
    const answer = presentUrlAnswer({ query, url, domain, verdict, updatedAt: Date.parse(updated) })
    expect(answer).toEqual(checkExample)
  })

  test('is how a wrong call is refused', async () => {
    const check = (): never => {
      throw new Error('nothing is to be checked')
    }
    const route = checkUrlRoute({ urls: { check } })
    const answer = await route.handle(new Request('http://weir.test/api/check-url'))
    expect(await answer.json()).toEqual(problemExample)
    expect(await badRequest([...problemExample.errors]).json()).toEqual(problemExample)
  })

  test('is how a call too many is refused', async () => {
    expect(await tooManyRequests(12).json()).toEqual(refusalExample)
  })
})

describe('what others have written', () => {
  test('is text on the page, wherever it comes from', async () => {
    const mark = '<b onclick="x">\'&</b>'
    const replaced: OpenApiDocument = JSON.parse(
      JSON.stringify(document).replaceAll('"The verdict."', JSON.stringify(mark)),
    )
    const html = await docsPage({
      ...settings,
      version: mark,
      document: async () => replaced,
    }).render()
    expect(html).not.toContain('onclick="')
    expect(html.split(escapeText(mark)).length).toBeGreaterThan(3)
    expect(brokenTagOf(html)).toBeNull()
  })

  test('an odd address ends no text in a program', async () => {
    const publicUrl = "https://weir.example.org/a'b$(c)!"
    const html = await docsPage({ ...settings, publicUrl, document: async () => document }).render()
    expect(html).toContain('{WEIR:-https://weir.example.org/a%27b%24%28c%29%21}}')
  })

  test('a document of another shape stops nothing', async () => {
    const odd: OpenApiDocument = JSON.parse(
      '{"paths":{"/x":{"get":{"responses":[]},"post":7}},"tags":[{"name":7}],"components":null}',
    )
    const html = await docsPage({ ...settings, document: async () => odd }).render()
    expect(brokenTagOf(html)).toBeNull()
  })
})
