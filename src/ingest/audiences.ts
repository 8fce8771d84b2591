/**
 * Finds the audiences that an article, a report or a listing concerns, by the rules of
 * `data/audience-words.txt`. Dashboards and RSS feeds select by them.
 *
 * The same item always has the same audiences: none, one or several. Each comes with the words that decided,
 * so that a reader can see why. Pure.
 */

import wordsText from '../../data/audience-words.txt' with { type: 'text' }
import type { Audience, AudienceWords } from '../model/audience.ts'
import { factLines } from '../model/fact-lines.ts'
import { type Indicator, toThreatLevel } from '../model/indicator.ts'
import type { NewsArticle } from '../model/news.ts'
import { PhraseFinder, type PhraseMark, parsePhraseTable } from '../model/phrases.ts'
import { HostWordFinder } from './host-words.ts'

/** The weight of a phrase in a title; of one in a summary, or a weak one; and the sum that is needed. */
const titleWeight = 3
const summaryWeight = 1
const threshold = 3

/** Maximum number of words reported for each audience. */
const reportedMax = 8

/** Reported when the audience is a default of the source. */
const sourceWord = 'source'
/** Reported when being a consumer's report is enough. */
const reportWord = 'report'

/**
 * The longest description that counts as a title: a report has none, and each word of a few lines is about
 * its subject. In a long story a word may occur by chance, so three are needed.
 */
const shortReportMax = 280

/** Increase it when a rule outside the table changes. */
const rulesEdition = 2

const table = parsePhraseTable(wordsText)

const findPhrases = (name: string) => table.find((group) => group.name === name)?.phrases ?? []

/** The order of phrases of one length: an excluded one is found first, a weak one last. */
const marks: readonly PhraseMark[] = ['excluded', 'plain', 'weak']

const finders = (['professional', 'elder', 'general'] as const).map((audience) => {
  const phrases = findPhrases(audience).map(({ pattern, mark }) => ({ pattern, meaning: mark }))
  phrases.sort((a, b) => marks.indexOf(a.meaning) - marks.indexOf(b.meaning))
  return { audience, finder: new PhraseFinder(phrases) }
})

const elderHosts = new HostWordFinder(findPhrases('elder host').map(({ pattern }) => pattern))

/** Changes with the rules, so that stored audiences are then computed again. */
export const audienceRulesVersion: string = new Bun.CryptoHasher('sha256')
  .update([rulesEdition, ...factLines(wordsText)].join('\n'))
  .digest('hex')
  .slice(0, 16)

/** The longest text that is searched; a title and a summary have 600 characters. */
const textLengthMax = 4_000

/** Normalizes a text for the search of phrases. */
const toSearched = (text: string): string =>
  text.slice(0, textLengthMax).toWellFormed().normalize('NFKC').toLowerCase()

/** The texts of an item, by the weight of a phrase in them. */
interface Texts {
  readonly titles: readonly string[]
  readonly summaries: readonly string[]
}

type Found = Partial<Record<Audience, readonly string[]>>

/** Returns the total weight of the phrases in an item, and their words; a phrase counts once per text. */
function weigh(finder: PhraseFinder<PhraseMark>, { titles, summaries }: Texts): [number, string[]] {
  let score = 0
  const found = new Set<string>()
  const add = (texts: readonly string[], weight: number): void => {
    for (const text of texts) {
      const counted = new Set<string>()
      for (const { pattern, meaning, start, end } of finder.findLongest(text)) {
        if (meaning === 'excluded' || counted.has(pattern)) continue
        counted.add(pattern)
        score += meaning === 'weak' ? summaryWeight : weight
        if (found.size < reportedMax) found.add(text.slice(start, end).replace(/\s+/g, ' '))
      }
    }
  }
  add(titles, titleWeight)
  add(summaries, summaryWeight)
  return [score, [...found]]
}

function findTextAudiences({ titles, summaries }: Texts, defaults: readonly Audience[]): Found {
  const found: Found = {}
  const texts = { titles: titles.map(toSearched), summaries: summaries.map(toSearched) }
  for (const { audience, finder } of finders) {
    const [score, words] = weigh(finder, texts)
    if (score >= threshold) found[audience] = words
    else if (defaults.includes(audience)) found[audience] = [...words, sourceWord]
  }
  return found
}

/**
 * Returns the audiences of an article; those in `defaults` always apply. `source` among the words means that
 * the others would not have been enough.
 */
export function findArticleAudiences(
  { title, summary }: Pick<NewsArticle, 'title' | 'summary'>,
  defaults: readonly Audience[],
): AudienceWords {
  const texts = { titles: [title], summaries: [summary] }
  return findTextAudiences(texts, defaults)
}

/** The fields of a report that decide its audiences. */
export interface ReportedThing {
  /** The reported URL, address or number, if any. */
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

/** Returns the audiences of an accepted report of a consumer; the general public is always one. */
export function findReportAudiences({
  value,
  description,
  targetBrand,
}: ReportedThing): AudienceWords {
  const story = description ?? ''
  const isShort = story.length <= shortReportMax
  const named = [value ?? '', targetBrand ?? '']
  const found = findTextAudiences(
    {
      titles: isShort ? [...named, story] : named,
      summaries: isShort ? [] : [story],
    },
    [],
  )
  const host = value === null ? null : hostIn(value)
  const hostWords = host === null ? [] : findHostWords(host)
  const elder = [...new Set([...(found.elder ?? []), ...hostWords])].slice(0, reportedMax)
  return { ...found, ...(elder.length === 0 ? {} : { elder }), general: [reportWord] }
}

/** The fields of a listing that decide its audiences. */
export interface ListedThing
  extends Pick<Indicator, 'type' | 'value' | 'threatType' | 'confidence'> {
  readonly host?: string | null
  readonly targetBrand?: string | null
}

/** Returns the words of the elder list in a host's labels except the last. */
function findHostWords(host: string): readonly string[] {
  return elderHosts.find(host, Math.max(0, host.lastIndexOf('.')))
}

/** Maximum number of cached brands; sources name a few hundred. */
const brandsMax = 10_000
const wordsOfBrand = new Map<string, readonly string[]>()

/** Returns the words of the elder list in a brand's name. */
function findBrandWords(brand: string): readonly string[] {
  const known = wordsOfBrand.get(brand)
  if (known !== undefined) return known
  const name = (toSearched(brand).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join('-')
  const words = elderHosts.find(name, name.length)
  if (wordsOfBrand.size >= brandsMax) wordsOfBrand.clear()
  wordsOfBrand.set(brand, words)
  return words
}

/** The answers for most rows of an import, allocated once. */
const noAudience: AudienceWords = Object.freeze({})
const levels: Readonly<Record<'high' | 'critical', AudienceWords>> = {
  high: Object.freeze({ professional: Object.freeze(['high']) }),
  critical: Object.freeze({ professional: Object.freeze(['critical']) }),
}

const noWords: readonly string[] = []

/**
 * Returns the audiences of a listing: professionals by its threat level, the general public when it
 * phishes or defrauds in a brand's name, older people by the words in its host or its brand.
 */
export function findListingAudiences(thing: ListedThing): AudienceWords {
  const { type, value, threatType, targetBrand = null } = thing
  const level = toThreatLevel(threatType, thing.confidence)
  const professional = level === 'high' || level === 'critical' ? levels[level] : noAudience
  const isNamed = type === 'domain' || type === 'url' || type === 'email'
  const host = thing.host ?? (type === 'domain' ? value : null)
  const hostWords = isNamed && host !== null ? findHostWords(host) : noWords
  if (targetBrand === null) {
    return hostWords.length === 0 ? professional : { ...professional, elder: hostWords }
  }
  const found: Found = { ...professional }
  const brandWords = isNamed ? findBrandWords(targetBrand) : noWords
  if (hostWords.length > 0 || brandWords.length > 0) {
    found.elder = [...new Set([...hostWords, ...brandWords])]
  }
  if (threatType === 'phishing' || threatType === 'scam') found.general = [targetBrand]
  return found
}
