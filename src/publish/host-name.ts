/** What lists for blockers take for a name: nothing in it can begin a line, a comment or a second name. */

/** The longest name of the DNS, in characters. */
export const nameLengthMax = 253

const hostName = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/

/** Reports whether a value is plainly a canonical name of two labels or more. */
export function isHostName(value: string): boolean {
  return value.length <= nameLengthMax && hostName.test(value)
}
