/** The guide: what it tells of, and that its answers are answered so. */

import { describe, expect, test } from 'bun:test'
import { selfTestVerdict } from '../../src/checks/self-test.ts'
import { createApp } from '../../src/http/app.ts'
import { checkUrl, presentUrlAnswer } from '../../src/http/endpoints/check-url.ts'
import { badRequest, tooManyRequests } from '../../src/http/problem.ts'
import { feedNames } from '../../src/model/audience.ts'
import { reportStatuses, reportTypes } from '../../src/model/report.ts'
import { reasonCodes, verdictStatuses } from '../../src/model/verdict.ts'
import { collectionDescriptions } from '../../src/publish/taxii.ts'
import { checkExample } from '../../src/web/guide-checks.ts'
import { problemExample, refusalExample } from '../../src/web/guide-terms.ts'
import { escapeText } from '../../src/web/markup.ts'
import { standIns } from '../http/stand-ins.ts'
import { instance, limits, readPages } from './read-page.ts'

const { guide } = await readPages()
const shows = (words: string): void => expect(guide.text).toContain(escapeText(words))
const sectionOf = (id: string): string =>
  new RegExp(`<section id="${id}".*?</section>`, 's').exec(guide.html)?.[0] ?? ''

describe('the guide tells', () => {
  test.each(reasonCodes)('the reason code %s, with its meaning', (code) => {
    expect(guide.html).toMatch(
      new RegExp(`<div id="reason-${code}"><dt><code>${code}</code></dt><dd>[A-Z]`),
    )
  })

  test.each(verdictStatuses)('the verdict %s', (status) => {
    expect(guide.valuesOf('id')).toContain(`verdict-${status}`)
  })

  test.each([
    ['check-a-url', 'op-checkUrl'],
    ['check-many', 'op-checkBulk'],
    ['check-a-mail', 'op-checkEmail'],
    ['check-a-number', 'op-checkPhone'],
    ['block-list', 'op-readBlacklist'],
    ['full-lists', 'tag-lists'],
    ['local-copy', 'op-readChanges'],
    ['stix-and-taxii', 'op-exportStix'],
    ['stix-and-taxii', 'tag-stix-and-taxii'],
  ])('in %s where the reference goes on, at %s', (section, anchor) => {
    expect(sectionOf(section)).toContain(`href="/docs/reference#${anchor}"`)
  })

  test('the TAXII collections, by name and by UUID', () => {
    const collections = Object.values(collectionDescriptions)
    expect(collections).toHaveLength(3)
    for (const { name, uuid, description } of collections) shows(`${name}${description}${uuid}`)
  })

  test('addresses of STIX and TAXII that are answered', async () => {
    const app = createApp(standIns({ publicUrl: instance.publicUrl }))
    const addresses = [
      ...sectionOf('stix-and-taxii').matchAll(
        /https:\/\/weir\.example\.org\/(?:taxii2|api)(?:[^<&\s]|&amp;)*/g,
      ),
    ].map(([address]) => address.replaceAll('&amp;', '&').replace('https:', 'http:'))
    expect(new Set(addresses).size).toBe(7)
    for (const address of addresses) {
      const headers = { accept: 'application/taxii+json;version=2.1' }
      const { status } = await app.fetch(new Request(address, { headers }))
      expect([address, status]).toEqual([address, 200])
    }
  })

  test('how to search, and never to link what is found', () => {
    shows("curl -G 'https://weir.example.org/api/search'")
    shows('"defanged": "paypa1-account[.]example"')
    expect(sectionOf('search')).toContain('<strong>Never make it a link.</strong>')
  })

  test.each(feedNames)('the feed %s', (name) => {
    expect(sectionOf('rss')).toContain(`<code>/api/rss/${name}</code>`)
  })

  test.each([...reportTypes, ...reportStatuses])('the word %s of reports', (word) => {
    expect(sectionOf('report-a-scam')).toContain(`<code>${word}</code>`)
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
    expect(guide.text).not.toContain('everything below together')
    const general = { quota: 1000, windowMs: 86_400_000 }
    const limited = await readPages({ limits: { ...limits, GENERAL: general } })
    expect(limited.guide.html).toContain('everything below together</code></th><td>1000 a day')
  })

  test('its own address and version, in the samples too', () => {
    shows('This is weir 1.2.3 at https://weir.example.org.')
    shows("curl -G 'https://weir.example.org/api/check-url'")
    shows('{WEIR:-https://weir.example.org}}')
    expect(guide.text).not.toContain('127.0.0.1')
  })
})

describe('what the guide shows as answers', () => {
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
    const route = checkUrl.compile({ urls: { check } })
    const answer = await route(new Request('http://weir.test/api/check-url'), {})
    expect(await answer.json()).toEqual(problemExample)
    expect(await badRequest([...problemExample.errors]).json()).toEqual(problemExample)
  })

  test('is how a call too many is refused', async () => {
    expect(await tooManyRequests(12).json()).toEqual(refusalExample)
  })
})
