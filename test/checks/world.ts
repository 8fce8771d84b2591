/** A feed, an operator and a checker over one store: what the tests of words are tried on. */

import type { UrlChecker, UrlFinder } from '../../src/checks/url.ts'
import { Catalog } from '../../src/index/catalog.ts'
import { parsePlatforms } from '../../src/model/platform.ts'
import type { ReasonCode, VerdictStatus } from '../../src/model/verdict.ts'
import type { DecisionVerdict, Sighting } from '../../src/store/batch.ts'
import { sourceNamed, TestStore } from '../store/fixture.ts'
import { urlCheckerOver } from './url-checker.ts'

export const foundAt = 50

export const platforms = parsePlatforms('hosting.example tenant\ndocs.example page')

/** What stands for a value in the store, but for what is said of it. */
export function toSubject(value: string) {
  const isPage = value.includes('://')
  const host = isPage ? new URL(value).host : value
  const platform = platforms.findPlatform(host)?.apex
  if (platform === value) return { type: 'domain', value, doNotBlock: true } as const
  const place = platform === undefined ? {} : { platform }
  if (isPage) return { type: 'url', value, host, ...place } as const
  return value === '203.0.113.5'
    ? ({ type: 'ip', value } as const)
    : ({ type: 'domain', value, ...place } as const)
}

/** A store that a feed and an operator write to, and a checker whose catalog follows it. */
export class World {
  readonly db = new TestStore()
  readonly catalog: Catalog
  readonly checker: UrlChecker & UrlFinder

  constructor() {
    const report = (error: unknown): never => {
      throw error
    }
    const { store, dataDir } = this.db
    this.catalog = Catalog.build({ store, dataDir, wake: () => {}, report })
    this.checker = urlCheckerOver(this.catalog, platforms, foundAt)
  }

  /** Reads a feed's whole list. */
  async list(sightings: readonly Sighting[]): Promise<void> {
    this.db.now += 60_000
    const run = await this.db.startRun(sourceNamed('feed'))
    await this.db.sight('feed', run, sightings)
    await this.db.endRun(run)
    this.follow()
  }

  async say(verdict: DecisionVerdict, value: string): Promise<void> {
    this.db.now += 60_000
    const words = { op: 'decide', verdict, reason: 'r', by: 'ann', until: null } as const
    const operations = [{ ...toSubject(value), ...words }]
    await this.db.store.write({ at: this.db.now, operations })
    this.follow()
  }

  follow(): void {
    while (this.catalog.advance(1) === 'more');
  }

  /** Returns the status of an answer and the code of its first reason. */
  ask(input: string): [VerdictStatus, ReasonCode] {
    const answer = this.checker.check(input)
    if (!answer.ok) throw new Error(`${input} was refused: ${answer.reason}`)
    const { status, reasons } = answer.value.verdict
    return [status, reasons[0]?.code ?? 'not_listed']
  }
}
