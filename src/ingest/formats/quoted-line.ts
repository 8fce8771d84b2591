/**
 * Splits one line of a table that holds quotes, in one pass, whatever the line.
 *
 * It accepts what csv-parse accepts with `trim`, and tests compare the two: white space may surround quotes,
 * and an empty quoted cell may be opened again for more white space. csv-parse itself was rejected: it is
 * for whole files, and given single lines it takes as long for a broken quote as for a hundred lines.
 */

import { isAsciiSpace } from '../../model/characters.ts'

/** Reports whether a character is white space that csv-parse trims before a cell: what JavaScript trims. */
function isSpace(line: string, at: number): boolean {
  const code = line.charCodeAt(at)
  return code < 0x80 ? isAsciiSpace(code) : /\s/.test(line.charAt(at))
}

/** Returns where the white space before a cell ends; a separator ends it. */
function endOfSpace(line: string, start: number, delimiter: string): number {
  let end = start
  while (isSpace(line, end) && line[end] !== delimiter) end++
  return end
}

/** Returns where the ASCII white space in or after a cell ends. */
function endOfAsciiSpace(line: string, start: number, delimiter: string | null): number {
  let end = start
  while (isAsciiSpace(line.charCodeAt(end)) && line[end] !== delimiter) end++
  return end
}

/** Returns the place of the closing quote of a cell whose content starts at `start`, or -1. */
function closingQuote(line: string, start: number): number {
  let at = line.indexOf('"', start)
  while (at !== -1 && line[at + 1] === '"') at = line.indexOf('"', at + 2)
  return at
}

/** Returns the end of an empty quoted cell and whatever reopens it; -1 when it holds more. */
function endOfReopened(line: string, start: number, delimiter: string): number {
  let end = endOfSpace(line, start, delimiter)
  while (line[end] === '"') {
    const quote = endOfAsciiSpace(line, end + 1, null)
    if (line[quote] !== '"' || line[quote + 1] === '"') return -1
    end = endOfSpace(line, quote + 1, delimiter)
  }
  return end
}

/** Splits a line with quotes into its cells; null when the quotes are broken or the cells too many. */
export function splitQuoted(
  line: string,
  delimiter: string,
  cellsMax: number,
): readonly string[] | null {
  const cells: string[] = []
  let quote = line.indexOf('"')
  for (let start = 0; ; ) {
    if (cells.length === cellsMax) return null
    // Looked up again only when it is passed: a line of many cells costs its length.
    if (quote !== -1 && quote < start) quote = line.indexOf('"', start)
    const opening = endOfSpace(line, start, delimiter)
    let end: number
    if (line[opening] === '"') {
      const closing = closingQuote(line, opening + 1)
      if (closing === -1) return null
      const cell = line.slice(opening + 1, closing)
      cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell)
      end =
        cell === ''
          ? endOfReopened(line, closing + 1, delimiter)
          : endOfAsciiSpace(line, closing + 1, delimiter)
      if (end === -1 || (end < line.length && line[end] !== delimiter)) return null
    } else {
      const found = line.indexOf(delimiter, opening)
      end = found === -1 ? line.length : found
      if (quote !== -1 && quote < end) return null
      cells.push(line.slice(opening, end).trimEnd())
    }
    if (end === line.length) return cells
    start = end + 1
  }
}
