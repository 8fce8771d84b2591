/**
 * Whom an article, a report or a listing concerns, and by which words: the rules of the dashboards and of
 * the feeds that are made for an audience (`data/audience-words.txt`).
 *
 * The same item has the same audiences wherever and whenever it is asked; several audiences, or none.
 * Every answer names the words that decided, so that whoever wonders can see why. Pure.
 */

import wordsText from '../../data/audience-words.txt' with { type: 'text' }
import type { Audience, AudienceWords } from '../model/audience.ts'
import { factLines } from '../model/fact-lines.ts'
import { type Indicator, toThreatLevel } from '../model/indicator.ts'
import type { NewsArticle } from '../model/news.ts'
import {
  HostWordFinder,
  PhraseFinder,
  readSections,
  type Words,
  wordsOf,
} from './audience-words.ts'

/** What a phrase counts in a title, and in a summary or where it is weak; what makes an audience. */
const titleWeight = 3
const summaryWeight = 1
const threshold = 3

/** So many words are told of each audience; the others add nothing for a reader. */
const toldMax = 8

/** Told where a source's own audience decided. */
const sourceWord = 'source'
/** Told where it is enough that somebody reported it. */
const reportWord = 'report'

/**
 * A report has no title. In a few lines each word is what the report is about, and counts as in a title;
 * in a long story one may stand by chance, and three have to meet.
 */
const shortReportMax = 280

/** Raised when a rule changes that does not stand in the table. */
const rulesEdition = 1

const sections = readSections(wordsText)
const linesOf = (section: string): readonly string[] => sections.get(section) ?? []

const finders: readonly (readonly [Audience, PhraseFinder])[] = [
  ['professional', new PhraseFinder(linesOf('professional'))],
  ['elder', new PhraseFinder(linesOf('elder'))],
  ['general', new PhraseFinder(linesOf('general'))],
]

const elderHosts = new HostWordFinder(linesOf('elder host'))

/** Changes when the rules do: what was sorted by another version is to be sorted anew. */
export const audienceRulesVersion: string = new Bun.CryptoHasher('sha256')
  .update([rulesEdition, ...factLines(wordsText)].join('\n'))
  .digest('hex')
  .slice(0, 16)

/** Texts of an item, by what a phrase counts in them. */
interface Texts {
  readonly titles: readonly Words[]
  readonly summaries: readonly Words[]
}

type Told = Partial<Record<Audience, readonly string[]>>

/** Returns what the phrases of a list count in an item, and their words. */
function weigh(finder: PhraseFinder, { titles, summaries }: Texts): [number, string[]] {
  let score = 0
  const told = new Set<string>()
  const add = (texts: readonly Words[], weight: number): void => {
    for (const text of texts) {
      for (const { words, isWeak } of finder.find(text)) {
        score += isWeak ? summaryWeight : weight
        if (told.size < toldMax) told.add(words)
      }
    }
  }
  add(titles, titleWeight)
  add(summaries, summaryWeight)
  return [score, [...told]]
}

function audiencesOfTexts(texts: Texts, defaults: readonly Audience[]): Told {
  const told: Told = {}
  for (const [audience, finder] of finders) {
    const [score, words] = weigh(finder, texts)
    if (score >= threshold) told[audience] = words
    else if (defaults.includes(audience)) told[audience] = [...words, sourceWord]
  }
  return told
}

/**
 * Returns the audiences of an article from a source whose articles are for `defaults` in any case; `source`
 * among the words says that without it the words would not have been enough.
 */
export function audiencesOfArticle(
  { title, summary }: Pick<NewsArticle, 'title' | 'summary'>,
  defaults: readonly Audience[],
): AudienceWords {
  const texts = { titles: [wordsOf(title)], summaries: [wordsOf(summary)] }
  return audiencesOfTexts(texts, defaults)
}

/** What the audiences of a report are told by. */
export interface ReportedThing {
  /** What was reported: an address, a number, or nothing of the kind. */
  readonly value: string | null
  readonly description: string | null
  readonly targetBrand: string | null
}

/** Returns the host in an address or of an e-mail address, or null. */
function hostIn(value: string): string | null {
  const [, host] =
    /^(?:[a-z][a-z0-9+.-]{0,20}:\/\/)?(?:[^/?#@\s]*@)?([a-z0-9._-]+)/i.exec(value) ?? []
  return host?.includes('.') === true ? host.toLowerCase() : null
}

/** Returns the audiences of a report of a consumer that was accepted: always the general public. */
export function audiencesOfReport({
  value,
  description,
  targetBrand,
}: ReportedThing): AudienceWords {
  const story = wordsOf(description ?? '')
  const isShort = (description ?? '').length <= shortReportMax
  const named = [value ?? '', targetBrand ?? ''].map(wordsOf)
  const told = audiencesOfTexts(
    {
      titles: isShort ? [...named, story] : named,
      summaries: isShort ? [] : [story],
    },
    [],
  )
  const host = value === null ? null : hostIn(value)
  const hostWords = host === null ? [] : elderWordsOfHost(host)
  const elder = [...new Set([...(told.elder ?? []), ...hostWords])].slice(0, toldMax)
  return { ...told, ...(elder.length === 0 ? {} : { elder }), general: [reportWord] }
}

/** What the audiences of a listing are told by. */
export interface ListedThing
  extends Pick<Indicator, 'type' | 'value' | 'threatType' | 'confidence'> {
  readonly host?: string | null
  readonly targetBrand?: string | null
}

/** Returns the words of the elder list in a host's labels, but for its ending. */
function elderWordsOfHost(host: string): readonly string[] {
  return elderHosts.find(host, Math.max(0, host.lastIndexOf('.')))
}

/** So many brands are remembered with their words; sources name some hundreds. */
const brandsMax = 10_000
const wordsOfBrand = new Map<string, readonly string[]>()

/** Returns the words of the elder list in a brand's name. */
function elderWordsOfBrand(brand: string): readonly string[] {
  const known = wordsOfBrand.get(brand)
  if (known !== undefined) return known
  const name = wordsOf(brand).words.join('-')
  const words = elderHosts.find(name, name.length)
  if (wordsOfBrand.size >= brandsMax) wordsOfBrand.clear()
  wordsOfBrand.set(brand, words)
  return words
}

/** Most rows of an import have one of these answers, which are made once. */
const nobody: AudienceWords = Object.freeze({})
const levels: Readonly<Record<'high' | 'critical', AudienceWords>> = {
  high: Object.freeze({ professional: Object.freeze(['high']) }),
  critical: Object.freeze({ professional: Object.freeze(['critical']) }),
}

const noWords: readonly string[] = []

/**
 * Returns the audiences of a listing: professionals by its threat level, the general public when it
 * phishes or defrauds in a brand's name, older people by the words in its host or its brand.
 */
export function audiencesOfIndicator(thing: ListedThing): AudienceWords {
  const { type, value, threatType, targetBrand = null } = thing
  const level = toThreatLevel(threatType, thing.confidence)
  const professional = level === 'high' || level === 'critical' ? levels[level] : nobody
  const isNamed = type === 'domain' || type === 'url' || type === 'email'
  const host = thing.host ?? (type === 'domain' ? value : null)
  const hostWords = isNamed && host !== null ? elderWordsOfHost(host) : noWords
  if (targetBrand === null) {
    return hostWords.length === 0 ? professional : { ...professional, elder: hostWords }
  }
  const told: Told = { ...professional }
  const brandWords = isNamed ? elderWordsOfBrand(targetBrand) : noWords
  if (hostWords.length > 0 || brandWords.length > 0) {
    told.elder = [...new Set([...hostWords, ...brandWords])]
  }
  if (threatType === 'phishing' || threatType === 'scam') told.general = [targetBrand]
  return told
}
