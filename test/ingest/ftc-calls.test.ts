/** The FTC's files of reported calls: what is counted, what is refused, and what is not kept. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Item } from '../../src/ingest/formats/format.ts'
import { ftcCalls } from '../../src/ingest/formats/ftc-calls.ts'
import { recogniseFormat } from '../../src/ingest/formats/recognise.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import { judge, type Refusal } from '../../src/ingest/judge.ts'
import type { Sighting } from '../../src/store/batch.ts'
import { describeWith, realData } from '../needs.ts'
import { countsOfListed, fuzzRuns, itemsOf, itemsOfFile } from './reading.ts'

const header =
  'Company_Phone_Number,Created_Date,Violation_Date,Consumer_City,Consumer_State,Consumer_Area_Code,Subject,Recorded_Message_Or_Robocall'
const day = Date.UTC(2026, 4, 14)
const imposter = '"Calls pretending to be government, businesses, or family and friends"'

/** A row of a report made on 14 May 2026. */
const row = (number: string, subject: string, time = '2026-05-14 00:00:16'): string =>
  `${number},${time},2026-05-13 11:38:00,Springfield,Ohio,202,${subject},Y`

function itemsIn(...rows: readonly string[]): readonly Item[] {
  const document = ftcCalls.read([header, ...rows, ''].join('\n'))
  if (!document.ok) throw new Error('the document was refused')
  return document.value
}

const onlyReason = (text: string): string | undefined => {
  const [item, ...others] = itemsIn(text)
  expect(others).toEqual([])
  return item?.kind === 'refused' ? item.reason : item?.kind
}

describe('ftc-calls', () => {
  test('counts the reports of a number by day and subject, over the whole file', () => {
    const items = itemsIn(
      row('2025552368', imposter),
      row('2025552369', 'Other'),
      row('2025552368', imposter, '2026-05-14 23:59:59'),
      row('12025552368', 'Other'),
      row('2025552368', imposter, '2026-05-13 08:00:00'),
    )
    expect(items).toEqual([
      {
        kind: 'phone',
        text: '2025552368',
        firstSeenAt: Date.UTC(2026, 4, 13, 8),
        calls: [
          { day, subject: 'imposter', count: 2 },
          { day, subject: 'other', count: 1 },
          { day: day - 86_400_000, subject: 'imposter', count: 1 },
        ],
      },
      {
        kind: 'phone',
        text: '2025552369',
        firstSeenAt: Date.UTC(2026, 4, 14, 0, 0, 16),
        calls: [{ day, subject: 'other', count: 1 }],
      },
    ])
  })

  const topics: readonly [string, string][] = [
    ['No Subject Provided', 'none_given'],
    ['', 'none_given'],
    ['Other', 'other'],
    ['A topic of next year', 'other'],
    ['Dropped call or no message', 'dropped_call'],
    ['"Reducing your debt (credit cards, mortgage, student loans)"', 'debt_reduction'],
    [imposter, 'imposter'],
    ['Medical & prescriptions', 'medical'],
    ['Medical  & prescriptions', 'medical'],
    ['WARRANTIES & protection plans', 'warranty'],
    ['"Lotteries, prizes & sweepstakes"', 'lottery_prize'],
    ['"Energy, solar, & utilities"', 'energy'],
    ['Computer & technical support', 'tech_support'],
    ['Home improvement & cleaning', 'home_improvement'],
    ['Home security & alarms', 'home_security'],
    ['Vacation & timeshares', 'travel'],
    ['Work from home & other ways to make money', 'work_from_home'],
    ['Charities', 'charity'],
    ['Surveys & political calls', 'survey_political'],
    ['Debt collection', 'debt_collection'],
  ]
  for (const [topic, subject] of topics) {
    test(`reads the topic ${topic || '(none)'} as ${subject}`, () => {
      expect(itemsIn(row('2025552368', topic))).toMatchObject([{ calls: [{ subject }] }])
    })
  }

  const whole = `2025552368,2026-05-14 00:00:16,,,,,Other,`
  const refused: readonly [string, string, string][] = [
    ['a report without a number', row('', 'Other'), 'no_number'],
    ['a row that is cut short', '2025552368,2026-05-14 00:0', 'malformed_row'],
    ['a row of too many cells', `${whole},`, 'malformed_row'],
    ['a quote that is not closed', row('2025552368', '"Other'), 'malformed_row'],
    ['a date in the place of the number', row('2026-05-14 00:00:16', 'Other'), 'malformed_row'],
    ['a company in the place of the number', row('ACME Inc', 'Other'), 'malformed_row'],
    ['no date', row('2025552368', 'Other', ''), 'malformed_row'],
    ['no day of the calendar', row('2025552368', 'Other', '2026-13-14 00:00:16'), 'malformed_row'],
    [
      'columns shifted to the right',
      '2025552368,2026-05-14 00:00:16,2026-05-13 11:38:00,,Springfield,Ohio,202,Other',
      'malformed_row',
    ],
    [
      'columns shifted to the left',
      '2025552368,2026-05-14 00:00:16,Springfield,Ohio,202,Other,Y,',
      'malformed_row',
    ],
    ['a mark that is neither Y nor N', `${whole}maybe`, 'malformed_row'],
    ['nothing wrong', whole, 'phone'],
  ]
  for (const [name, text, reason] of refused) {
    test(`${name}: ${reason}`, () => {
      expect(onlyReason(text)).toBe(reason)
    })
  }

  test('refuses a document of other columns, or of none', () => {
    expect(ftcCalls.read('').ok).toBe(false)
    expect(ftcCalls.read('<!doctype html>').ok).toBe(false)
    expect(ftcCalls.read(`${header.replace('Subject', 'Topic')}\n${whole}`).ok).toBe(false)
  })

  test('reads a byte order mark, CRLF and bytes of cp1252', async () => {
    const text = `\uFEFF${header}\r\n${row('2025552368', 'Other')}\r\n`
    const bytes = new TextEncoder().encode(text).map((byte) => (byte === 0x66 ? 0xe9 : byte))
    expect(await itemsOf(ftcCalls, new Blob([bytes]))).toMatchObject([{ text: '2025552368' }])
  })

  test('keeps nothing of the people who reported', () => {
    const items = JSON.stringify(itemsIn(row('2025552368', 'Other')))
    expect(items).not.toMatch(/springfield|ohio|"202"/i)
  })

  test('is recognised by its header', () => {
    expect(recogniseFormat(`${header}\n${whole}\n`)).toBe('ftc-calls')
    expect(recogniseFormat('Company_Phone_Number,Subject\n2025552368,Other\n')).not.toBe(
      'ftc-calls',
    )
  })

  test('never throws, and counts every row once', () => {
    const cell = fc.constantFrom('', '2025552368', '2026-05-14 00:00:16', 'Other', 'Y', '"', 'a,b')
    const line = fc.array(cell, { minLength: 1, maxLength: 9 }).map((cells) => cells.join(','))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const items = itemsIn(...lines)
        const counted = items.map((item) =>
          item.kind === 'refused'
            ? 1
            : (item.calls ?? []).reduce((sum, { count }) => sum + count, 0),
        )
        const filled = lines.filter((text) => text.trim() !== '').length
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(filled)
      }),
      fuzzRuns,
    )
  })
})

describe('judging a phone number', () => {
  const guards = loadGuards()
  const rows: readonly [string, Sighting | Refusal][] = [
    ['2025552368', { type: 'phone', value: '+12025552368' }],
    ['(202) 555-2368', { type: 'phone', value: '+12025552368' }],
    ['8005552368', { type: 'phone', value: '+18005552368' }],
    ['9005552368', { type: 'phone', value: '+19005552368' }],
    ['0000', 'not_a_phone'],
    ['', 'not_a_phone'],
    ['0123456789', 'forbidden_number'],
    ['2025550100', 'forbidden_number'],
    ['9119119111', 'forbidden_number'],
  ]
  for (const [text, outcome] of rows) {
    test(`${text || '(nothing)'}: ${typeof outcome === 'string' ? outcome : outcome.value}`, () => {
      const judged = judge({ kind: 'phone', text }, guards)
      expect(judged.ok ? judged.value : judged.reason).toEqual(outcome)
    })
  }

  test('keeps the calls that were reported', () => {
    const calls = [{ day, subject: 'imposter', count: 2 }] as const
    const judged = judge({ kind: 'phone', text: '2025552368', calls }, guards)
    expect(judged).toEqual({ ok: true, value: { type: 'phone', value: '+12025552368', calls } })
  })
})

describeWith(realData())('real rows of the FTC', () => {
  test('are listed, but for the blank number and the impossible one', async () => {
    const items = await itemsOfFile(ftcCalls, join('feeds', 'ftc_dnc_complaints.csv'))
    expect(countsOfListed(items, loadGuards())).toEqual({
      phone: 6,
      '(no_number)': 1,
      '(forbidden_number)': 1,
    })
  })
})
