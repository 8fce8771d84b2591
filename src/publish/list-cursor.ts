/**
 * Cursors of the delta feed: opaque to callers, and worth nothing in another history of the database.
 *
 *     epoch, first 8 digits │ seq: has been read up to here │ base: what left by then is not held
 *
 * The two numbers differ while a caller reads on from answer to answer: what changed last at `seq` may
 * have left the list before, though not before the caller was level. Whoever starts with an empty copy
 * reads from 0, and holds nothing that left the list before he began.
 */

/** A place in the sequence of changes. */
export interface ListPosition {
  /** Of which history. */
  readonly epoch: string
  /** Everything that changed last up to this number has been read. */
  readonly seq: number
  /** Nothing that left the list up to this number is held. */
  readonly base: number
}

/** How many digits of the epoch a cursor carries: enough to tell histories apart. */
const epochDigits = 8

/** Returns as much of an epoch as a cursor carries. */
export const historyOf = (epoch: string): string => epoch.slice(0, epochDigits)

/** Returns the position as a cursor. */
export function cursorOf({ epoch, seq, base }: ListPosition): string {
  const history = historyOf(epoch)
  const place = base === seq ? `${seq}` : `${seq} ${base}`
  return Buffer.from(`${history} ${place}`).toString('base64url')
}

/** Reads a cursor; null when it is none. Its epoch is as far as the cursor tells it. */
export function positionOf(cursor: string): ListPosition | null {
  const text = Buffer.from(cursor, 'base64url').toString()
  const parts = /^([0-9a-z-]{8}) (\d{1,16})(?: (\d{1,16}))?$/.exec(text)
  if (parts === null) return null
  const seq = Number(parts[2])
  return { epoch: parts[1] ?? '', seq, base: Number(parts[3] ?? parts[2]) }
}

/** Reports whether a position is of the history that `epoch` names. */
export function isOfHistory(position: ListPosition, epoch: string): boolean {
  return historyOf(position.epoch) === historyOf(epoch)
}
