/** The full lists of an instance that knows four domains and a page. */

const facts = (title: string, description: string, entries: number): readonly string[] => [
  `Title: ${title}`,
  `Description: ${description}`,
  'Version: 36864',
  'Last modified: 2026-03-12T09:02:00.000Z',
  'Expires: 1 hour',
  `Number of entries: ${entries}`,
  'Licence: of each entry that of its sources',
  'Source: An open feed (CC0-1.0)',
  'Source: A second feed (CC0-1.0)',
  'Homepage: https://weir.example.org',
]

const aboutDomains = facts(
  'weir phishing domains',
  'Domains of phishing, malware, scams and spam, without platforms that many people share',
  4,
)

const aboutUrls = facts(
  'weir phishing URLs',
  'Pages of phishing, malware, scams and spam, one canonical address a line',
  1,
)

const names = [
  'mailbox-upgrade.example',
  'paypa1-account.example',
  'perhaps-phishing.example',
  'xn--bcher-gewinn-dlb.example',
] as const

const comments = (sign: string, about = aboutDomains): string[] =>
  about.map((fact) => `${sign} ${fact}`)

const file = (...lines: readonly string[]): string => `${lines.join('\n')}\n`

/** What is answered with 200, by the name of the list. */
export const listExamples = {
  'domains.txt': file(...comments('#'), ...names),
  'domains.hosts': file(...comments('#'), ...names.map((name) => `0.0.0.0 ${name}`)),
  'domains.adblock': file('[Adblock Plus]', ...comments('!'), ...names.map((name) => `||${name}^`)),
  'domains.dnsmasq': file(...comments('#'), ...names.map((name) => `local=/${name}/`)),
  'domains.unbound': file(
    ...comments('#'),
    'server:',
    ...names.map((name) => `local-zone: "${name}" always_nxdomain`),
  ),
  'domains.rpz': file(
    ...comments(';'),
    '$TTL 300',
    '@ SOA localhost. root.localhost. 9 3600 600 604800 300',
    '@ NS localhost.',
    ...names.flatMap((name) => [`${name} CNAME .`, `*.${name} CNAME .`]),
  ),
  'urls.txt': file(...comments('#', aboutUrls), 'https://winter-sale.hosting.example/login'),
} as const
