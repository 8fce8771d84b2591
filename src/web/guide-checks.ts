/** The guide's first half: what weir is, a first call, the verdicts, and how to check. */

import type { ReasonCode, VerdictStatus } from '../model/verdict.ts'
import { operationLink } from './links.ts'
import { html, type Markup } from './markup.ts'
import { sampleMarkup } from './samples.ts'
import {
  code,
  codeBlock,
  type Definition,
  definitionList,
  type Instance,
  jsonBlock,
  type Section,
} from './section.ts'

/** An answer of `check-url`, as the page shows it. */
export const checkExample = {
  query: 'hxxps://found.weir[.]test/login',
  url: 'https://found.weir.test/login',
  domain: 'found.weir.test',
  status: 'found',
  confidence: 100,
  score: 0,
  reasons: [
    { code: 'self_test', message: 'This name always answers found, for testing a client.' },
  ],
  match: null,
  updated: '2026-11-21T10:15:30.123Z',
} as const

/** Each verdict with its mark: told by sign and word, never by colour alone. */
const verdicts: Readonly<Record<VerdictStatus, { mark: string; meaning: string }>> = {
  found: {
    mark: '✕',
    meaning:
      'Known to be bad: the page, a directory above it, its host or a parent domain is listed. Do not open it.',
  },
  suspicious: {
    mark: '!',
    meaning:
      'Something speaks against it: it looks like an imitation, it is listed with low confidence, or other pages of the same host are listed. Warn, and let people decide.',
  },
  shared_infrastructure: {
    mark: '◆',
    meaning:
      'It lies on a platform on which many people publish, and this page or tenant is not listed. Judge the exact page or subdomain, and never block the platform; the answer then holds sharedInfrastructure and a note.',
  },
  not_found: {
    mark: '?',
    meaning: 'On none of the lists. That does not make it safe: new addresses appear every minute.',
  },
}

const reasons: Readonly<Record<ReasonCode, string>> = {
  self_test: 'The name is one of the four that always answer the same.',
  listed_page: 'This exact page is listed.',
  listed_path: 'A directory above this page is listed.',
  listed_host: 'The host is listed.',
  listed_parent: 'A parent domain of the host is listed, which covers everything below it.',
  listed_address: 'The host is an IP address, and it is listed.',
  listed_digest: 'The digest is listed.',
  low_confidence: 'The listing is too weak for found. It stands beside the reason for the listing.',
  shared_platform: 'The host is or lies under a platform on which many people publish.',
  other_pages_listed: 'This page is not listed, but other pages of its host are.',
  operator_allowed: 'The operator of this service allows it, against what lists say.',
  nested_url: 'The address carries another one, as a redirect does, and that one is listed.',
  not_listed: 'It is on none of the lists.',
  brand_domain_embedded: 'The name holds a brand’s whole address, with more behind it.',
  brand_domain_joined: 'The name holds a brand’s address without its dot.',
  brand_homoglyph:
    'It is written to look like a brand’s name: digits or foreign letters for others.',
  brand_with_keyword: 'It sets a brand beside a word such as login, parcel or refund.',
  brand_joined_keyword: 'It joins a brand and such a word into one.',
  brand_on_hosting: 'It is a brand’s name on a platform where anyone can publish.',
  brand_with_words: 'It sets a brand beside other words.',
  brand_inside: 'It contains a brand’s name.',
  brand_misspelt: 'It is a brand’s name with a letter changed.',
  brand_other_ending: 'It is a brand’s name with an ending that is none of its own.',
  brand_in_subdomain: 'A brand stands in front of a name that is not the brand’s.',
  brand_in_userinfo: 'A brand’s address stands before an @, where it leads nowhere.',
  brand_in_path: 'A brand’s address stands in the path.',
  ending_in_name: 'It is written as if the name ended before a hyphen.',
  ending_in_subdomain: 'It begins with what looks like a whole address, and goes on.',
  mixed_scripts: 'It mixes letters of scripts that no language mixes.',
  wallet_lure: 'It speaks of a wallet, and of something done to it.',
  crypto_lure: 'It heaps up words of the crypto trade.',
  lure_words: 'It is made of words that phishing pages use.',
  keywords: 'Such words stand beside the rest; this adds weight and says nothing alone.',
  machine_made: 'Its first part was drawn by a program.',
  risky_ending: 'Phishing is common on its ending, which adds weight.',
  many_labels: 'It has unusually many parts, which adds weight.',
  many_hyphens: 'It has unusually many hyphens, which adds weight.',
  listed_siblings: 'Other names under the same registered one are listed.',
  listed_family: 'Names that differ from it in their digits alone are listed.',
  address_as_host: 'It leads to an address without a name.',
  odd_port: 'It asks for a port that few websites use.',
  kit_path: 'Its page lies where stolen websites often hide one.',
  script_in_query: 'It carries a script or a page of its own.',
  userinfo:
    'Something stands before an @ in the address, often to look like another host. It leads nowhere near there.',
  invisible_char: 'The name holds characters that cannot be seen.',
}

const selfTests: readonly (readonly [string, VerdictStatus])[] = [
  ['found.weir.test', 'found'],
  ['suspicious.weir.test', 'suspicious'],
  ['shared.weir.test', 'shared_infrastructure'],
  ['clean.weir.test', 'not_found'],
]

const isVerdict = (word: string): word is VerdictStatus => word in verdicts

function verdictMarkup(status: string): Markup {
  const mark = isVerdict(status) ? verdicts[status].mark : ''
  return html`<b class="verdict ${status}"><span aria-hidden="true">${mark}</span> <code>${status}</code></b>`
}

const verdictDefinitions: readonly Definition[] = Object.entries(verdicts).map(
  ([status, { meaning }]) => ({
    id: `verdict-${status}`,
    term: verdictMarkup(status),
    meaning: html`${meaning}`,
  }),
)

const reasonDefinitions: readonly Definition[] = Object.entries(reasons).map(([name, meaning]) => ({
  id: `reason-${name}`,
  term: code(name),
  meaning: html`${meaning}`,
}))

const selfTestDefinitions: readonly Definition[] = selfTests.map(([name, status]) => ({
  term: code(name),
  meaning: html`always ${verdictMarkup(status)}`,
}))

function about({ publicUrl, version }: Instance): Section {
  return {
    id: 'about',
    title: 'What weir is',
    body: html`<p>weir answers one question: is this web address known to be bad? It gathers lists of
phishing, malware and scam addresses, compares what you ask with them, and gives its own block list to
whoever wants to use it. It knows what others have reported. It does not look at pages itself, so it cannot
say that one is good: <code>not_found</code> means that nobody has reported the address to the lists that
are read here, and <strong>does not mean that it is safe</strong>.</p>
<p>No account and no key is needed. This is weir ${version} at <code>${publicUrl}</code>.</p>
`,
  }
}

function quickStart({ publicUrl }: Instance): Section {
  const command = `curl -G '${publicUrl}/api/check-url' \\\n  --data-urlencode 'url=${checkExample.query}'`
  return {
    id: 'quick-start',
    title: 'Quick start',
    body: html`<p>Ask about a name that always answers <code>found</code>:</p>
${codeBlock(command)}
<p>The answer, with line breaks added:</p>
${jsonBlock(checkExample)}
<p>Read <code>status</code> first, then <code>reasons</code>. With four names you can prove that your
program does the right thing for each <a href="#verdicts">verdict</a>. They answer so with any path behind
them and in any notation, and are in no list and no download.</p>
${definitionList(selfTestDefinitions)}
<p>The samples on this page are whole programs. They ask the address in their first argument or in the
variable <code>WEIR</code>, and without either this service. The typed client, <code>weir/client</code>, comes
with the source of weir; all others need nothing but their language.</p>
`,
  }
}

const verdictSection: Section = {
  id: 'verdicts',
  title: 'Verdicts',
  body: html`${definitionList(verdictDefinitions)}
<p>A listing covers what lies below it. If <code>evil.example</code> is listed, then
<code>login.evil.example</code> is found and so is every page on it.</p>
<p>Each verdict says why. A reason has a <code>code</code>, which stays the same and which a program may
branch on, and a <code>message</code> for people, whose wording may change. New codes may come; treat one
that you do not know as you treat its verdict.</p>
<h3 id="reason-codes">Reason codes</h3>
${definitionList(reasonDefinitions)}`,
}

function checkUrl(instance: Instance): Section {
  const { publicUrl, suspiciousAt } = instance
  return {
    id: 'check-a-url',
    title: 'Check a URL',
    body: html`<p>${operationLink(instance, 'checkUrl', 'GET /api/check-url?url=…')} takes a URL or a bare domain, up to 8,192 bytes:
with or without scheme, in any case, in Unicode or Punycode, and also defanged
(<code>hxxps://evil[.]example</code>). It reads an address as a browser would. Encode it, as an
<code>&amp;</code> of its own would otherwise end the parameter.</p>
<p>weir looks the address up in its own data. It neither opens it nor resolves its name.</p>
<ul>
<li><code>confidence</code> is what the listing is worth, from 0 to 100; <code>score</code> is how much an
address that is not listed looks like an imitation; from ${suspiciousAt} on it is <code>suspicious</code>, and its
<code>reasons</code> name the brand and the evidence. A look is never proof, and never <code>found</code>.</li>
<li><code>match</code> is the listing: type, value, threat, sources, dates. It is <code>null</code> when
there is none, and when its source does not allow passing it on.</li>
<li><code>sharedInfrastructure</code> and <code>note</code> are there on platforms only.</li>
<li><code>updated</code> is when the data last changed.</li>
</ul>
<p>An address that is not listed is answered with 200 and <code>not_found</code>. An address that cannot be
read is a <a href="#errors">400</a>, never a clean answer.</p>
${sampleMarkup('check-url', publicUrl)}`,
  }
}

function bulk(instance: Instance): Section {
  const { publicUrl } = instance
  return {
    id: 'check-many',
    title: 'Check many at once',
    body: html`<p>${operationLink(instance, 'checkBulk', 'POST /api/v1/check/bulk')} takes <code>urls</code>, <code>domains</code> and
<code>hashes</code> (MD5, SHA-1 or SHA-256 in hexadecimal): up to 500 items together, in a JSON body of at
most 5 MiB.</p>
<ul>
<li>All three lists are in the answer, each in the order and length of the one you sent.</li>
<li>An item that cannot be read is <code>"status": "invalid"</code> with an <code>error</code>; the others
are answered all the same. Do not take it for a clean one.</li>
<li>A field with another name is refused, so that a slip of the pen never looks like a clean answer.</li>
<li>The same address gets the same verdict here and from <code>check-url</code>; reasons are given there
only.</li>
</ul>
${sampleMarkup('bulk', publicUrl)}`,
  }
}

/** Returns the sections up to the checks. */
export function checkSections(instance: Instance): readonly Section[] {
  return [about(instance), quickStart(instance), verdictSection, checkUrl(instance), bulk(instance)]
}
