/** Facts about words in names other than brands: the fact files of `data/`, as sets and maps. */

import confusablesText from '../../../data/confusables.txt' with { type: 'text' }
import contentNetworksText from '../../../data/content-networks.txt' with { type: 'text' }
import innocentWordsText from '../../../data/innocent-words.txt' with { type: 'text' }
import keywordsText from '../../../data/keywords.txt' with { type: 'text' }
import riskyEndingsText from '../../../data/risky-endings.txt' with { type: 'text' }
import { factLines, readFacts } from '../../model/fact-lines.ts'

/** The facts as they are written. */
export const nameFactTexts: readonly string[] = [
  confusablesText,
  contentNetworksText,
  innocentWordsText,
  keywordsText,
  riskyEndingsText,
]

/** The topic of a keyword; `strong` words are about wallets and coins and rare elsewhere. */
export const keywordKinds = [
  'account',
  'delivery',
  'lure',
  'crypto',
  'strong',
  'business',
  'plain',
] as const
export type KeywordKind = (typeof keywordKinds)[number]

export interface Keyword {
  readonly text: string
  readonly kind: KeywordKind
}

export interface NameFacts {
  readonly keywords: ReadonlyMap<string, Keyword>
  /** Top-level labels. */
  readonly riskyEndings: ReadonlySet<string>
  /** Names of services that put their customers' names in front. */
  readonly contentNetworks: ReadonlySet<string>
  readonly innocentWords: ReadonlySet<string>
  /** Letters that look like ASCII, and what they look like. */
  readonly confusables: ReadonlyMap<string, string>
}

const isKind = (word: string): word is KeywordKind => keywordKinds.some((kind) => kind === word)

function readKeywords(text: string): ReadonlyMap<string, Keyword> {
  const keywords = new Map<string, Keyword>()
  for (const { text: line, fail } of readFacts('keywords', text)) {
    const [word = '', kind = '', ...rest] = line.split(/\s+/)
    if (!isKind(kind) || rest.length > 0) {
      return fail(`write a word and one of ${keywordKinds.join(', ')}`)
    }
    keywords.set(word, { text: word, kind })
  }
  return keywords
}

/** Reads `target look-alikes…` lines; a target is what the others look like. */
export function readConfusables(text: string): ReadonlyMap<string, string> {
  const confusables = new Map<string, string>()
  for (const line of factLines(text)) {
    const [target = '', ...lookalikes] = line.split(/\s+/)
    for (const lookalike of lookalikes) confusables.set(lookalike, target)
  }
  return confusables
}

/** Reads the facts that ship with weir. */
export function loadNameFacts(): NameFacts {
  return {
    keywords: readKeywords(keywordsText),
    riskyEndings: new Set(factLines(riskyEndingsText)),
    contentNetworks: new Set(factLines(contentNetworksText)),
    innocentWords: new Set(factLines(innocentWordsText)),
    confusables: readConfusables(confusablesText),
  }
}
