/**
 * The rules about a name or an address as a whole, besides those about brands (`brand-rules`): each has a code,
 * says how many points it gives (0: it does not apply), and why, in one sentence.
 */

import type { RelatedCounts } from '../../index/related-names.ts'
import type { Brand } from '../../model/brand.ts'
import { toUnicode } from '../../model/domain.ts'
import { mixedScripts } from '../../model/skeleton.ts'
import type { CanonicalUrl } from '../../model/url.ts'
import type { LookalikeCode } from '../../model/verdict.ts'
import type { NameReading } from './lookalikes.ts'
import type { Keyword } from './name-facts.ts'
import { isExposed, isPhishingWord } from './name-signs.ts'
import type { Token } from './name-tokens.ts'

/** A rule about subjects of one kind. */
export interface Rule<Subject> {
  readonly code: LookalikeCode
  points(subject: Subject): number
  says(subject: Subject): string
}

/** A name, and the number of listed names that are related to it. */
export interface RelatedNameSubject {
  readonly name: NameReading
  readonly related: RelatedCounts
}

/** A URL, and the brands whose addresses are in parts of it that do not lead to them. */
export interface UrlSubject {
  readonly url: CanonicalUrl
  readonly inUserinfo: Brand | null
  readonly inPath: Brand | null
}

/** What a registered label begins with to look as if a name ended before it. */
const falseEnding = /^(?:com|gov|org|net|co|us|uk|ca)-/

/** Eight hexadecimal digits, with a letter and a digit: a number that a program generated. */
const hexLabel = /^(?=[0-9a-f]{8}$)(?=[a-f]*[0-9])(?=[0-9]*[a-f])/

/** Labels left of a name that look like an address themselves. */
const addressLeft = /(?:^|\.)[a-z0-9-]{3,63}\.(?:com|gov|(?:com?|gov)\.[a-z]{2})$/

const leftIsReal = (name: NameReading): boolean => name.left !== '' && name.left !== 'www'

const cryptoWords = ({ keywords }: NameReading): readonly Keyword[] =>
  keywords.filter(({ kind }) => kind === 'crypto' || kind === 'strong')

const isStrong = ({ kind }: Keyword): boolean => kind === 'strong'

/** What lures tell people to do with a wallet, and its maker never does. */
const walletActs: ReadonlySet<string> = new Set(
  'connect sync synchronize fix rectify restore recover recovery claim auth authenticate validate validation verify verification migrate migration unlock access'.split(
    ' ',
  ),
)
const walletNouns: ReadonlySet<string> = new Set(
  'wallet wallets dapp dapps defi airdrop'.split(' '),
)

const isWalletLure = ({ keywords }: NameReading): boolean =>
  keywords.some(({ text }) => walletNouns.has(text)) &&
  keywords.some(({ text }) => walletActs.has(text))

/** The number of telling words that is not a coincidence. */
const lureWordsMin = 3

const tellingCount = (tokens: readonly Token[]): number =>
  tokens.filter(({ keyword }) => isPhishingWord(keyword)).length

const quoted = (words: readonly Keyword[]): string =>
  [...new Set(words.map(({ text }) => `"${text}"`))].join(', ')

/** Rules about the name as a whole. */
export const nameRules: readonly Rule<NameReading>[] = [
  {
    code: 'ending_in_name',
    points: (name) => {
      if (!name.label.includes('-') || !falseEnding.test(name.label)) return 0
      if (leftIsReal(name)) return 70
      return name.hasRiskyEnding && /^com-[a-z0-9-]{3}/.test(name.label) ? 45 : 0
    },
    says: (name) =>
      `${[name.left, name.label].filter(Boolean).join('.')} is written to look as if the name ended before the hyphen.`,
  },
  {
    code: 'ending_in_subdomain',
    points: (name) => (name.left.includes('.') && addressLeft.test(name.left) ? 50 : 0),
    says: (name) =>
      `It begins with ${name.left} to look like that address, but lies under ${name.label}.${name.ending}.`,
  },
  {
    code: 'mixed_scripts',
    points: (name) => {
      const unicode = toUnicode(name.label)
      if (unicode === null || mixedScripts(unicode) === null) return 0
      // Letters that do not look like Latin ones do not deceive.
      return name.tokens.some(({ isOfLabel, text, written }) => isOfLabel && text !== written)
        ? 60
        : 0
    },
    says: (name) => `${toUnicode(name.label)} mixes letters of scripts that no language mixes.`,
  },
  {
    code: 'wallet_lure',
    points: (name) => (isWalletLure(name) ? 50 : 0),
    says: (name) => `It uses words of pages that empty wallets: ${quoted(cryptoWords(name))}.`,
  },
  {
    code: 'crypto_lure',
    points: (name) => {
      if (name.keywords.length < 2) return 0
      const words = cryptoWords(name)
      const strong = words.filter(isStrong).length
      if (strong === 0 || words.length < 2) return 0
      return Math.min(60, 25 + 10 * (words.length - 2) + (isExposed(name) ? 10 : 0))
    },
    says: (name) => `It heaps up words of the crypto trade: ${quoted(cryptoWords(name))}.`,
  },
  {
    code: 'lure_words',
    points: ({ tokens, keywords }) =>
      keywords.length >= lureWordsMin && tellingCount(tokens) >= lureWordsMin ? 50 : 0,
    says: ({ keywords }) => `It is made of words that phishing pages use: ${quoted(keywords)}.`,
  },
  {
    code: 'machine_made',
    points: (name) => (name.hasRiskyEnding && hexLabel.test(name.left) ? 45 : 0),
    says: (name) =>
      `${name.left} is made by a machine, as in names that are used once and thrown away.`,
  },
]

/** Rules that add weight to other reasons, and do not count alone. */
export const modifierRules: readonly Rule<NameReading>[] = [
  {
    code: 'keywords',
    points: (name) => {
      if (name.keywords.length === 0 || !isExposed(name)) return 0
      const count = tellingCount(name.tokens)
      return count === 0 ? 0 : count === 1 ? 5 : 25
    },
    says: ({ keywords }) => `Phishing pages often use ${quoted(keywords.filter(isPhishingWord))}.`,
  },
  {
    code: 'risky_ending',
    points: (name) => (name.hasRiskyEnding ? 10 : name.isHosted ? 5 : 0),
    says: ({ ending, isHosted }) => `Phishing is common on ${isHosted ? ending : `.${ending}`}.`,
  },
  {
    code: 'many_labels',
    points: (name) => (name.left !== '' && name.left.split('.').length >= 3 ? 15 : 0),
    says: () => 'It has unusually many parts.',
  },
  {
    code: 'many_hyphens',
    points: ({ label }) =>
      label.includes('-') && !label.startsWith('xn--') && label.split('-').length > 4 ? 10 : 0,
    says: () => 'It has unusually many hyphens.',
  },
]

/** Numbers of siblings and of a family that are not a coincidence. */
const siblingsMany = 3
const familyMany = 5

/** Rules about listed names that are related to a name. */
export const relatedNameRules: readonly Rule<RelatedNameSubject>[] = [
  {
    code: 'listed_siblings',
    points: ({ related }) =>
      related.siblings === 0 ? 0 : related.siblings < siblingsMany ? 30 : 40,
    says: ({ name, related }) =>
      `${related.siblings} other ${related.siblings === 1 ? 'name' : 'names'} under ${name.label}.${name.ending} ${related.siblings === 1 ? 'is' : 'are'} listed.`,
  },
  {
    code: 'listed_family',
    points: ({ related }) => (related.family < 2 ? 0 : related.family < familyMany ? 30 : 50),
    says: ({ related }) => `${related.family} listed names differ from it only in their digits.`,
  },
]

/** Ports that web servers commonly listen on. */
const webPorts: ReadonlySet<number> = new Set([80, 443, 8080, 8443])

/** Directories of other software, and what kits for stealing passwords leave in them. */
const kitDirectories: ReadonlySet<string> = new Set(
  'wp-includes wp-content cgi-bin .well-known'.split(' '),
)
const kitMarks = ['wp-', 'cgi-bin', '.well-known'] as const
const kitPages = ['login', 'signin', 'webscr', 'verify', 'account', 'update'] as const
/** Maximum number of segments of a path that are checked. */
const segmentsMax = 12

/** Reports whether a page to sign in lies where no honest site has one. */
function isKitPath(path: string): boolean {
  // A cheap test first: nearly no path has such a page.
  if (!kitMarks.some((mark) => path.includes(mark))) return false
  const segments = path.split('/', segmentsMax)
  const at = segments.findIndex((segment) => kitDirectories.has(segment))
  return (
    at !== -1 &&
    segments.slice(at + 1).some((name) => kitPages.some((page) => name.startsWith(page)))
  )
}

/** Rules about an address, besides those about its name. */
export const urlRules: readonly Rule<UrlSubject>[] = [
  {
    code: 'brand_in_userinfo',
    points: ({ inUserinfo }) => (inUserinfo === null ? 0 : 90),
    says: ({ url, inUserinfo }) =>
      `It begins with an address of ${inUserinfo?.name} before an @, but leads to ${url.host}.`,
  },
  {
    code: 'brand_in_path',
    points: ({ inPath }) => (inPath === null ? 0 : 40),
    says: ({ url, inPath }) =>
      `Its path holds an address of ${inPath?.name}, but it leads to ${url.host}.`,
  },
  {
    code: 'address_as_host',
    points: ({ url: { isAddress } }) => (isAddress ? 30 : 0),
    says: ({ url: { host } }) => `It leads to ${host}, an address without a name.`,
  },
  {
    code: 'userinfo',
    points: ({ url: { hasUserinfo } }) => (hasUserinfo ? 40 : 0),
    says: ({ url: { host } }) =>
      `The part before the @ is not part of the address; it leads to ${host}.`,
  },
  {
    code: 'invisible_char',
    points: ({ url: { hasInvisible } }) => (hasInvisible ? 30 : 0),
    says: () => 'The name holds characters that cannot be seen.',
  },
  {
    code: 'odd_port',
    points: ({ url: { port } }) => (port === null || webPorts.has(port) ? 0 : 10),
    says: ({ url: { port } }) => `It asks for port ${port}, which few websites use.`,
  },
  {
    code: 'kit_path',
    points: ({ url: { path } }) => (isKitPath(path) ? 30 : 0),
    says: () => 'Its page lies where stolen websites often hide one to sign in.',
  },
  {
    code: 'script_in_query',
    points: ({ url: { query } }) => (/=(?:javascript|data)(?::|%3a)/i.test(query) ? 30 : 0),
    says: () => 'It carries a script or a page of its own behind the question mark.',
  },
]
