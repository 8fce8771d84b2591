import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Comparison,
  type PatternRefusal,
  parseStixPattern,
} from '../../src/ingest/formats/stix-pattern.ts'
import { fuzzRuns } from './reading.ts'

type Pair = readonly [path: string, value: string]

const read = (pattern: string): readonly Pair[] | PatternRefusal => {
  const alternatives = parseStixPattern(pattern)
  return alternatives.ok
    ? alternatives.value.map(({ path, value }) => [path, value] as const)
    : alternatives.reason
}

describe('parseStixPattern', () => {
  const rows: readonly [pattern: string, expected: readonly Pair[] | PatternRefusal][] = [
    ["[a:value = 'x']", [['a:value', 'x']]],
    ["[a:value='x']", [['a:value', 'x']]],
    ["[a:value == 'x']", [['a:value', 'x']]],
    ["\t[ a : value\r\n= 'x' ] ", [['a:value', 'x']]],
    ["[a-b:c_d.e = 'x']", [['a-b:c_d.e', 'x']]],
    ["[file:hashes.'SHA-256' = 'x']", [['file:hashes.SHA-256', 'x']]],
    ['[file:hashes."SHA-256" = \'x\']', [['file:hashes.SHA-256', 'x']]],
    [
      "[a:b[0].c = 'x' OR a:b[*].c = 'y']",
      [
        ['a:b[*].c', 'x'],
        ['a:b[*].c', 'y'],
      ],
    ],
    ["[a:value = 'it\\'s \\\\ here']", [['a:value', "it's \\ here"]]],
    ["[a:value = '']", [['a:value', '']]],
    ["[a:value = '] OR [' ]", [['a:value', '] OR [']]],
    [
      "[a:value = 'x' OR b:value = 'y']",
      [
        ['a:value', 'x'],
        ['b:value', 'y'],
      ],
    ],
    [
      "[a:value = 'x'] OR [b:value = 'y']",
      [
        ['a:value', 'x'],
        ['b:value', 'y'],
      ],
    ],
    [
      "([a:value = 'x'] OR ([(a:value = 'y')]))",
      [
        ['a:value', 'x'],
        ['a:value', 'y'],
      ],
    ],
    [
      "[a:value IN ('x','y' , 'z')]",
      [
        ['a:value', 'x'],
        ['a:value', 'y'],
        ['a:value', 'z'],
      ],
    ],
    // More than one thing at once.
    ["[a:value = 'x' AND b:value = 'y']", 'unsupported_type'],
    ["[a:value = 'x'] AND [b:value = 'y']", 'unsupported_type'],
    ["[a:value = 'x'] FOLLOWEDBY [b:value = 'y']", 'unsupported_type'],
    ["[a:value = 'x' OR b:value = 'y' AND c:value = 'z']", 'unsupported_type'],
    ["[a:value = 'x'] WITHIN 5 SECONDS", 'unsupported_type'],
    ["[a:value = 'x'] REPEATS 5 TIMES", 'unsupported_type'],
    [
      "[a:value = 'x'] START t'2026-01-02T00:00:00Z' STOP t'2026-01-03T00:00:00Z'",
      'unsupported_type',
    ],
    // Anything but equality with a text.
    ["[NOT a:value = 'x']", 'unsupported_type'],
    ["[a:value NOT = 'x']", 'unsupported_type'],
    ["[a:value NOT IN ('x')]", 'unsupported_type'],
    ["[a:value != 'x']", 'unsupported_type'],
    ["[a:value <> 'x']", 'unsupported_type'],
    ["[a:value > 'x']", 'unsupported_type'],
    ['[a:value >= 5]', 'unsupported_type'],
    ["[a:value LIKE 'x%']", 'unsupported_type'],
    ["[a:value MATCHES '^x']", 'unsupported_type'],
    ["[a:value ISSUBSET '203.0.113.0/24']", 'unsupported_type'],
    ['[EXISTS a:value]', 'unsupported_type'],
    ['[a:value = 5]', 'unsupported_type'],
    ['[a:value = true]', 'unsupported_type'],
    ["[a:value = h'00']", 'unsupported_type'],
    ['[a:value IN (1, 2)]', 'unsupported_type'],
    // No patterns.
    ['', 'malformed_row'],
    ['b.example', 'malformed_row'],
    ['[]', 'malformed_row'],
    ["a:value = 'x'", 'malformed_row'],
    ["[a:value = 'x'", 'malformed_row'],
    ["[a:value = 'x", 'malformed_row'],
    ["[a:value = 'x\\n']", 'malformed_row'],
    ["[a:value = 'x\\", 'malformed_row'],
    ['[a:value = x', 'unsupported_type'],
    ["[a:value 'x']", 'malformed_row'],
    ["[a value = 'x']", 'malformed_row'],
    ["[a: = 'x']", 'malformed_row'],
    ["[a:b. = 'x']", 'malformed_row'],
    ["[a:b[c] = 'x']", 'malformed_row'],
    ["[a:value => 'x']", 'malformed_row'],
    ["[a:value IN 'x']", 'malformed_row'],
    ['[a:value IN ()]', 'malformed_row'],
    ["[a:value IN ('x' 'y')]", 'malformed_row'],
    ["[a:value = 'x' OR]", 'malformed_row'],
    ["[a:value = 'x'] OR", 'malformed_row'],
    ["[a:value = 'x'] [a:value = 'y']", 'malformed_row'],
    ["[(a:value = 'x'])", 'malformed_row'],
    ["([a:value = 'x']", 'malformed_row'],
    ["[a:value = 'x'])", 'malformed_row'],
    ["[a:value = 'x'] \0", 'malformed_row'],
    ["[[a:value = 'x']]", 'malformed_row'],
  ]
  for (const [pattern, expected] of rows) {
    test(JSON.stringify(pattern), () => {
      expect<readonly Pair[] | PatternRefusal>(read(pattern)).toEqual(expected)
    })
  }

  const quoted = (value: string): string =>
    `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const space = fc.constantFrom('', ' ', '\t', ' \r\n ')
  const comparison: fc.Arbitrary<Comparison> = fc.record({
    path: fc.constantFrom('domain-name:value', 'url:value', 'file:hashes.MD5', 'x-y:a.b'),
    value: fc.string({ unit: 'binary' }),
  })
  /** A group is one comparison, or one set of values. */
  const group = fc.tuple(fc.array(comparison, { minLength: 1, maxLength: 3 }), fc.boolean(), space)
  const written = group.map(([comparisons, isSet, gap]) => {
    const [{ path } = { path: '' }] = comparisons
    const values = comparisons.map(({ value }) => quoted(value))
    return isSet
      ? {
          text: `${path}${gap} IN (${values.join(`${gap},`)})`,
          meant: comparisons.map(({ value }) => ({ path, value })),
        }
      : {
          text: comparisons
            .map((one) => `${one.path}${gap}=${gap}${quoted(one.value)}`)
            .join(' OR '),
          meant: comparisons,
        }
  })
  const pattern = fc
    .array(fc.tuple(written, fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 4 })
    .map((groups) => ({
      observations: groups.map(
        ([{ text }, inside, outside]) =>
          `${'('.repeat(outside)}[${'('.repeat(inside)}${text}${')'.repeat(inside)}]${')'.repeat(outside)}`,
      ),
      meant: groups.flatMap(([{ meant }]) => meant),
    }))

  test('it reads back whatever was written', () => {
    fc.assert(
      fc.property(pattern, ({ observations, meant }) => {
        expect(parseStixPattern(observations.join(' OR '))).toEqual({ ok: true, value: meant })
      }),
      fuzzRuns,
    )
  })

  test('it never takes half of what belongs together', () => {
    fc.assert(
      fc.property(pattern, written, ({ observations }, { text }) => {
        const whole = observations.join(' OR ')
        expect(read(`${whole} AND [${text}]`)).toBe('unsupported_type')
        expect(read(`[${text} AND ${text}] OR ${whole}`)).toBe('unsupported_type')
      }),
      fuzzRuns,
    )
  })

  test('it answers any text', () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '(',
      ')',
      "'",
      '"',
      '\\',
      '=',
      ':',
      '.',
      ',',
      '*',
      '<',
      '!',
      'a',
      '0',
      '-',
      ' ',
      'OR',
      'IN',
      'AND',
      '\0',
      'é',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(text, (broken) => {
        parseStixPattern(broken)
        parseStixPattern(`[a:b = ${broken}]`)
      }),
      fuzzRuns,
    )
  })

  test('it reads the longest pattern of anything in time that grows with it', () => {
    for (const unit of [
      '(',
      '[',
      "'",
      '"',
      '\\',
      "'\\'",
      'a',
      '0',
      ' ',
      '=',
      'a:',
      ',',
      "[a:b='x']OR",
      "a:b='x'OR ",
    ]) {
      const text = unit.repeat(6e4 / unit.length)
      parseStixPattern(text)
      parseStixPattern(`[a:b = '${text}']`)
      parseStixPattern(`[a:b IN (${text})]`)
    }
  })

  test('it refuses a pattern over 64 KiB unread', () => {
    const around = "[a:b = '']".length
    const longest = `[a:b = '${'x'.repeat(64 * 1024 - around)}']`
    expect(read(longest)).toHaveLength(1)
    expect(read(`${longest} `)).toBe('malformed_row')
  })

  test('it refuses a pattern of more than 10,000 values', () => {
    const values = (count: number): string => `[a:b IN ('x'${",''".repeat(count - 1)})]`
    expect(read(values(10_000))).toHaveLength(10_000)
    expect(read(values(10_001))).toBe('malformed_row')
  })
})
