/** The guide's second half: the block list, the full lists, and a copy that is kept level. */

import type { RemovalReason } from '../model/indicator.ts'
import { SetHash } from '../model/set-hash.ts'
import { operationLink, referenceLink } from './links.ts'
import { html, type Markup } from './markup.ts'
import { sampleMarkup } from './samples.ts'
import {
  code,
  codeBlock,
  type Definition,
  definitionList,
  disclosureGroup,
  type Instance,
  type Section,
} from './section.ts'

function blacklist(instance: Instance): Section {
  return {
    id: 'block-list',
    title: 'The block list',
    body: html`<p>${operationLink(instance, 'readBlacklist', 'GET /api/v1/blacklist')} gives the listed domains, newest first, 100 at a time
and at most 1,000 (<code>limit</code>). Listed pages and addresses are answered by checks only.</p>
${definitionList(listFormats)}
<p>Entries with <code>do_not_block: 1</code> are platforms on which many people publish. They are in
<code>json</code> and <code>csv</code> to be known. <strong>Never block them.</strong> <code>txt</code> and
<code>hosts</code> leave them out, so their pages can be shorter than <code>limit</code>.</p>
<h3 id="paging">Paging: cursor or offset</h3>
<p>Follow <code>next_cursor</code> (as <code>cursor=…</code>), or in every format the <code>Link</code>
header with <code>rel="next"</code>, until there is none: nothing that stays listed is skipped or comes
twice. <code>offset</code> counts from the newest entry, so it shifts whenever something is listed
meanwhile; use it to look around. <code>since=2026-11-01</code> keeps what was listed on or after that day
(UTC).</p>
<h3 id="conditional-requests">Conditional requests</h3>
<p>Answers carry <code>ETag</code> and <code>Last-Modified</code>. Send them back as
<code>If-None-Match</code> or <code>If-Modified-Since</code>: while the list is the same, the answer is 304
without a body. <code>X-Total-Count</code>, <code>X-Last-Updated</code> and <code>X-List-Cursor</code> come
on every answer, on HEAD and on 304 too. A 304 counts against the limit like any call.</p>
${sampleMarkup('blacklist', instance.publicUrl)}`,
  }
}

const listFormats: readonly Definition[] = [
  {
    term: html`<code>format=json</code>`,
    meaning: html`The default: every entry with threat, brand, confidence, sources and dates.`,
  },
  {
    term: html`<code>format=csv</code>`,
    meaning: html`The same columns with a header row (RFC 4180), sources joined by a space.`,
  },
  { term: html`<code>format=txt</code>`, meaning: html`One domain a line, nothing else.` },
  {
    term: html`<code>format=hosts</code>`,
    meaning: html`<code>0.0.0.0 domain</code> after a header in comments.`,
  },
]

interface Program {
  readonly id: string
  readonly name: string
  readonly file: string
  readonly how: Markup
}

function programsAt(publicUrl: string): readonly Program[] {
  const fetched = (file: string): string =>
    `curl -fsS --compressed -o /var/cache/weir.new \\\n  '${publicUrl}/lists/${file}' &&`
  const installed = (file: string, check: string, path: string, reload: string): Markup =>
    codeBlock(`${fetched(file)}\n  ${check} &&\n  cp /var/cache/weir.new ${path} &&\n  ${reload}`)
  return [
    {
      id: 'pi-hole',
      name: 'Pi-hole and AdGuard Home',
      file: 'domains.adblock',
      how: html`<p>Pi-hole (6 or later): Lists, paste the address, “Add blocklist”, then Tools, “Update
Gravity”. AdGuard Home: Filters, “DNS blocklists”, “Add blocklist”, “Add a custom list”. Both then fetch it
by themselves. This format covers the names below each domain too.</p>
${codeBlock(`${publicUrl}/lists/domains.adblock`)}`,
    },
    {
      id: 'ublock',
      name: 'uBlock Origin',
      file: 'domains.adblock',
      how: html`<p>Dashboard, “Filter lists”, “Import…” at the end, paste the same address, “Apply
changes”.</p>
${codeBlock(`${publicUrl}/lists/domains.adblock`)}`,
    },
    {
      id: 'dnsmasq',
      name: 'dnsmasq',
      file: 'domains.dnsmasq',
      how: html`<p>Each name, and every name below it, then does not exist. dnsmasq reads such files at its
start only.</p>
${installed('domains.dnsmasq', 'dnsmasq --test -C /var/cache/weir.new', '/etc/dnsmasq.d/weir.conf', 'systemctl restart dnsmasq')}`,
    },
    {
      id: 'unbound',
      name: 'Unbound',
      file: 'domains.unbound',
      how: html`<p>Each name, and every name below it, then does not exist. The file begins with
<code>server:</code> itself; include it at the top level, as Debian does with all of this directory.</p>
${installed('domains.unbound', 'unbound-checkconf /var/cache/weir.new', '/etc/unbound/unbound.conf.d/weir.conf', 'unbound-control reload')}`,
    },
    {
      id: 'bind',
      name: 'BIND, as a response policy zone',
      file: 'domains.rpz',
      how: html`${installed('domains.rpz', 'named-checkzone weir.rpz /var/cache/weir.new', '/var/cache/bind/weir.rpz', 'rndc reload weir.rpz')}
<p>And once, in <code>named.conf</code>:</p>
${codeBlock(`options {
  response-policy { zone "weir.rpz"; };
};
zone "weir.rpz" {
  type primary;
  file "/var/cache/bind/weir.rpz";
  allow-query { none; };
};`)}`,
    },
    {
      id: 'hosts-file',
      name: '/etc/hosts',
      file: 'domains.hosts',
      how: html`<p>A hosts file knows whole names only: <code>evil.example</code> in it does not cover
<code>login.evil.example</code>. Your own lines are kept in a file beside it.</p>
${codeBlock(`test -e /etc/hosts.own || cp /etc/hosts /etc/hosts.own
curl -fsS --compressed -o /var/cache/weir.hosts \\\n  '${publicUrl}/lists/domains.hosts' &&
  cat /etc/hosts.own /var/cache/weir.hosts > /etc/hosts.new &&
  mv /etc/hosts.new /etc/hosts`)}`,
    },
    {
      id: 'own-programs',
      name: 'Programs of your own',
      file: 'domains.txt and urls.txt',
      how: html`<p>One domain a line, and one listed page a line; what begins with <code>#</code> is a comment.
With the tag of the last answer a list is sent only when it has changed:</p>
${codeBlock(`curl -fsS --compressed --etag-compare weir.etag --etag-save weir.etag \\\n  -o domains.txt '${publicUrl}/lists/domains.txt'`)}`,
    },
  ]
}

function fullLists(instance: Instance): Section {
  const items = programsAt(instance.publicUrl).map(({ id, name, file, how }) => ({
    title: html`${name} <span>${file}</span>`,
    id: `list-${id}`,
    body: how,
  }))
  return {
    id: 'full-lists',
    title: 'Full lists',
    body: html`<p>Under ${referenceLink(instance, 'tag-lists', code('/lists/'))} stands everything that is published and may be blocked, whole,
in the formats of blockers and resolvers. Each list begins with its title, version, time, number of entries,
sources and licence, in the comments of its format. Once an hour is often enough; programs that ask with
<code>If-None-Match</code> or <code>If-Modified-Since</code> get 304 when nothing has changed.</p>
${disclosureGroup(items)}`,
  }
}

/** The domains of the worked example. */
export const exampleDomains = ['evil.example', 'bad.example', 'worse.example'] as const

/** Returns the hash of some of the example's domains. */
export function exampleHash(...domains: readonly (typeof exampleDomains)[number][]): string {
  const hash = new SetHash()
  for (const domain of domains) hash.toggle(domain)
  return hash.hex
}

/** Two answers, and the hash of the copy after each. */
function workedExample(): Markup {
  const [evil, bad, worse] = exampleDomains
  const first = `GET /api/v1/blacklist/changes?cursor=begin

{
  "cursor": "YWJjZDEyMzQgODE5NA",
  "more": false,
  "resync": false,
  "added": [{ "domain": "${evil}", … }, { "domain": "${bad}", … }],
  "removed": [],
  "total": 2,
  "set_hash": "${exampleHash(evil, bad)}",
  "min_wait_seconds": 30
}`
  const second = `GET /api/v1/blacklist/changes?cursor=YWJjZDEyMzQgODE5NA

{
  "cursor": "YWJjZDEyMzQgMTIyODk",
  "more": false,
  "resync": false,
  "added": [{ "domain": "${worse}", … }],
  "removed": [
    {
      "domain": "${bad}",
      "reason": "withdrawn",
      "removed_at": "2026-11-21T10:15:30.123Z"
    }
  ],
  "total": 2,
  "set_hash": "${exampleHash(evil, worse)}",
  "min_wait_seconds": 30
}`
  return html`<p>An empty copy begins. It gets two domains, and is level:</p>
${codeBlock(first)}
<p>The hash is that of the two names:</p>
${definitionList([
  { term: html`<code>${evil}</code>`, meaning: html`<code>${exampleHash(evil)}</code>` },
  { term: html`<code>${bad}</code>`, meaning: html`<code>${exampleHash(bad)}</code>` },
  { term: html`XOR`, meaning: html`<code>${exampleHash(evil, bad)}</code>` },
])}
<p>Half a minute later one name has left and another has come:</p>
${codeBlock(second)}
<p>Taking a name out is the same XOR again. Old hash, <code>${bad}</code>, <code>${worse}</code>:</p>
${definitionList([
  { term: html`before`, meaning: html`<code>${exampleHash(evil, bad)}</code>` },
  { term: html`<code>${bad}</code> out`, meaning: html`<code>${exampleHash(bad)}</code>` },
  { term: html`<code>${worse}</code> in`, meaning: html`<code>${exampleHash(worse)}</code>` },
  { term: html`after`, meaning: html`<code>${exampleHash(evil, worse)}</code>` },
])}`
}

function changes(instance: Instance): Section {
  return {
    id: 'local-copy',
    title: 'Keeping a copy level',
    body: html`<p>${operationLink(instance, 'readChanges', 'GET /api/v1/blacklist/changes')} tells what came to the list and what left it
since your last call. A program that follows it holds the whole list at little cost, and can prove that it
does.</p>
<ol>
<li>Begin with an empty copy and <code>cursor=begin</code>. (Or read all of the
<a href="#block-list">block list</a> by its cursor, and begin with the <code>X-List-Cursor</code> of its first
page.)</li>
<li>Of each answer apply <code>removed</code> first: take those domains out, whether you hold them or not.
Then put each entry of <code>added</code> under its domain, in place of the one you may hold: it is new, or
something about it has changed.</li>
<li>Keep <code>cursor</code> together with the copy, as one: it stands for what you have applied.</li>
<li>While <code>more</code> is <code>true</code>, ask on at once with the new cursor.
<code>set_hash</code> is <code>null</code> until then.</li>
<li>When <code>more</code> is <code>false</code>, compare <code>set_hash</code> with the hash of your copy.
If they differ, something went wrong on the way: empty the copy and begin again.</li>
<li>Wait at least <code>min_wait_seconds</code>, then go on with 2.</li>
<li>Whenever <code>resync</code> is <code>true</code>, your cursor is too old or the database has been
restored: empty the copy and begin again with <code>cursor=begin</code>. (Or read the block list anew and go
on with the cursor in the answer.)</li>
</ol>
<p>Without <code>cursor</code> an answer holds no changes: only where the list stands now.
<code>limit</code> is how many domains an answer may hold, 1,000 unless you say so and at most 10,000.</p>
${definitionList(removalReasons)}
<p>The copy holds platforms with <code>do_not_block: 1</code> too, and the hash counts them. Leave them out
where you block.</p>
<h3 id="set-hash">What set_hash is</h3>
<p>Take the SHA-256 of each domain as it is written in <code>domain</code>, the first 16 bytes of it, and
XOR them all: 32 hexadecimal characters, and all zeros for an empty list. It does not depend on the order,
and a change costs one XOR. It shows mistakes; against forgery there is TLS.</p>
<h3 id="worked-example">A worked example</h3>
${workedExample()}
<h3 id="local-copy-samples">Programs that do it</h3>
<p>Each brings a copy in a file level and ends; run it every few minutes. The one with curl shows the
changes only.</p>
${sampleMarkup('changes', instance.publicUrl)}`,
  }
}

const removals: Readonly<Record<RemovalReason, string>> = {
  withdrawn: 'Its last source dropped it.',
  expired: 'No source has shown it for a long time.',
  appeal: 'Its owner appealed, and was right.',
  operator: 'The operator of this service took it out.',
  unpublished: 'It is still listed, but only by sources that may not be passed on.',
}

const removalReasons: readonly Definition[] = Object.entries(removals).map(([reason, meaning]) => ({
  id: `removal-${reason}`,
  term: html`<code>${reason}</code>`,
  meaning: html`${meaning}`,
}))

/** Returns the sections about lists. */
export function listSections(instance: Instance): readonly Section[] {
  return [blacklist(instance), fullLists(instance), changes(instance)]
}
