/** The arena on its own: comparisons that a hash nearly always spares, and growth. */

import { describe, expect, test } from 'bun:test'
import { anyNode, countLabels, HostNodes, noNode } from '../../src/index/host-nodes.ts'

describe('HostNodes.is', () => {
  const nodes = HostNodes.withRoom(0)
  const top = nodes.append(noNode, 'example', 0, 7)
  const name = nodes.append(top, 'evil.example', 0, 4)

  test('is true of the same label below the same parent, wherever it stands in a text', () => {
    expect(nodes.is(name, top, 'evil.example', 0, 4)).toBe(true)
    expect(nodes.is(name, top, 'not-evil', 4, 4)).toBe(true)
    expect(nodes.is(name, anyNode, 'evil', 0, 4)).toBe(true)
  })

  test('is false of a longer or shorter label, and below another parent', () => {
    expect(nodes.is(name, top, 'evil', 0, 3)).toBe(false)
    expect(nodes.is(name, top, 'evils', 0, 5)).toBe(false)
    expect(nodes.is(name, noNode, 'evil', 0, 4)).toBe(false)
    expect(nodes.is(name, anyNode, 'evi', 0, 3)).toBe(false)
  })

  test('is false of characters that agree in their lower eight bits only', () => {
    expect(nodes.is(name, top, String.fromCharCode(0x165, 0x76, 0x69, 0x6c), 0, 4)).toBe(false)
  })
})

describe('HostNodes', () => {
  test('keeps nodes in order of addition, however often it grows', () => {
    const nodes = HostNodes.withRoom(10)
    const added: number[] = []
    for (let length = 1; length <= 63; length++) {
      added.push(nodes.append(added.at(-1) ?? noNode, 'x'.repeat(63), 0, length))
    }
    const walked: number[] = []
    for (let node = nodes.first; node < nodes.end; node = nodes.next(node)) walked.push(node)
    expect(walked).toEqual(added)
    expect(nodes.readHost(added[2] ?? noNode)).toBe('xxx.xx.x')
    expect(nodes.readParent(added[2] ?? noNode)).toBe(added[1] ?? noNode)
  })
})

describe('countLabels', () => {
  test.each([
    ['example', 1],
    ['a.b-c._d.0', 4],
    ['[2001:db8::1]', 1],
    ['a'.repeat(63), 1],
    [`${'a.'.repeat(126)}b`, 127],
    ['', 0],
    ['.', 0],
    ['a..b', 0],
    ['.a', 0],
    ['a.', 0],
    ['a'.repeat(64), 0],
    [`${'a.'.repeat(126)}bc`, 0],
    ['A.b', 0],
    ['a.Z', 0],
    ['a b', 0],
    ['a\u007f', 0],
    ['é', 0],
  ])('counts %p as %p', (host, labels) => {
    expect(countLabels(host)).toBe(labels)
  })
})
