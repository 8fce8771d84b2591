/**
 * The codec of all public cursors, and the cursors of the delta feed.
 *
 * A cursor is opaque to clients: the fields of a position, joined by spaces, in base64url. The server
 * remembers none, so a cursor holds all that the next answer needs.
 *
 *     delta feed    epoch, first 8 digits │ seq: read up to here │ base: removals up to here are not held
 *     block list    epoch, first 8 digits │ time of listing │ domain: the last entry of the page
 *     STIX export   1 │ seq: everything from here on was exported
 *     TAXII         1 │ collection │ date of the last object │ filters, as JSON
 *
 * In the delta feed the two numbers differ while a client reads on from answer to answer: what changed
 * last at `seq` may have left the list earlier, but not before the client was in sync. A client that starts
 * with an empty copy reads from 0, and holds nothing that left the list before it began.
 */

/** Returns the fields as a cursor; only the last may hold a space. */
export function toCursor(...fields: readonly (string | number)[]): string {
  return Buffer.from(fields.join(' ')).toString('base64url')
}

/** Returns the groups of `shape` in the fields of a cursor; null when weir made no such cursor. */
export function readCursor(cursor: string, shape: RegExp): readonly string[] | null {
  const fields = Buffer.from(cursor, 'base64url').toString()
  // The decoder ignores characters outside its alphabet; text with such characters is not one of weir's cursors.
  return toCursor(fields) === cursor ? (shape.exec(fields)?.slice(1) ?? null) : null
}

/** A place in the sequence of changes. */
export interface ListPosition {
  /** The beginning of the epoch of the database that the numbers belong to. */
  readonly epoch: string
  /** Everything that changed last up to this number has been read. */
  readonly seq: number
  /** The client has nothing that left the list up to this number. */
  readonly base: number
}

/** The number of digits of the epoch in a cursor: enough to distinguish databases. */
const epochDigits = 8

/** Returns the digits of an epoch that a cursor contains. */
export const shortEpoch = (epoch: string): string => epoch.slice(0, epochDigits)

/** Returns the position as a cursor of the delta feed. */
export function formatListCursor({ epoch, seq, base }: ListPosition): string {
  return toCursor(shortEpoch(epoch), seq, ...(base === seq ? [] : [base]))
}

/** Returns the position that a cursor of the delta feed names; null when it is not one. */
export function parseListCursor(cursor: string): ListPosition | null {
  const fields = readCursor(cursor, /^([0-9a-z-]{8}) (\d{1,16})(?: (\d{1,16}))?$/)
  if (fields === null) return null
  const [epoch = '', seq, base = seq] = fields
  return { epoch, seq: Number(seq), base: Number(base) }
}
