/** Area codes of phone numbers: their region, kind and risk. The codes are in `data/area-codes.txt`. */

import areaCodesText from '../../data/area-codes.txt' with { type: 'text' }
import { readFacts } from '../model/fact-lines.ts'
import {
  type AreaCodeKind,
  type AreaCodeRisk,
  areaCodeKinds,
  areaCodeRisks,
  type PhoneNumber,
} from '../model/phone.ts'

/** The area code of a number. */
export interface AreaCode {
  readonly code: string
  /** The state, province or country; null for none. */
  readonly region: string | null
  /** ISO 3166; null for none, or when unknown. */
  readonly country: string | null
  readonly kind: AreaCodeKind
  readonly risk: AreaCodeRisk
  /** The risk in a sentence; null when there is none. */
  readonly note: string | null
}

type Entry = Omit<AreaCode, 'code' | 'note'>

const isKind = (word: string): word is AreaCodeKind => areaCodeKinds.some((kind) => kind === word)
const isRisk = (word: string): word is AreaCodeRisk => areaCodeRisks.some((risk) => risk === word)

/**
 * Parses the table: `region | country | kind | risk | codes` on each line. Throws a `FactError` at the first
 * invalid line or repeated code.
 */
export function parseAreaCodes(text: string): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const { text: line, fail } of readFacts('area codes', text)) {
    const cells = line.split('|').map((cell) => cell.trim())
    const [region = '', country = '', kind = '', risk = '', codes = ''] = cells
    if (region === '' || codes === '' || cells.length !== 5) {
      fail('write region | country | kind | risk | codes')
    }
    if (!/^(?:[A-Z]{2}|-)$/.test(country)) fail('the country must be two capital letters or -')
    if (!isKind(kind)) return fail(`the kind must be one of ${areaCodeKinds.join(', ')}`)
    if (!isRisk(risk)) return fail(`the risk must be one of ${areaCodeRisks.join(', ')}`)
    for (const code of codes.split(' ')) {
      if (!/^[2-9]\d\d$/.test(code)) fail(`${code} is not an area code`)
      if (entries.has(code)) fail(`${code} is in the table twice`)
      entries.set(code, { region, country: country === '-' ? null : country, kind, risk })
    }
  }
  return entries
}

const unassigned: Entry = { region: null, country: null, kind: 'unassigned', risk: 'high' }

const premium: Pick<Entry, 'kind' | 'risk'> = { kind: 'premium', risk: 'high' }

/** The exchange of pay-per-call services, in every area. */
const premiumExchange = '976'

/** Returns the advice about a code; null for an ordinary one. */
function formatNote({ kind, risk, region }: Entry, code: string): string | null {
  switch (kind) {
    case 'geographic':
      return risk === 'none' ? null : `Area code ${code} is in Canada; calls to it may cost more.`
    case 'foreign_nanp':
      return risk === 'high'
        ? `Area code ${code} belongs to ${region}: the FTC named it in warnings of calls that ring once so that people call back and pay for it.`
        : `Area code ${code} belongs to ${region}, though it looks like a domestic one: calling back may cost international rates.`
    case 'toll_free':
      return `Area code ${code} is toll-free: it does not show where the caller is.`
    case 'premium':
      return 'Calls to this number are charged at a premium rate; there is no need to call it back.'
    case 'personal':
      return `Area code ${code} is for personal numbers, which follow their owner: calling back may cost extra.`
    case 'non_geographic':
      return `Area code ${code} is for non-geographic services in Canada.`
    case 'carrier':
      return `Area code ${code} is for services of the subscriber's carrier; ordinary calls do not come from it.`
    case 'government':
      return `Area code ${code} is for emergency services of the federal government; ordinary calls do not come from it.`
    case 'reserved':
      return `Area code ${code} is reserved for future toll-free numbers: a call that shows it likely has a forged caller ID.`
    case 'unassigned':
      return `Area code ${code} is not assigned, as far as weir knows: a call that shows it likely has a forged caller ID.`
  }
}

/** Looks up area codes in a table. */
export class AreaCodes {
  readonly #entries: ReadonlyMap<string, Entry>

  constructor(entries: ReadonlyMap<string, Entry>) {
    this.#entries = entries
  }

  /** Returns the area code of a number, whether or not the plan allows the number. */
  of(number: PhoneNumber): AreaCode {
    const { areaCode: code, exchange } = number
    const entry = this.#entries.get(code) ?? unassigned
    const isPremium = exchange === premiumExchange && entry.kind === 'geographic'
    const known = isPremium ? { ...entry, ...premium } : entry
    return { code, ...known, note: formatNote(known, code) }
  }
}

/** Loads the area codes that ship with weir. */
export function loadAreaCodes(): AreaCodes {
  return new AreaCodes(parseAreaCodes(areaCodesText))
}
