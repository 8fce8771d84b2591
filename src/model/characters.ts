/** Classes of characters: the one place that defines a digit, a space and an invisible character. */

/** What steers a terminal, breaks a line or turns the direction of writing; for `replace` alone. */
export const controlCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** What cannot be seen, such as a zero-width space. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu

/** Reports whether a character code is a digit of ASCII. */
export const isAsciiDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Reports whether a character code is a letter of ASCII. */
export const isAsciiLetter = (code: number): boolean =>
  (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

/** Reports whether a character code is a space, a tab or a line break of ASCII. */
export const isAsciiSpace = (code: number): boolean =>
  code === 0x20 || (code >= 0x09 && code <= 0x0d)

/** Reports whether a text holds a control character, a line break or a direction mark. */
export const hasControls = (text: string): boolean => text.search(controlCharacters) !== -1

/** Returns the text without the characters that cannot be seen. */
export const withoutInvisible = (text: string): string => text.replace(invisible, '')

/** Reports whether a text holds a character that cannot be seen. */
export const hasInvisible = (text: string): boolean => text.search(invisible) !== -1

/** Returns the text without what would change how the words around it are shown. */
export const withoutSteering = (text: string): string =>
  withoutInvisible(text.replace(controlCharacters, ''))
