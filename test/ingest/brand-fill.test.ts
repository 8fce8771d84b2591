/** Naming brands: when sightings are written, and for all indicators once per version of the rules. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { fillBrands, needsBrands } from '../../src/ingest/brand-fill.ts'
import type { FormatName } from '../../src/ingest/formats/formats.ts'
import { loadGuards } from '../../src/ingest/guards.ts'
import { importFeed } from '../../src/ingest/importer.ts'
import type { BrandNamer } from '../../src/model/brand.ts'
import type { Sighting } from '../../src/store/batch.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { noNaming } from './no-naming.ts'

let db: TestStore
beforeEach(() => {
  db = new TestStore()
})
afterEach(() => db.remove())

/** Rules that find a brand in a name that contains one of these words; they record each call. */
class WordNaming implements BrandNamer {
  readonly rules: string
  readonly #words: Readonly<Record<string, string>>
  readonly asked: string[] = []

  constructor(rules: string, words: Readonly<Record<string, string>>) {
    this.rules = rules
    this.#words = words
  }

  readonly toKnownName: BrandNamer['toKnownName'] = (said) => said
  readonly findBrand: BrandNamer['findBrand'] = ({ type, value, host }) => {
    this.asked.push(value)
    const name = type === 'domain' ? value : (host ?? '')
    return Object.entries(this.#words).find(([word]) => name.includes(word))?.[1] ?? null
  }
}

const acme = (): WordNaming => new WordNaming('r1', { acme: 'Acme', zorblat: 'Zorblat' })

interface Filled {
  readonly changed: number
  readonly batches: number
}

/** Fills as the writer does; stops after `batchesMax` batches. */
async function fill(naming: BrandNamer, batchesMax = Number.POSITIVE_INFINITY): Promise<Filled> {
  const stopping = new AbortController()
  let batches = 0
  const changed = await fillBrands({
    store: db.store,
    naming,
    now: () => db.now,
    signal: stopping.signal,
    onCommit: () => {
      batches++
      if (batches >= batchesMax) stopping.abort()
    },
  })
  return { changed, batches }
}

async function list(sightings: readonly Sighting[], source = sourceNamed('feed')): Promise<void> {
  db.now += 60_000
  const run = await db.startRun(source)
  for (let at = 0; at < sightings.length; at += 2_000) {
    await db.sight(source.name, run, sightings.slice(at, at + 2_000))
  }
  await db.endRun(run)
}

const domain = (value: string): Sighting => ({ type: 'domain', value })
const brandOf = (value: string, type: Sighting['type'] = 'domain') => {
  const row = db.store.byValue(value, type)
  return [row?.targetBrand ?? null, row?.targetBrandOrigin ?? null]
}

describe('fillBrands', () => {
  const page = 'http://acme-login.example/x'

  test('names the brands of active names, pages and addresses, and of nothing else', async () => {
    await list([
      domain('acme-login.example'),
      domain('plain.example'),
      { type: 'url', value: page, host: 'acme-login.example' },
      { type: 'email', value: 'a@zorblat-help.example', host: 'zorblat-help.example' },
      { type: 'ip', value: '203.0.113.7' },
      { type: 'sha256', value: 'a'.repeat(64) },
      { type: 'phone', value: '+12025550143' },
    ])
    const naming = acme()
    expect(await fill(naming)).toEqual({ changed: 3, batches: 1 })
    expect(naming.asked).toHaveLength(4)
    expect(brandOf('acme-login.example')).toEqual(['Acme', 'rules'])
    expect(brandOf(page, 'url')).toEqual(['Acme', 'rules'])
    expect(brandOf('a@zorblat-help.example', 'email')).toEqual(['Zorblat', 'rules'])
    expect(brandOf('plain.example')).toEqual([null, null])
  })

  test('keeps the brand of a source, and skips delisted indicators', async () => {
    await list([
      { ...domain('acme-told.example'), targetBrand: 'Told' },
      domain('acme-old.example'),
    ])
    await list([{ ...domain('acme-told.example'), targetBrand: 'Told' }])
    expect(await fill(acme())).toMatchObject({ changed: 0 })
    expect(brandOf('acme-told.example')).toEqual(['Told', 'source'])
    expect(brandOf('acme-old.example')).toEqual([null, null])
  })

  test('is needed once for each version of the rules', async () => {
    expect(needsBrands(db.store, { rules: 'r1' })).toBe(true)
    await list([domain('acme-login.example')])
    await fill(acme())
    expect(needsBrands(db.store, { rules: 'r1' })).toBe(false)
    expect(needsBrands(db.store, { rules: 'r2' })).toBe(true)
    const { seq } = db.store.meta()
    const again = acme()
    expect(await fill(again)).toEqual({ changed: 0, batches: 0 })
    expect(again.asked).toEqual([])
    expect(db.store.meta().seq).toBe(seq)
  })

  test('resumes where it was stopped, also after a restart', async () => {
    const names = Array.from({ length: 3_500 }, (_, n) => domain(`acme${n}.example`))
    await list(names)
    const first = acme()
    expect(await fill(first, 2)).toEqual({ changed: 2_000, batches: 2 })
    expect(db.store.meta().brandRules).toStartWith('r1-')
    expect(db.store.meta().brandsAfter).not.toBeNull()
    expect(needsBrands(db.store, { rules: 'r1' })).toBe(true)
    db.reopen()
    const second = acme()
    expect(await fill(second)).toEqual({ changed: 1_500, batches: 2 })
    expect(second.asked.some((value) => first.asked.includes(value))).toBe(false)
    expect(needsBrands(db.store, { rules: 'r1' })).toBe(false)
    expect(brandOf('acme0.example')).toEqual(['Acme', 'rules'])
    expect(brandOf('acme3499.example')).toEqual(['Acme', 'rules'])
  })

  test('ends after a full last slice', async () => {
    await list(Array.from({ length: 1_000 }, (_, n) => domain(`acme${n}.example`)))
    expect(await fill(acme())).toEqual({ changed: 1_000, batches: 2 })
    expect(needsBrands(db.store, { rules: 'r1' })).toBe(false)
  })

  test('starts again when the rules have changed meanwhile', async () => {
    await list(Array.from({ length: 1_500 }, (_, n) => domain(`acme${n}.example`)))
    await fill(acme(), 1)
    const changed = new WordNaming('r2', { acme: 'Acme Corp' })
    expect(await fill(changed)).toMatchObject({ changed: 1_500 })
    expect(brandOf('acme0.example')).toEqual(['Acme Corp', 'rules'])
    expect(db.store.meta()).toMatchObject({
      brandRules: expect.stringMatching(/^r2-/),
      brandsAfter: null,
    })
  })

  test('corrects and removes brands by new rules', async () => {
    await list([domain('acme-x.example'), domain('zorblat-x.example'), domain('new-x.example')])
    await fill(acme())
    const changed = new WordNaming('r2', { acme: 'Acme Corp', new: 'New' })
    expect(await fill(changed)).toMatchObject({ changed: 3 })
    expect(brandOf('acme-x.example')).toEqual(['Acme Corp', 'rules'])
    expect(brandOf('zorblat-x.example')).toEqual([null, null])
    expect(brandOf('new-x.example')).toEqual(['New', 'rules'])
  })

  test('yields to the event loop between slices, and observes an abort', async () => {
    await list(Array.from({ length: 10_000 }, (_, n) => domain(`acme${n}.example`)))
    const stopping = new AbortController()
    // The abort arrives like any message, when the event loop is free.
    setTimeout(() => stopping.abort(), 0)
    const { store } = db
    const { signal } = stopping
    await fillBrands({ store, naming: acme(), now: () => db.now, onCommit: () => {}, signal })
    expect(needsBrands(store, { rules: 'r1' })).toBe(true)
  })

  test('does nothing after an abort', async () => {
    await list([domain('acme-x.example')])
    const signal = AbortSignal.abort()
    const onCommit = (): never => {
      throw new Error('it went on')
    }
    const parts = { store: db.store, naming: acme(), now: () => db.now, onCommit, signal }
    expect(await fillBrands(parts)).toBe(0)
    expect(needsBrands(db.store, { rules: 'r1' })).toBe(true)
  })

  test('finishes at once with an empty database', async () => {
    expect(await fill(acme())).toEqual({ changed: 0, batches: 1 })
    expect(needsBrands(db.store, { rules: 'r1' })).toBe(false)
  })
})

describe('an import', () => {
  function importText(
    text: string,
    naming: BrandNamer,
    format: FormatName = 'domains',
    source = sourceNamed('feed'),
  ) {
    db.now += 60_000
    const guards = loadGuards()
    return importFeed(
      { store: db.store, guards, naming, now: () => db.now, onCommit: () => {} },
      { source, format, parts: [() => new Blob([text]).stream()], digest: null, force: true },
    )
  }

  test('names brands by the rules when it writes', async () => {
    await importText('acme-login.example\nplain.example\n', acme())
    expect(brandOf('acme-login.example')).toEqual(['Acme', 'rules'])
    expect(brandOf('plain.example')).toEqual([null, null])
    await fill(acme())
    expect(await importText('acme-login.example\nplain.example\n', acme())).toMatchObject({
      added: 0,
      changed: 0,
      seenAgain: 2,
    })
  })

  test('follows new rules, and without rules names no brand', async () => {
    await importText('acme-login.example\n', acme())
    await importText('acme-login.example\n', new WordNaming('r2', { acme: 'Acme Corp' }))
    expect(brandOf('acme-login.example')).toEqual(['Acme Corp', 'rules'])
    await importText('acme-login.example\n', noNaming)
    expect(brandOf('acme-login.example')).toEqual([null, null])
  })

  test('keeps the brand of its source, whatever other sources list the name', async () => {
    const csv = 'domain,target_brand\nacme-told.example,Told\nacme-silent.example,\n'
    await importText(csv, acme(), 'table', sourceNamed('telling'))
    await importText('acme-told.example\n', acme(), 'domains', sourceNamed('other'))
    expect(brandOf('acme-told.example')).toEqual(['Told', 'source'])
    expect(brandOf('acme-silent.example')).toEqual(['Acme', 'rules'])
  })

  test('names no brand on a platform that it lists', async () => {
    await importText('acme.pages.dev\npages.dev\n', new WordNaming('r', { pages: 'Pages' }))
    expect(brandOf('acme.pages.dev')).toEqual(['Pages', 'rules'])
    expect(brandOf('pages.dev')).toEqual([null, null])
  })
})
