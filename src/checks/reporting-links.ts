/** Where to report a call, by subject and country; from `data/reporting-links.txt`. */

import linksText from '../../data/reporting-links.txt' with { type: 'text' }
import { type Fact, readFacts } from '../model/fact-lines.ts'
import { type CallSubject, callSubjects } from '../model/phone.ts'

/** A page for reports. */
export interface ReportingLink {
  readonly name: string
  readonly url: string
}

interface Entry {
  readonly link: ReportingLink
  readonly when: readonly string[]
}

const always = 'always'

const isWhen = (word: string): boolean =>
  word === always || /^[A-Z]{2}$/.test(word) || callSubjects.some((subject) => subject === word)

function parseEntry({ text, fail }: Fact): Entry {
  const cells = text.split('|').map((cell) => cell.trim())
  const [name = '', url = '', words = ''] = cells
  if (name === '' || cells.length !== 3) fail('write name | address | when')
  if (!url.startsWith('https://') || !URL.canParse(url))
    fail('the address must begin with https://')
  const when = words.split(' ')
  const wrong = when.find((word) => !isWhen(word))
  if (wrong !== undefined) fail(`"${wrong}" is neither always, a country nor a subject`)
  return { link: { name, url }, when }
}

/** Parses the table: `name | address | when` on each line. Throws a `FactError` at the first invalid line. */
export function parseReportingLinks(text: string): readonly Entry[] {
  return [...readFacts('reporting links', text)].map(parseEntry)
}

/** Selects links for calls. */
export class ReportingLinks {
  readonly #entries: readonly Entry[]

  constructor(entries: readonly Entry[]) {
    this.#entries = entries
  }

  /** Returns where to report calls about `subject` from a number of `country`; null when unknown. */
  about(subject: CallSubject | null, country: string | null): readonly ReportingLink[] {
    return this.#entries
      .filter(({ when }) => when.some((word) => [always, subject, country].includes(word)))
      .map(({ link }) => link)
  }
}

/** Loads the links that ship with weir. */
export function loadReportingLinks(): ReportingLinks {
  return new ReportingLinks(parseReportingLinks(linksText))
}
