/** Full lists as text, for tests that need no store, and the names that try their readers most. */

import {
  type ListFacts,
  type ListName,
  listFormats,
  listHeader,
} from '../../../src/publish/lists/list-formats.ts'

export const facts: ListFacts = {
  number: 3 * 4096 + 17,
  changedAt: Date.UTC(2026, 10, 20, 8, 15, 30, 123),
  entryCount: 2,
  sources: ['Example list (CC0-1.0)', 'Second list (MIT)'],
  homepage: 'https://weir.example.org',
}

/** Returns the values of `values` that go out in a list. */
export function findWanted(name: ListName, values: readonly string[]): string[] {
  return values.filter(listFormats[name].isWanted)
}

/** Returns a list of `values` as its file holds it. */
export function listText(name: ListName, values: readonly string[]): string {
  const wanted = findWanted(name, values)
  const header = listHeader(name, { ...facts, entryCount: wanted.length })
  return header + wanted.map(listFormats[name].lines).join('')
}

const label = (character: string, length: number): string => character.repeat(length)
const long = (last: number): string =>
  [1, 2, 3]
    .map(() => label('a', 63))
    .join('.')
    .concat('.', label('b', last))

/** Names that may be listed, and that some reader might take for something else. */
export const nastyNames: readonly string[] = [
  'evil.test',
  'a.b.c.d.evil.test',
  '-leading.test',
  'trailing-.test',
  '-.test',
  '--.test',
  'a.-leading',
  'a.trailing-',
  'two--hyphens.test',
  '_dmarc.evil.test',
  'under_score.test',
  '_.test',
  'xn--bcher-kva.test',
  'xn--a.test',
  'xn--.test',
  '1.test',
  '1.2.3.test',
  '0x7f.test',
  'a.1b',
  'evil.in-addr.arpa',
  'localhost.localdomain',
  'evil.onion',
  'server.server',
  'local.zone',
  'local-zone.always_nxdomain',
  'include.test',
  'in.cname',
  'ttl.soa',
  'com.com',
  '__proto__.constructor',
  'rpz-passthru.test',
  'rpz-ip.test',
  '24.0.113.0.203.rpz-ip',
  '8.0.0.0.127.rpz-client-ip',
  '24.0.0.0.127.rpz-nsip',
  'ns.example.rpz-nsdname',
  'evil.rpz-drop',
  `${label('c', 63)}.test`,
  `${label('-', 63)}.test`,
  Array.from({ length: 125 }, () => 'd').join('.'),
  long(61),
]

/** What must never stand in a list, nor bring anything else into it. */
export const hostileValues: readonly string[] = [
  'evil.test\nsecond.test',
  'evil.test\r\nsecond.test',
  'evil.test second.test',
  'evil.test\tsecond.test',
  'evil.test#comment',
  'evil.test;comment',
  'evil.test\0',
  'evil.test\u2028second.test',
  'EVIL.test',
  'bücher.test',
  'localhost',
  'evil..test',
  '.evil.test',
  'evil.test.',
  '*.evil.test',
  '@.evil.test',
  '$include.test',
  'evil.test/',
  'evil".test',
  'evil|.test',
  'evil^.test',
  '203.0.113.9',
  '203.0.113.9/24',
  '[2001:db8::1]',
  '1.2.3',
  'evil.0x7f',
  `${label('a', 64)}.test`,
  long(62),
  '',
]
