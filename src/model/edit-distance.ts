/**
 * The distance of two spellings: the optimal string alignment distance, in which inserting, deleting or
 * replacing a letter and swapping two neighbours each count one, and no part of a word is changed twice
 * (Damerau 1964, restricted).
 */

/** Longer words count as far apart: no brand and no label is longer. */
const lengthMax = 64

/** Three rows of the table, reused by each call. */
let before = new Uint8Array(lengthMax + 1)
let last = new Uint8Array(lengthMax + 1)
let current = new Uint8Array(lengthMax + 1)

/** Returns the distance of two texts, or `max + 1` when it is over `max`. O(length² ) at worst. */
export function editDistance(a: string, b: string, max: number): number {
  const far = max + 1
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > max) return far
  if (a.length > lengthMax || b.length > lengthMax) return far
  for (let column = 0; column <= b.length; column++) last[column] = column
  for (let row = 1; row <= a.length; row++) {
    const letter = a.charCodeAt(row - 1)
    let best = row
    current[0] = row
    for (let column = 1; column <= b.length; column++) {
      const other = b.charCodeAt(column - 1)
      let cost = (last[column - 1] ?? 0) + (letter === other ? 0 : 1)
      cost = Math.min(cost, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1)
      const isSwap =
        row > 1 &&
        column > 1 &&
        letter === b.charCodeAt(column - 2) &&
        other === a.charCodeAt(row - 2)
      if (isSwap) cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      current[column] = cost
      if (cost < best) best = cost
    }
    if (best > max) return far
    const spare = before
    before = last
    last = current
    current = spare
  }
  return Math.min(last[b.length] ?? far, far)
}
