/** The addresses that can be searched, as the view over them needs them. */

import { Statements } from './statements.ts'

/** An address that is listed and public. */
export interface SearchableAddress {
  readonly id: number
  readonly value: string
  /** The number of its listing. */
  readonly listedSeq: number
}

/** An indicator that has changed. */
export interface AddressChange extends SearchableAddress {
  readonly seq: number
  /** 1: it is an address, listed and public. */
  readonly shown: number
}

/** A platform is listed with a flag, and is not itself a phishing page. */
const shown = `published = 1 AND do_not_block = 0 AND type IN ('domain', 'url', 'ip')`

/** Reads addresses that can be searched. */
export class SearchableAddresses extends Statements {
  /** Returns at most `limit` addresses with an id over `id`. */
  after(id: number, limit: number): SearchableAddress[] {
    const sql = `SELECT id, value, listed_seq AS listedSeq FROM indicator
      WHERE id > ?1 AND ${shown} ORDER BY id LIMIT ?2`
    return this.queryAll(sql, id, limit)
  }

  /** Returns at most `limit` indicators changed after a number, also those that are shown no longer. */
  changesAfter(seq: number, limit: number): AddressChange[] {
    const sql = `SELECT id, value, listed_seq AS listedSeq, seq, (${shown}) AS shown FROM indicator
      WHERE seq > ?1 ORDER BY seq LIMIT ?2`
    return this.queryAll(sql, seq, limit)
  }
}
