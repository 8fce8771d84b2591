/**
 * What the public sees of reports: nothing before an operator has accepted one, then its masked words; and
 * never how to reach whoever sent it.
 */

import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type ReportFields, reportTypes } from '../../src/model/report.ts'
import { beginReview } from '../../src/reports/review.ts'
import type { StoredReport } from '../../src/store/reports.ts'
import { type Answers, changed, get, questions, searchesFor, World } from './report-world.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 20)

// Machines are shared, and lists are written by threads.
setDefaultTimeout(60_000 + numRuns * 1_000)

describe('what a stranger sends', () => {
  const hostile: readonly Partial<ReportFields>[] = [
    ...[
      'fresh.test',
      'https://fresh.test/pay',
      'listed.test',
      'github.io',
      'www.google.com',
    ].flatMap((value) =>
      (['url', 'other', 'false_positive'] as const).map((type) => {
        return { type, value, description: 'A parcel fee, reported', targetBrand: 'PayPal' }
      }),
    ),
    { type: 'phone', value: '212-555-2368', description: 'They reported a parcel' },
    { type: 'false_positive', value: '+1 202 555 2368' },
    { type: 'email', value: 'a@fresh.test' },
    { type: 'message', description: 'parcel reported '.repeat(600) },
  ]

  test('changes no answer, not by a byte, until one report has been accepted', async () => {
    await using world = await World.open()
    // A feed is dated by when somebody asks first.
    await world.askAll(questions)
    world.settle()
    const before = await world.askAll(questions)
    const rows: StoredReport[] = []
    for (const fields of [...hostile, ...hostile]) rows.push((await world.report(fields)).row)
    for (const row of rows.slice(3)) await beginReview(world.review, row, 'anna')
    for (const row of rows.slice(6, hostile.length)) await world.reject(row)
    world.settle()
    expect(changed(before, await world.askAll(questions))).toEqual([])
    const [first] = rows
    if (first === undefined) throw new Error('nothing was sent')
    expect(await world.accept(first)).toBe(true)
    const after = await world.askAll(questions)
    expect(changed(before, after)).toContain('/api/check-url?url=https://fresh.test/pay')
    expect(after.get('/api/check-url?url=fresh.test')).toContain('"status":"found"')
    expect(after.get('/api/check-url?url=www.google.com')).toContain('"status":"not_found"')
    for (const path of ['/api/v1/blacklist?format=txt', '/lists/domains.txt', '/api/rss/general']) {
      expect(before.get(path)).not.toMatch(/fresh\[?\.\]?test/)
      expect(after.get(path)).toMatch(/fresh\[?\.\]?test/)
    }
  })

  test('ends no listing until an appeal has been accepted, and then no list brings it back', async () => {
    await using world = await World.open()
    const { row } = await world.report({ type: 'false_positive', value: 'listed.test' })
    const check = async (): Promise<string> =>
      (await world.ask(get('/api/check-url?url=listed.test'))).text
    expect(await check()).toContain('"status":"found"')
    await world.accept(row)
    expect(await check()).toContain('"status":"not_found"')
    await world.readFeed()
    expect(await check()).toContain('"status":"not_found"')
    const { text } = await world.ask(get('/api/v1/blacklist/changes?cursor=begin'))
    expect(text).not.toContain('"domain":"listed.test","domain')
    await world.reject(row)
    expect(await check()).toContain('"status":"found"')
  })
})

describe('an accepted report', () => {
  test('is text wherever it is shown, whatever it holds', async () => {
    await using world = await World.open()
    const hostile = `<script src=x>alert(1)</script>]]>&lt;img>"'=cmd\u0007 hostile`
    const said = { description: `parcel ${hostile}`, targetBrand: hostile, contact: 'contact' }
    const { row } = await world.report({ type: 'url', value: 'fresh.test/<script>', ...said })
    const { row: told } = await world.report({ type: 'message', value: hostile, ...said })
    expect([await world.accept(row), await world.accept(told)]).toEqual([true, true])
    const answers = await world.askAll([...questions, ...searchesFor('hostile')])
    expect(answers.get('/api/rss/general')).toContain('hostile')
    expect(answers.get('/api/v1/blacklist?format=csv')).not.toMatch(/(?:^|,)"?[=+@-]/m)
    for (const [path, text] of answers) {
      // Plain text opens no tag, and lists pages as they are.
      if (text.includes('"text/plain;')) continue
      expect([path, text.match(/<(?:script|img).{0,40}/is)]).toEqual([path, null])
      if (path.startsWith('/api/search')) expect(text).not.toMatch(/<|\\u0007/)
    }
  })
})

const hashOf = (seed: string): string => new Bun.CryptoHasher('sha256').update(seed).digest('hex')
/** Ten letters that are in no other text. */
const wordOf = (seed: string): string =>
  hashOf(seed)
    .slice(0, 10)
    .replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
const digitsOf = (seed: string, count: number): string =>
  BigInt(`0x${hashOf(seed)}`)
    .toString()
    .slice(-count)

/** Completes a number with its check digit (ISO/IEC 7812-1, Luhn). */
function cardOf(fifteen: string): string {
  let sum = 0
  for (const [index, digit] of [...fifteen].entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return `${fifteen}${(10 - (sum % 10)) % 10}`
}

/** Something that is somebody's: how it is written, and what of it must not be found. */
interface Secret {
  readonly text: string
  readonly trace: string
}

const kinds = ['email', 'card', 'phone', 'ssn'] as const
type Kind = (typeof kinds)[number]

/** Makes a secret of a kind; `way` chooses how it is written. */
function secretOf(kind: Kind, seed: string, way: number): Secret {
  const pick = <Value>(...ways: readonly [Value, ...Value[]]): Value =>
    ways[way % ways.length] ?? ways[0]
  switch (kind) {
    case 'email': {
      const word = wordOf(seed)
      const local = pick(word, `jo.${word}`, `${word}+tag`, `J_${word.toUpperCase()}`, `${word}-1`)
      const domain = pick('mail.example', 'MAIL.co.uk', 'bücher.example', 'a.b.museum')
      const dot = pick('[.]', '&#46;', '&period;', '%2E')
      const seen = ['@', '%40', '\u200b@', '＠', ' [at] ', '(at)', ' @', '@ '] as const
      const at = pick(...seen, '&#64;', '&#x40;', '&commat;', '&amp;#64;', '%EF%BC%A0')
      return {
        text: pick(
          `${local}${at}${domain}`,
          `<${local}@${domain}>`,
          `${local}[@]${domain.replaceAll('.', dot)}`,
          encodeURIComponent(`${local}${at}${domain}`),
          encodeURIComponent(encodeURIComponent(`${local}${at}${domain}`)),
        ),
        trace: word,
      }
    }
    case 'card': {
      const digits = cardOf(`4${digitsOf(seed, 14)}`)
      const gaps = [...'/_:|~*+, -.\u00a0\n', '%C2%A0', '&nbsp;', ' / ']
      const gap = (nth: number): string => gaps[(way * nth) % gaps.length] ?? ''
      // All alike, then two kinds of them in turn, then none.
      const [outer, inner] = pick<[string, string]>([gap(1), gap(1)], [gap(1), gap(2)], ['', ''])
      const [first, second, third, last] = digits.match(/.{4}/g) ?? []
      return { text: `${first}${outer}${second}${inner}${third}${outer}${last}`, trace: digits }
    }
    case 'phone': {
      const digits = `3${digitsOf(seed, 2)}4${digitsOf(seed, 6)}`
      const [area, exchange, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
      const text = pick(
        `(${area}) ${exchange}-${line}`,
        `${area}-${exchange}-${line}`,
        `${area}.${exchange}.${line}`,
        `${area}/${exchange}/${line}`,
        `${area}\u00a0${exchange}\u2011${line}`,
        `${area}%20${exchange}%C2%A0${line}`,
        `+1 ${area} ${exchange} ${line}`,
        digits,
        `1-${area}-${exchange}-${line} ext. 12`,
        `+44 ${area} ${exchange} ${line}`,
      )
      return { text, trace: digits }
    }
    case 'ssn': {
      const digits = `4${digitsOf(seed, 8)}`
      return { text: digits.replace(/^(...)(..)/, '$1-$2-'), trace: digits }
    }
  }
}

/** A text without what stands between the parts of an address or a number, escaped how often ever. */
function squeezed(text: string): string {
  let plain = text.replace(/&(?:amp;)*(?:[a-z]+|#\w+);/gi, ' ')
  while (/%[0-9a-f]{2}/i.test(plain)) {
    plain = plain.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return plain.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The answers that hold a trace. */
const holding = (answers: Answers, trace: string): string[] =>
  [...answers].filter(([, text]) => text.includes(trace)).map(([path]) => path)

const endings = ['left', 'seen', 'accepted', 'unlisted', 'rejected', 'taken back'] as const

const oneOf = <const Value>(values: readonly Value[]): fc.Arbitrary<Value> =>
  fc.constantFrom(...values)

const piece = fc.record({
  kind: oneOf(kinds),
  way: fc.nat(1_000),
  around: oneOf([
    ['', ''],
    ['Call me at ', ', please.'],
    ['mine was (', ')'],
    ['it said "', '" on 2026-03-12 at 10:15'],
    ['https://x.test/?to=', '&a=1'],
    ['https://x.test/u/', '/x'],
    ['tel:', '!'],
  ]),
})

const drawnReport = fc.record({
  type: oneOf(reportTypes),
  place: fc.nat(6),
  /** What is in the value, and how it is written. */
  kind: oneOf(kinds),
  way: fc.nat(1_000),
  ending: oneOf(endings),
  pieces: fc.array(piece, { minLength: 1, maxLength: 3 }),
  brandPiece: fc.option(piece),
})
type DrawnReport = typeof drawnReport extends fc.Arbitrary<infer Value> ? Value : never

/** Draws what is in no other report. */
class Drawing {
  /** All that was drawn and is to be found nowhere. */
  readonly secrets: Secret[] = []
  #seed = 0
  #count = 0

  /** Begins anew, with other things for each seed. */
  begin(seed: number): void {
    this.#seed = seed
  }

  seed(): string {
    return `${this.#seed} ${++this.#count}`
  }

  word(): string {
    return wordOf(this.seed())
  }

  text({ kind, way, around: [before, after] }: DrawnReport['pieces'][number]): string {
    const secret = secretOf(kind, this.seed(), way)
    if (!squeezed(secret.text).includes(secret.trace))
      throw new Error(`${secret.text} has no trace`)
    this.secrets.push(secret)
    return before + secret.text + after
  }

  /** What a report names: itself no secret, but with one in it where there is room. */
  value({ type, place, kind, way }: DrawnReport, canary: string): string {
    const escaped = (each: Kind, eachWay = way): string =>
      encodeURIComponent(this.text({ kind: each, way: eachWay, around: ['', ''] }))
    const email = (): string => escaped('email')
    // Ten digits alone are in a path how a site numbers its pages.
    const isBare = kind === 'phone' && /^\d+$/.test(secretOf(kind, '', way).text)
    const segment = (): string => escaped(kind, isBare ? way + 1 : way)
    const host = `${canary}.test`
    const urls = [
      () => host,
      () => `https://${host}/pay?id=7&mail=${email()}`,
      () => `https://${host}/?a=${escaped('card')}&b=${escaped('phone')}&c=${escaped('ssn')}`,
      () => `hxxps://${canary}[.]test/u/${segment()}/x`,
      () => `https://${host}/u/${segment()}`,
      () => `https://${email()}:${email()}@${host}/`,
      () => `https://${host}/a#${email()}`,
    ]
    switch (type) {
      case 'email':
        return `${canary}@${host}`
      case 'phone':
        return `(212) 555-${digitsOf(this.seed(), 4)}`
      case 'message':
      case 'other':
        return place === 0 ? `it reads: ${email()}, ${canary}` : (urls[place]?.() ?? '')
      case 'url':
      case 'false_positive':
        return urls[place]?.() ?? ''
    }
  }
}

describe('what is somebody’s in a report', () => {
  test('reaches no public answer, and but for the contact not the disk', async () => {
    await using world = await World.open()
    const drawing = new Drawing()
    const contacts: string[] = []
    const quick = questions.filter(([path]) => !path.startsWith('/lists/'))

    /** Sends what was drawn, settles it, and looks for it in all that the public is told. */
    const tryReports = async (seed: number, drawn: readonly DrawnReport[]): Promise<void> => {
      drawing.begin(seed)
      const first = drawing.secrets.length
      const asked = ['/ready', '/metrics', '/openapi.json'].map(get)
      const [shown, hidden]: [string[], string[]] = [[], []]
      for (const each of drawn) {
        const { type, ending, pieces, brandPiece } = each
        const [canary, host, contact] = [drawing.word(), drawing.word(), drawing.word()]
        const { row, path } = await world.report({
          type,
          value: drawing.value(each, host),
          description: `${canary}. ${pieces.map((part) => drawing.text(part)).join(' and ')}`,
          ...(brandPiece === null ? {} : { targetBrand: `Bank ${drawing.text(brandPiece)}` }),
          contact: `${contact}@mail.example`,
        })
        asked.push(get(path))
        contacts.push(contact)
        hidden.push(contact)
        const isShown = await settle(world, row, ending)
        if (isShown && type !== 'false_positive') shown.push(canary)
        else hidden.push(canary)
        // What had been listed is told to have been, so that whoever has blocked it can undo that.
        if (!isShown && ending !== 'taken back') hidden.push(host)
      }
      const secrets = drawing.secrets.slice(first)
      const words = [...shown, ...hidden, ...secrets.flatMap(({ text, trace }) => [text, trace])]
      const answers = await world.askAll([...quick, ...asked, ...words.flatMap(searchesFor)])
      const told = new Map([...answers].map(([path, text]) => [path, squeezed(withoutQuery(text))]))
      expectNone(told, secrets)
      expectNone(
        told,
        hidden.map((word) => ({ text: word, trace: word })),
      )
      for (const canary of shown) expect(holding(told, canary)).toContain('/api/rss/general')
    }

    const reports = fc.array(drawnReport, { minLength: 1, maxLength: 4 })
    await fc.assert(fc.asyncProperty(fc.nat(), reports, tryReports), { numRuns })
    const all = await world.askAll(questions)
    const told = new Map([...all].map(([path, text]) => [path, squeezed(text)]))
    expectNone(told, [...drawing.secrets, ...contacts.map((trace) => ({ text: trace, trace }))])
    const files = ['weir.db', 'weir.db-wal'].map((name) => join(world.db.dataDir, name))
    const disk = new Map(files.map((path) => [path, squeezed(readFileSync(path, 'latin1'))]))
    expectNone(disk, drawing.secrets)
    // They are looked for in the right place.
    for (const contact of contacts) expect(holding(disk, contact)).not.toEqual([])
  })
})

function expectNone(answers: Answers, secrets: readonly Secret[]): void {
  for (const { text, trace } of secrets) expect([text, holding(answers, trace)]).toEqual([text, []])
}

/** Carries out how a report ends; says whether it is shown then. */
async function settle(
  world: World,
  row: StoredReport,
  ending: DrawnReport['ending'],
): Promise<boolean> {
  switch (ending) {
    case 'left':
      return false
    case 'seen':
      await beginReview(world.review, row, 'anna')
      return false
    case 'rejected':
      await world.reject(row)
      return false
    case 'accepted':
    case 'unlisted':
      return await world.accept(row, ending === 'accepted')
    case 'taken back':
      await world.accept(row)
      await world.reject(row)
      return false
  }
}

/** An answer without what was asked, which a search repeats. */
const withoutQuery = (text: string): string => text.replace(/"query":"(?:[^"\\]|\\.)*"/, '')
