/** What can be searched, as the views over it need it: addresses, articles and reports, and what changed. */

import type { Database, Statement } from 'bun:sqlite'
import { type NewsChange, newsSql } from './news.ts'
import { type ReportChange, reportSql } from './reports.ts'

/** An address that is listed and public. */
export interface SearchableAddress {
  readonly id: number
  readonly value: string
  /** The number of its listing. */
  readonly listed_seq: number
}

/** An indicator that has changed. */
export interface AddressChange extends SearchableAddress {
  readonly seq: number
  /** 1: it is an address, listed and public. */
  readonly shown: number
}

/** Platforms are listed with a flag, and are nobody's phishing page. */
const shown = `published = 1 AND do_not_block = 0 AND type IN ('domain', 'url', 'ip')`

/** Every statement over what can be searched, by name. */
export const searchableSql = {
  addresses: `SELECT id, value, listed_seq FROM indicator
    WHERE id > ?1 AND ${shown} ORDER BY id LIMIT ?2`,
  addressChanges: `SELECT id, value, listed_seq, seq, (${shown}) AS shown FROM indicator
    WHERE seq > ?1 ORDER BY seq LIMIT ?2`,
} as const

/** Reads what can be searched. */
export class Searchable {
  readonly #addresses: Statement<SearchableAddress, [number, number]>
  readonly #addressChanges: Statement<AddressChange, [number, number]>
  readonly #newsChanges: Statement<NewsChange, [number, number]>
  readonly #reportChanges: Statement<ReportChange, [number, number]>

  constructor(database: Database) {
    this.#addresses = database.prepare(searchableSql.addresses)
    this.#addressChanges = database.prepare(searchableSql.addressChanges)
    this.#newsChanges = database.prepare(newsSql.changes)
    this.#reportChanges = database.prepare(reportSql.changes)
  }

  /** Returns at most `limit` addresses with an id over `id`. */
  addressesAfter(id: number, limit: number): SearchableAddress[] {
    return this.#addresses.all(id, limit)
  }

  /** Returns at most `limit` indicators changed after a number, also those that are shown no longer. */
  addressChangesAfter(seq: number, limit: number): AddressChange[] {
    return this.#addressChanges.all(seq, limit)
  }

  /** Returns at most `limit` articles changed after a number; from 0 on that is all of them. */
  newsChangesAfter(seq: number, limit: number): NewsChange[] {
    return this.#newsChanges.all(seq, limit)
  }

  /** Returns at most `limit` reports changed after a number; from 0 on that is all of them. */
  reportChangesAfter(seq: number, limit: number): ReportChange[] {
    return this.#reportChanges.all(seq, limit)
  }
}
