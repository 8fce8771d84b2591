/**
 * Collections over a real store, behind the app, whose clock stands where a test puts it; and ways of
 * reading them as TAXII clients do.
 */

import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../src/http/app.ts'
import { createSerializer, type ObjectSerializer } from '../../src/publish/stix/object-writing.ts'
import { createStixExport, type StixExport } from '../../src/publish/stix/stix-export.ts'
import { TaxiiReader } from '../../src/publish/stix/taxii.ts'
import type { Sighting } from '../../src/store/batch.ts'
import { restore } from '../../src/store/restore.ts'
import { databaseName, WriteStore } from '../../src/store/store.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { checkedFetch } from './checked-answers.ts'
import { standIns } from './stand-ins.ts'

export const taxiiType = 'application/taxii+json;version=2.1'
export const stixType = 'application/stix+json;version=2.1'

/** The addresses of both API roots, and of a collection below either. */
export const roots = ['/taxii2/feeds/', '/api/taxii/2.1/'] as const

/** A STIX object, as far as tests look into it. */
export interface StixJson {
  readonly id: string
  readonly type: string
  readonly created: string
  readonly modified?: string
  readonly revoked?: boolean
  readonly valid_until?: string
  readonly pattern?: string
  readonly name?: string
  readonly [name: string]: unknown
}

/** An envelope, a manifest, a bundle, versions or an error. */
export interface TaxiiJson {
  readonly more?: boolean
  readonly next?: string
  readonly objects?: readonly StixJson[]
  readonly versions?: readonly string[]
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly http_status?: string
  readonly [name: string]: unknown
}

export interface TaxiiAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: TaxiiJson
  readonly objects: readonly StixJson[]
  readonly ids: readonly string[]
}

const isTaxiiJson = (value: unknown): value is TaxiiJson =>
  typeof value === 'object' && value !== null

/** Reads an answer. */
export async function answerOf(response: Response): Promise<TaxiiAnswer> {
  const { status, headers } = response
  const text = await response.text()
  const json: unknown = text === '' ? {} : JSON.parse(text)
  if (!isTaxiiJson(json)) throw new Error(`no object: ${text.slice(0, 200)}`)
  const objects = json.objects ?? []
  return { status, headers, text, json, objects, ids: objects.map(({ id }) => id) }
}

/** A store, the app over it, and a client. */
export class TaxiiWorld {
  readonly db = new TestStore()
  readonly feed = sourceNamed('feed')
  readonly #publicUrl: string
  #fetch: (request: Request) => Response | Promise<Response>

  constructor(publicUrl = 'http://weir.test') {
    this.#publicUrl = publicUrl
    this.#fetch = this.#build()
  }

  #build(): (request: Request) => Response | Promise<Response> {
    const app = createApp(
      standIns({
        taxii: new TaxiiReader(this.db.store, this.writer),
        stixExport: this.stixExport,
        now: () => this.db.now,
        publicUrl: this.#publicUrl,
      }),
    )
    return checkedFetch(app)
  }

  /** Writes on this thread. */
  get writer(): ObjectSerializer {
    return createSerializer(this.db.store)
  }

  /** The export; one brand has an alias. */
  get stixExport(): StixExport {
    const brands = new Map([['bofa', 'Bank of America']])
    return createStixExport(
      this.db.store,
      this.writer,
      (text) => brands.get(text.toLowerCase()) ?? null,
    )
  }

  /** Closes everything and opens it anew, as a restart does. */
  restart(): void {
    this.db.reopen()
    this.#fetch = this.#build()
  }

  /** Goes on from a backup, which replaces the database as it is. */
  restore(backup: string): void {
    const { db } = this
    db.store.close()
    // Its statements keep the file open until they are collected: a copy of it is replaced.
    const dataDir = join(db.dataDir, 'restored')
    mkdirSync(dataDir)
    cpSync(db.store.path, join(dataDir, databaseName))
    restore(dataDir, backup, db.now)
    db.store = WriteStore.open({ dataDir, role: 'background', now: () => db.now })
    this.#fetch = this.#build()
  }

  close(): void {
    this.db.remove()
  }

  /** Asks with the headers of a TAXII client. */
  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<TaxiiAnswer> {
    return this.ask(path, { headers: { accept: taxiiType, ...headers } })
  }

  async ask(path: string, init: RequestInit = {}): Promise<TaxiiAnswer> {
    return answerOf(await this.respond(path, init))
  }

  async respond(path: string, init: RequestInit): Promise<Response> {
    return this.#fetch(new Request(`http://weir.test${path}`, init))
  }

  /** Lists things as one whole list of a source, a minute after what came before, and lets them settle. */
  async list(sightings: readonly Sighting[], source = this.feed): Promise<void> {
    this.db.now += 60_000
    const run = await this.db.startRun(source)
    for (let start = 0; start < sightings.length; start += 1_000) {
      await this.db.sight(source.name, run, sightings.slice(start, start + 1_000))
    }
    await this.db.endRun(run)
    this.settle()
  }

  /** What has been committed is shown from now on. */
  settle(): void {
    this.db.now += 2_000
  }

  /** Takes or takes back the operator's word about a domain. */
  async decide(value: string, verdict: 'block' | 'allow' | 'clear'): Promise<void> {
    this.db.now += 60_000
    const words = { reason: 'a test', by: 'tester', until: null }
    const operations = [{ op: 'decide', type: 'domain', value, verdict, ...words }] as const
    await this.db.store.write({ at: this.db.now, operations })
    this.settle()
  }

  /** Reads a collection to its end by `next`, and returns every answer. */
  async pages(
    collection: string,
    query = '',
    root: string = roots[0],
  ): Promise<readonly TaxiiAnswer[]> {
    const answers: TaxiiAnswer[] = []
    const path = `${root}collections/${collection}/objects/?`
    for (let next: string | undefined; ; ) {
      const answer = await this.get(`${path}${next === undefined ? '' : `next=${next}&`}${query}`)
      answers.push(answer)
      next = answer.json.next
      if (next === undefined) return answers
    }
  }

  /** Every object of a collection, in order. */
  async objects(collection: string, query = ''): Promise<readonly StixJson[]> {
    return (await this.pages(collection, query)).flatMap(({ objects }) => objects)
  }
}

/** Domains to be listed, some with a brand or a family. */
export function namesOf(count: number, from = 0): Sighting[] {
  return Array.from({ length: count }, (_, index): Sighting => {
    const number = from + index
    return {
      type: 'domain',
      value: `name${number}.test`,
      ...(number % 5 === 0 ? { targetBrand: `Brand ${number % 3}` } : {}),
      ...(number % 7 === 0 ? { malwareFamily: `Family ${number % 2}` } : {}),
    }
  })
}

/** One of everything that is exported. */
export const mixed: readonly Sighting[] = [
  ...namesOf(12),
  { type: 'url', value: 'https://page.test/login?a=1', host: 'page.test', targetBrand: 'Brand 0' },
  { type: 'url', value: "https://page.test/o'b\\c%20d", host: 'page.test' },
  { type: 'sha256', value: 'a'.repeat(64), threatType: 'malware', malwareFamily: 'Family 1' },
  { type: 'sha1', value: 'b'.repeat(40), threatType: 'malware' },
  { type: 'md5', value: 'c'.repeat(32), threatType: 'malware' },
  { type: 'email', value: "o'brien@mail.test", host: 'mail.test' },
  { type: 'ip', value: '203.0.113.7' },
  { type: 'ip', value: '2001:db8::7' },
  { type: 'phone', value: '+12025550123', threatType: 'scam' },
]
