/**
 * Skeletons: labels with similar letters, digits and pairs mapped to one, so that two labels that look the
 * same have the same skeleton (like Unicode UTS #39, for ASCII).
 */

/** The letters that digits imitate. */
const digits: ReadonlyMap<number, string> = new Map(
  Object.entries({ '0': 'o', '1': 'l', '3': 'e', '4': 'a', '5': 's', '7': 't' }).map(
    ([digit, letter]) => [digit.charCodeAt(0), letter],
  ),
)

const letterI = 'i'.charCodeAt(0)

/**
 * Returns the skeleton of a lower-case ASCII label: digits as the letters they imitate, `i` as `l`, `rn`
 * as `m` and `vv` as `w`. O(length).
 */
export function asciiSkeleton(label: string): string {
  let skeleton = ''
  for (let at = 0; at < label.length; at++) {
    const pair = label.startsWith('rn', at) ? 'm' : label.startsWith('vv', at) ? 'w' : null
    if (pair !== null) {
      skeleton += pair
      at++
      continue
    }
    const code = label.charCodeAt(at)
    skeleton += code === letterI ? 'l' : (digits.get(code) ?? label.charAt(at))
  }
  return skeleton
}

/** The code that each ASCII code maps to. */
const readAs = Uint8Array.from({ length: 128 }, (_, code) =>
  asciiSkeleton(String.fromCharCode(code)).charCodeAt(0),
)

const [r, n, m, v, w] = [...'rnmvw'].map((letter) => letter.charCodeAt(0))

/** Returns a hash of a label's skeleton without building it: unequal hashes mean unequal skeletons. O(length). */
export function skeletonHash(label: string): number {
  let hash = 0
  for (let at = 0; at < label.length; at++) {
    const code = label.charCodeAt(at)
    const next = label.charCodeAt(at + 1)
    const pair = code === r && next === n ? m : code === v && next === v ? w : undefined
    if (pair !== undefined) at++
    hash = (Math.imul(hash, 31) + (pair ?? readAs[code] ?? code)) | 0
  }
  return hash
}

/** Maximum number of characters to check; no label is longer in A-labels. */
const labelLengthMax = 63

/**
 * Returns a label in ASCII as a reader sees it: without marks (`e` for `é`), look-alikes in other scripts as
 * the letters they imitate; null when a character looks like no ASCII letter.
 */
export function readAsAscii(
  label: string,
  confusables: ReadonlyMap<string, string>,
): string | null {
  let read = ''
  for (const character of label.slice(0, labelLengthMax).normalize('NFKD').toLowerCase()) {
    if (/^\p{M}$/u.test(character)) continue
    const seen = /^[a-z0-9-]$/.test(character) ? character : confusables.get(character)
    if (seen === undefined) return null
    read += seen
  }
  return read
}

/** Scripts that are used together: Japanese, Chinese and Korean with Latin letters. */
const together =
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]$/u

const scripts = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  ['Thai', /\p{Script=Thai}/u],
] as const

/**
 * Returns the scripts in a label that no language uses together (UTS #39, highly restrictive), or null.
 * Digits, hyphens and marks belong to all scripts.
 */
export function mixedScripts(label: string): readonly string[] | null {
  const letters = [...label.slice(0, labelLengthMax)].filter((character) =>
    /^\p{L}$/u.test(character),
  )
  if (letters.every((letter) => together.test(letter))) return null
  const found = scripts.filter(([, script]) => letters.some((letter) => script.test(letter)))
  return found.length > 1 ? found.map(([name]) => name) : null
}
