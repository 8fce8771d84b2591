/**
 * How the room writes its statements: next to the method that uses them, over rows whose fields are
 * the columns in camelCase.
 *
 *     SELECT do_not_block AS doNotBlock …     a row reads like any other object of weir's
 *     INSERT … VALUES (…, $doNotBlock, …)     and is bound by name: a new column touches one list
 *
 * Binding 30 columns by name takes 5.2 to 5.8 µs, by position 5.9. `Database.query` finds a prepared
 * statement by its text in 0.4 µs; what runs for each row of an import or for each check is kept in a
 * field (`prepare`) and saves that.
 */

import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'

// Bun keeps the 20 statements used last. The store has some 170, and preparing one takes longer than
// most take to run.
Database.MAX_QUERY_CACHE_SIZE = 512

/** The statements of one table or question, on one connection. Each is prepared once. */
export class Statements {
  protected readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  protected prepare<Row = never>(sql: string): Statement<Row, SQLQueryBindings[]> {
    return this.database.prepare<Row, SQLQueryBindings[]>(sql)
  }

  /** Returns the first row, or null. */
  protected queryOne<Row>(sql: string, ...values: SQLQueryBindings[]): Row | null {
    return this.database.query<Row, SQLQueryBindings[]>(sql).get(...values)
  }

  protected queryAll<Row>(sql: string, ...values: SQLQueryBindings[]): Row[] {
    return this.database.query<Row, SQLQueryBindings[]>(sql).all(...values)
  }

  protected execute(sql: string, ...values: SQLQueryBindings[]): void {
    this.database.query<never, SQLQueryBindings[]>(sql).run(...values)
  }
}

const toColumn = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns what `SELECT` reads fields from: `guard.source_id AS sourceId, …`. */
export function selected(table: string, fields: readonly string[]): string {
  return fields.map((field) => `${table}.${toColumn(field)} AS ${field}`).join(', ')
}

/** Returns what `INSERT` writes fields to: `INTO guard (source_id, …) VALUES ($sourceId, …)`. */
export function inserted(table: string, fields: readonly string[]): string {
  const values = fields.map((field) => `$${field}`)
  return `INTO ${table} (${fields.map(toColumn).join(', ')}) VALUES (${values.join(', ')})`
}

/** Returns what `UPDATE` sets fields to: `source_id = $sourceId, …`. */
export function assigned(fields: readonly string[]): string {
  return fields.map((field) => `${toColumn(field)} = $${field}`).join(', ')
}
