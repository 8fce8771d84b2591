/** The contract of GET /lists/…: one operation for each file. */

import { Type } from '@sinclair/typebox'
import { listExamples } from './examples/lists.ts'
import {
  conditionalHeaders,
  contentEncoding,
  contentRange,
  etag,
  keptFor,
  lastModified,
  limitHeaders,
  varyByCoding,
} from './headers.ts'
import type { Operation } from './operation.ts'
import { refusals } from './problems.ts'

const fileHeaders = [keptFor(300), varyByCoding, etag, lastModified, ...limitHeaders] as const

const about =
  'Everything that is published and may be blocked, in one file: shared platforms are left out. It begins ' +
  'with comments that say its title, version, time, number of entries, licence and sources. Ask with ' +
  '`If-None-Match`: an unchanged list answers 304.'

/** What tells one list from the others. */
interface ListFile {
  readonly id: string
  readonly name: keyof typeof listExamples
  readonly summary: string
  readonly syntax: string
}

const list = <const File extends ListFile>({ id, name, summary, syntax }: File) =>
  ({
    id,
    method: 'get',
    path: `/lists/${name}` as `/lists/${File['name']}`,
    tag: 'Lists',
    summary,
    description: about,
    policy: 'LISTS',
    requestHeaders: conditionalHeaders,
    answers: {
      200: {
        description: 'The whole list.',
        headers: [...fileHeaders, contentEncoding, contentRange],
        content: { 'text/plain; charset=utf-8': Type.String({ description: syntax }) },
        examples: {
          list: {
            summary: 'A list of an instance that knows little',
            request: { path: `/lists/${name}` },
            body: listExamples[name],
          },
          range: {
            summary: 'Whoever asks for a part gets all of it',
            request: { path: `/lists/${name}`, headers: { range: 'bytes=0-99' } },
            body: listExamples[name],
          },
        },
      },
      304: {
        description: 'The list that the client holds is still good.',
        headers: fileHeaders,
        content: {},
        examples: {
          unchanged: {
            summary: 'What the client holds is still good',
            request: { path: `/lists/${name}`, headers: { 'if-none-match': '*' } },
          },
        },
      },
      ...refusals,
    },
  }) as const satisfies Operation

export const domainsTxt = list({
  id: 'downloadDomains',
  name: 'domains.txt',
  summary: 'All domains, one a line',
  syntax: 'One domain a line after comments that begin with `#`.',
})

export const domainsHosts = list({
  id: 'downloadHosts',
  name: 'domains.hosts',
  summary: 'All domains as a hosts file',
  syntax: '`0.0.0.0 domain`, one a line, after comments that begin with `#`.',
})

export const domainsAdblock = list({
  id: 'downloadAdblock',
  name: 'domains.adblock',
  summary: 'All domains as filters for ad blockers',
  syntax: '`||domain^`, one a line, after comments that begin with `!`.',
})

export const domainsDnsmasq = list({
  id: 'downloadDnsmasq',
  name: 'domains.dnsmasq',
  summary: 'All domains as settings of dnsmasq',
  syntax: '`local=/domain/`, one a line: the name and all below it have no address.',
})

export const domainsUnbound = list({
  id: 'downloadUnbound',
  name: 'domains.unbound',
  summary: 'All domains as settings of Unbound',
  syntax: '`local-zone: "domain" always_nxdomain`, one a line, in a `server:` clause.',
})

export const domainsRpz = list({
  id: 'downloadRpz',
  name: 'domains.rpz',
  summary: 'All domains as a response policy zone',
  syntax:
    'A zone file: `domain CNAME .` and `*.domain CNAME .`; its serial grows with each version.',
})

export const urlsTxt = list({
  id: 'downloadUrls',
  name: 'urls.txt',
  summary: 'All listed pages, one URL a line',
  syntax: 'One canonical URL a line after comments that begin with `#`.',
})
