/** The tokenizer of mails, articles and feeds, on documents whole and broken. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type MarkupDialect, MarkupReader, type MarkupToken } from '../../src/model/markup.ts'

const dialects: readonly MarkupDialect[] = ['mail', 'article', 'feed']

function tokensOf(text: string, dialect: MarkupDialect): MarkupToken[] {
  const reader = new MarkupReader(text, dialect)
  const tokens: MarkupToken[] = []
  for (let token = reader.next(); token !== null; token = reader.next()) tokens.push(token)
  return tokens
}

/** Returns the tokens as `kind text`, joined by bars. */
const shape = (text: string, dialect: MarkupDialect): string =>
  tokensOf(text, dialect)
    .map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)
    .join(' | ')

describe('MarkupReader', () => {
  const all: readonly (readonly [string, string])[] = [
    ['a<b>c</b>', 'text a | tag <b> | text c | tag </b>'],
    ['1 < 2', 'text 1  | text < | text  2'],
    ['<!-- <b> --><!--><!--->', 'comment <!-- <b> --> | comment <!--> | comment <!--->'],
    ['<!-- a --!>b', 'comment <!-- a --!> | text b'],
    ['<!-- a', 'comment <!-- a'],
    ['<!x><?y></ z>', 'comment <!x> | comment <?y> | comment </ z>'],
    ['<a b="c>d">', 'tag <a b="c>d">'],
    ["<p it's>", "tag <p it's>"],
    ['', ''],
  ]
  test.each(all)('reads %j in every dialect', (text, tokens) => {
    for (const dialect of dialects) expect(shape(text, dialect)).toBe(tokens)
  })

  test.each([
    ['a <b c<d>', 'text a  | tag <b c<d>', 'text a  | text < | text b c | tag <d>'],
    ['<a b="c><d>', 'tag <a b="c><d>', 'tag <a b="c> | tag <d>'],
    ['<!x<b>', 'comment <!x<b>', 'text < | text !x | tag <b>'],
    ['<https://a.b>', 'text <https: | text //a.b>', 'tag <https://a.b>'],
    ['<ann@a.b>', 'text <ann@a.b | text >', 'tag <ann@a.b>'],
  ])('reads %j in mail, and elsewhere', (text, mail, elsewhere) => {
    expect(shape(text, 'mail')).toBe(mail)
    expect(shape(text, 'article')).toBe(elsewhere)
    expect(shape(text, 'feed')).toBe(elsewhere)
  })

  test('knows CDATA and underscores in feeds', () => {
    expect(shape('<![CDATA[a>b]]><_c>', 'feed')).toBe('cdata <![CDATA[a>b]]> | tag <_c>')
    expect(shape('<![CDATA[a>b]]>', 'mail')).toBe('comment <![CDATA[a> | text b]]>')
  })

  test('reads names and attributes as they are written, the first of each name', () => {
    const [tag] = tokensOf(`<A HREF = '&amp;' b=c/ href=x d e="f"g=h/>`, 'mail')
    if (tag?.kind !== 'tag') throw new Error('not a tag')
    expect([tag.name, tag.isEnd, tag.isEmpty]).toEqual(['a', false, true])
    expect([...tag.attributes]).toEqual([
      ['href', '&amp;'],
      ['b', 'c/'],
      ['e', 'f'],
      ['g', 'h/'],
    ])
  })

  test('skips the content of an element, unless nothing ends it', () => {
    const reader = new MarkupReader('<style>a<b></STYLE ><style>c', 'mail')
    reader.next()
    expect(reader.skipContent('style')).toBe('a<b>')
    expect(reader.next()).toMatchObject({ name: 'style', isEnd: true })
    reader.next()
    expect(reader.skipContent('style')).toBe('')
    expect(reader.next()).toMatchObject({ kind: 'text' })
  })

  test('covers every text with tokens, none of them empty', () => {
    const parts = fc.constantFrom(
      '<',
      '>',
      '</',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '"',
      ' a=',
      'b',
    )
    const texts = fc.oneof(
      fc.array(parts, { maxLength: 30 }).map((some) => some.join('')),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(texts, fc.constantFrom(...dialects), (text, dialect) => {
        let at = 0
        for (const { start, end } of tokensOf(text, dialect)) {
          expect(start).toBe(at)
          expect(end).toBeGreaterThan(start)
          at = end
        }
        expect(at).toBe(text.length)
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) },
    )
  })
})
