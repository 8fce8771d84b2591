/** The reference: everything that is in the OpenAPI document. */

import { describe, expect, test } from 'bun:test'
import { document, pageAt, readPages } from './read-page.ts'

const reference = pageAt(await readPages(), '/docs/reference')
const ids = new Set(reference.listValues('id'))

describe('the reference', () => {
  test('has every operation of the API, with its parameters', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (method === 'head') continue
        const call = `${method.toUpperCase()} ${path}`
        expect(reference.shows(call), call).toBe(true)
        expect(reference.shows(String(operation['summary'])), call).toBe(true)
        expect(ids.has(`op-${operation['operationId']}`), call).toBe(true)
      }
    }
    for (const id of [
      'op-checkUrl-url',
      'op-readBlacklist-cursor',
      'op-readBlacklist-if-none-match',
      'op-readTaxiiObjects-collection',
      'op-readTaxiiObjects-match-type',
      'tag-stix-and-taxii',
      'conventions',
    ])
      expect(ids.has(id), id).toBe(true)
  })

  test('has the limits of this instance', () => {
    expect(reference.shows('Limit: 7 calls in 90 seconds per client.')).toBe(true)
  })

  test('lists each operation once in the table of contents', () => {
    const contents = /<nav class="contents".*?<\/nav>/s.exec(reference.html)?.[0] ?? ''
    const links = [...contents.matchAll(/href="#op-(\w+)"/g)].map(([, id]) => id)
    const operations = Object.values(document.paths).flatMap((methods) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'head')
        .map(([, operation]) => String(operation['operationId'])),
    )
    expect(links.toSorted()).toEqual(operations.toSorted())
  })

  test('has every record, header and shared error of the document', () => {
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

  test('shows short examples of successful answers and of every shared error', () => {
    expect(reference.shows('Example: A defanged name below a listed domain')).toBe(true)
    expect(reference.shows('Example: One call more than the limit')).toBe(true)
    expect(reference.text).not.toContain('Example: Several wrong parameters, each named')
  })
})
