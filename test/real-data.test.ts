/**
 * The real lists, from file to verdict: everything that is accepted is found, in every disguise, and
 * nothing innocent is. The suite takes three tenths of the lines, drawn by the seed, and all that the
 * labels name; `bun run trials real-data` takes every line.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { UrlChecker } from '../src/checks/url.ts'
import { Catalog } from '../src/index/catalog.ts'
import type { FeedEntry, Item } from '../src/ingest/formats/format.ts'
import { type FormatName, findFormat } from '../src/ingest/formats/formats.ts'
import { loadGuards, loadStoredGuards } from '../src/ingest/guards.ts'
import { type ImportReport, importFeed } from '../src/ingest/importer.ts'
import { judge } from '../src/ingest/judge.ts'
import { readLines, readText } from '../src/ingest/line-reader.ts'
import { ownList, toSourceName } from '../src/ingest/sources.ts'
import type { PlatformMode } from '../src/model/platform.ts'
import type { VerdictStatus } from '../src/model/verdict.ts'
import { WriteStore } from '../src/store/store.ts'
import { urlCheckerOver } from './checks/url-checker.ts'
import { noNaming } from './ingest/no-naming.ts'
import { dataFolder, describeWith, realData } from './needs.ts'
import { countRounds, seed, timeoutMs } from './rounds.ts'

/** What a person would expect of each file: entries read, and at most how many of them refused. */
const expected: Readonly<Record<string, { format: FormatName; read: number; refusedMax: number }>> =
  {
    'domains/discord_scam_links.txt.gz': { format: 'domains', read: 36_749, refusedMax: 40 },
    'domains/pd_active3_2025-12-26.txt.gz': { format: 'domains', read: 94_653, refusedMax: 40 },
    'domains/pd_active3_2026-03-10.txt.gz': { format: 'domains', read: 33_809, refusedMax: 40 },
    'domains/pd_active_2026-03-13.txt.gz': { format: 'domains', read: 141_009, refusedMax: 40 },
    'domains/phishing_domains_union.txt.gz': { format: 'domains', read: 234_552, refusedMax: 40 },
    'domains/polkadot_all.json.gz': { format: 'polkadot', read: 54_863, refusedMax: 40 },
    'domains/polkadot_dated.tsv.gz': { format: 'domains', read: 56_412, refusedMax: 40 },
    'urls/pd_links-active12_2025-12-26.txt.gz': { format: 'urls', read: 45_218, refusedMax: 400 },
    'urls/pd_links-active1_2026-03-13.txt.gz': { format: 'urls', read: 50_086, refusedMax: 400 },
    'urls/pd_links-active5_2026-02-15.txt.gz': { format: 'urls', read: 76_022, refusedMax: 400 },
  }
const files = Object.keys(expected)

/** The warning lists that name platforms, and what is judged on those. */
const platformModes: ReadonlyMap<string, PlatformMode> = new Map([
  ['dynamic-dns', 'tenant'],
  ['link-in-bio', 'page'],
  ['lots-project', 'page'],
  ['public-ipfs-gateways', 'page'],
  ['url-shortener', 'redirect'],
])

/** Picks `count` of `all` by a fixed rule, spread over the whole. */
function sample<Item>(all: readonly Item[], count: number): Item[] {
  const step = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, index) => index % step === 0).slice(0, count)
}

const tenths = Math.min(10, countRounds(3))

/** Returns the lines of a file; those of JSON are kept together. */
async function linesOf(path: string): Promise<string[]> {
  const text = await readText(Bun.file(path).stream(), 1e8)
  return /\.json\b/.test(path) ? [text] : text.split('\n').filter((line) => line !== '')
}

/** Returns the first fields of a file of labels. */
async function labels(file: string): Promise<string[]> {
  const lines = await linesOf(join(dataFolder, 'labels', file))
  return lines.map((line) => line.split('\t')[0] ?? '')
}

/** Returns the lines of a list that this run takes. */
async function takenLines(path: string, labelled: ReadonlySet<string>): Promise<string[]> {
  const isTaken = (line: string): boolean =>
    (Bun.hash.crc32(line) + seed) % 10 < tenths || labelled.has(line)
  const lines = await linesOf(path)
  return lines.length === 1 ? lines : lines.filter(isTaken)
}

const streamOf = (lines: readonly string[]) => new Blob([lines.join('\n')]).stream()

async function entriesOf(lines: readonly string[], name: FormatName): Promise<FeedEntry[]> {
  const format = findFormat(name)
  if (format.kind === 'news') throw new Error(`${name} lists nothing`)
  const stream = streamOf(lines)
  const entries: FeedEntry[] = []
  const take = (item: Item): void => {
    if (item.kind !== 'refused') entries.push(item)
  }
  if (format.kind === 'document') {
    const document = format.read(await readText(stream, 1e8))
    if (document.ok) for (const item of document.value) take(item)
    return entries
  }
  const readLine = format.open()
  for await (const lines of readLines(stream)) for (const line of lines) readLine(line ?? '', take)
  return entries
}

/** Twelve ways to write the same address; each must get the same verdict. */
const disguises: readonly ((host: string) => string)[] = [
  (host) => host.toUpperCase(),
  (host) => `${host}.`,
  (host) => `http://${host}:8443/`,
  (host) => `http://user:secret@${host}/`,
  (host) => `http://${host.replace(/[a-z]/, (c) => `%${c.charCodeAt(0).toString(16)}`)}/`,
  (host) => host.replace('.', '。'),
  (host) => `hxxps://${host.replaceAll('.', '[.]')}`,
  (host) => (/^[\d.]+$|:/.test(host) ? host : `a.b.${host}`),
  (host) => `https://${host}/some/page?q=1`,
  (host) => `http://${host.slice(0, 2)}\t${host.slice(2)}/`,
  (host) => `http:////${host}//x`,
  (host) => `http://${host}/#/login`,
]

describeWith(realData())('the real lists', () => {
  const directory = mkdtempSync(join(tmpdir(), 'weir-real-'))
  const guards = loadGuards()
  const reports = new Map<string, ImportReport>()
  const taken = new Map<string, string[]>()
  const labelled = new Set<string>()
  let store: WriteStore
  let checker: UrlChecker

  const statusOf = (input: string): VerdictStatus | string => {
    const answer = checker.check(input)
    return answer.ok ? answer.value.verdict.status : answer.reason
  }

  beforeAll(async () => {
    store = WriteStore.open({ dataDir: directory, role: 'background', now: Date.now })
    for (const file of ['listed_but_popular.tsv', 'url_hosts_popular.tsv']) {
      for (const name of await labels(file)) labelled.add(name)
    }
    for (const file of files) {
      const format = expected[file]?.format ?? 'domains'
      const source = ownList(toSourceName(basename(file)), true)
      const lines = await takenLines(join(dataFolder, file), labelled)
      taken.set(file, lines)
      const parts = { store, guards, naming: noNaming, now: Date.now, onCommit: () => {} }
      const request = { source, format, parts: [() => streamOf(lines)], digest: null, force: false }
      reports.set(file, await importFeed(parts, request))
    }
    const parts = { store, dataDir: directory, wake: () => {}, report: () => {} }
    checker = urlCheckerOver(Catalog.build(parts), guards.platforms, 50)
  }, timeoutMs(tenths))

  afterAll(() => {
    store.close()
    rmSync(directory, { recursive: true })
  })

  test('every file of the folders is read', () => {
    const present = ['domains', 'urls'].flatMap((folder) =>
      readdirSync(join(dataFolder, folder)).map((name) => `${folder}/${name}`),
    )
    expect(present.sort()).toEqual([...files].sort())
  })

  for (const file of files) {
    test(`${file} imports with sensible counts`, () => {
      const report = reports.get(file)
      const counts = expected[file]
      const lines = taken.get(file) ?? []
      const wanted = lines.length === 1 || tenths === 10 ? (counts?.read ?? 0) : lines.length
      const refused = Object.values(report?.refused ?? {}).reduce(
        (sum, { count }) => sum + count,
        0,
      )
      expect(report?.read).toBeGreaterThanOrEqual(wanted * 0.98)
      expect(report?.read).toBeLessThanOrEqual(wanted)
      expect(refused).toBeLessThanOrEqual(counts?.refusedMax ?? 0)
      const { added = 0, changed = 0, seenAgain = 0 } = report ?? {}
      // Platforms that begin to harbour a listing are added beside the entries themselves.
      expect(added + changed + seenAgain).toBeGreaterThanOrEqual((report?.read ?? 0) - refused)
    })
  }

  test(
    'every accepted name and URL is found',
    async () => {
      const missed: string[] = []
      for (const file of files) {
        const format = expected[file]?.format ?? 'domains'
        for (const entry of await entriesOf(taken.get(file) ?? [], format)) {
          const judged = judge(entry, guards)
          if (!judged.ok || judged.value.doNotBlock === true) continue
          const status = statusOf(entry.text)
          if (status !== 'found') missed.push(`${file}: ${entry.text}: ${status}`)
        }
      }
      expect(missed).toEqual([])
    },
    timeoutMs(tenths),
  )

  test(
    '5,000 of them are found in twelve disguises',
    async () => {
      const names = (
        await entriesOf(taken.get('domains/phishing_domains_union.txt.gz') ?? [], 'domains')
      )
        .map((entry) => judge(entry, guards))
        .flatMap((judged) =>
          judged.ok && judged.value.doNotBlock !== true ? [judged.value.value] : [],
        )
      const missed = sample(names, 5_000).flatMap((name) =>
        disguises
          .map((disguise) => disguise(name))
          .filter((disguised) => statusOf(disguised) !== 'found')
          .map((disguised) => `${name} as ${disguised}: ${statusOf(disguised)}`),
      )
      expect(missed).toEqual([])
    },
    timeoutMs(tenths),
  )

  test(
    'no popular name is found unless the labels say why',
    async () => {
      const found: string[] = []
      for (const name of readdirSync(join(dataFolder, 'benign'))) {
        for (const { text: host } of await entriesOf(
          await linesOf(join(dataFolder, 'benign', name)),
          'domains',
        )) {
          if (statusOf(host) === 'found' && !labelled.has(host)) found.push(`${name}: ${host}`)
        }
      }
      expect(found).toEqual([])
    },
    timeoutMs(tenths),
  )

  describe('once guards have been imported', () => {
    beforeAll(async () => {
      const warninglists = readdirSync(join(dataFolder, 'warninglists')).map((file) =>
        join(dataFolder, 'warninglists', file),
      )
      const popular = readdirSync(join(dataFolder, 'benign')).map((file) =>
        join(dataFolder, 'benign', file),
      )
      for (const file of [...warninglists, ...popular]) {
        const name = toSourceName(file)
        const lines = await takenLines(file, labelled)
        await importFeed(
          {
            store,
            guards: loadStoredGuards(store),
            naming: noNaming,
            now: Date.now,
            onCommit: () => {},
          },
          {
            source: ownList(name, true, 'guard'),
            format: popular.includes(file) ? 'domains' : 'misp-warninglist',
            parts: [() => streamOf(lines)],
            digest: null,
            force: false,
            platformMode: platformModes.get(name) ?? null,
          },
        )
      }
      const parts = { store, dataDir: directory, wake: () => {}, report: () => {} }
      const stored = loadStoredGuards(store)
      checker = urlCheckerOver(Catalog.build(parts), stored.platforms, 50)
    }, timeoutMs(tenths))

    test('no listed but popular name is found or blocked', async () => {
      const names = await labels('listed_but_popular.tsv')
      expect(names.length).toBe(88)
      const wrong = names.filter((name) => {
        const row = store.byValue(name, 'domain')
        const isBlocked = row?.isPublished === true && !row.doNotBlock
        return isBlocked || statusOf(name) === 'found'
      })
      expect(wrong).toEqual([])
    })

    test('no popular host of listed pages is found by its host', async () => {
      const hosts = await labels('url_hosts_popular.tsv')
      expect(hosts.length).toBe(40)
      expect(hosts.filter((host) => statusOf(host) === 'found')).toEqual([])
    })

    test('a listing of what is guarded is refused from then on', async () => {
      const guards = loadStoredGuards(store)
      const names = await labels('listed_but_popular.tsv')
      const accepted = names.filter((text) => {
        const judged = judge({ kind: 'name', text }, guards)
        return judged.ok && judged.value.doNotBlock !== true
      })
      expect(accepted).toEqual([])
    })
  })
})
