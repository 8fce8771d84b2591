/** Checks that everyone can read the pages: contrast (WCAG 2.2, 1.4.3 and 1.4.11) and size. */

import { describe, expect, test } from 'bun:test'
import css from '../../src/web/docs.css' with { type: 'text' }

type Palette = ReadonlyMap<string, string>

function parseColors(text: string): Palette {
  const found = text.matchAll(/--([a-z]+): (#[0-9a-f]{6});/g)
  return new Map([...found].map(([, name = '', color = '']) => [name, color]))
}

const darkStart = css.indexOf('@media (prefers-color-scheme: dark)')
const lightStart = css.indexOf(':root')
const schemes = [
  { scheme: 'light', palette: parseColors(css.slice(lightStart, darkStart)) },
  { scheme: 'dark', palette: parseColors(css.slice(darkStart, css.indexOf('* {', darkStart))) },
]

/** Returns the relative luminance, as WCAG defines it. */
function computeLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function computeContrast(one: string, other: string): number {
  const [low = 0, high = 0] = [computeLuminance(one), computeLuminance(other)].toSorted(
    (a, b) => a - b,
  )
  return (high + 0.05) / (low + 0.05)
}

describe.each(schemes)('in the $scheme scheme', ({ palette }) => {
  const findColor = (name: string): string => {
    const color = palette.get(name)
    if (color === undefined) throw new Error(`the scheme has no color ${name}`)
    return color
  }

  test.each([
    ['text', 'page'],
    ['text', 'panel'],
    ['quiet', 'page'],
    ['quiet', 'panel'],
    ['accent', 'page'],
    ['accent', 'panel'],
  ])('%s on %s can be read', (front, back) => {
    expect(computeContrast(findColor(front), findColor(back))).toBeGreaterThanOrEqual(4.5)
  })

  test('has every color of the other scheme', () => {
    const names = schemes.map((each) => [...each.palette.keys()])
    expect(names[0]).toEqual(names[1])
    expect(palette.size).toBe(6)
  })
})

describe('the style sheet', () => {
  test('defines its colors in one place', () => {
    const rules = css.slice(css.indexOf('* {'))
    expect(rules).not.toMatch(/#[0-9a-f]{3,8}\b|rgb|hsl/)
  })

  test('sets no text smaller than 16 px', () => {
    const sizes = [...css.matchAll(/font(?:-size)?: ([0-9.]+)(rem|[a-z%]*)/g)]
    expect(sizes.length).toBeGreaterThan(4)
    for (const [rule, size, unit] of sizes) {
      expect(unit, rule).toBe('rem')
      expect(Number(size), rule).toBeGreaterThanOrEqual(1)
    }
  })

  test('shows where the focus is', () => {
    expect(css).toMatch(/:focus-visible \{\s+outline: 3px solid var\(--accent\)/)
    expect(css).not.toMatch(/outline: (?:none|0)/)
  })

  test('has no animation', () => {
    expect(css).not.toMatch(/transition|animation|scroll-behavior/)
  })
})
