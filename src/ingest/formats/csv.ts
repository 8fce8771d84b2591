/**
 * Reads tables of separated values one line at a time: a row is a line, so that a broken quote costs
 * its own row and never the next.
 *
 * Columns are found by the names in the header, which may be in a comment, may be quoted and may be repeated;
 * publishers add and drop columns over the years. Names are kept in a map and never become keys of an
 * object.
 */

import { type Item, type LineFormat, type ReadLine, refusedRow } from './format.ts'
import type { ReadField } from './publishers.ts'
import { splitQuoted } from './quoted-line.ts'

/** The most columns of a row; the widest feed has 15. */
const columnsMax = 256

/** Splits a line into its cells; null when its quotes are broken or it has too many columns. */
export type SplitLine = (line: string) => readonly string[] | null

/**
 * Returns a reader of lines for one separator. White space before a quote, as abuse.ch writes it, is
 * ignored.
 */
export function openSplitter(delimiter: string): SplitLine {
  return (line) => {
    if (line.includes('"')) return splitQuoted(line, delimiter, columnsMax)
    const cells = line.split(delimiter, columnsMax + 1)
    return cells.length > columnsMax ? null : cells
  }
}

/** Returns a column's name for comparison; `trim` removes a byte order mark too. */
const columnName = (cell: string): string => cell.trim().toLowerCase().replace(/[ -]/g, '_')

/** The columns of a table by their names, which are compared in lower case, `_` for a space. */
export class TableHeader {
  readonly split: SplitLine
  readonly width: number
  readonly #columns = new Map<string, number>()

  constructor(split: SplitLine, cells: readonly string[]) {
    this.split = split
    this.width = cells.length
    for (const [column, cell] of cells.entries()) {
      const name = columnName(cell)
      if (!this.#columns.has(name)) this.#columns.set(name, column)
    }
  }

  get names(): readonly string[] {
    return [...this.#columns.keys()]
  }

  has(name: string): boolean {
    return this.#columns.has(name.toLowerCase())
  }

  /** Reports whether a row begins with the name of a column, as a repeated header does. */
  beginsLike([first = '']: readonly string[]): boolean {
    return this.#columns.has(columnName(first))
  }

  /** Returns a function that reads a cell of a row by name; an empty cell is undefined. */
  openRow(cells: readonly string[]): ReadField {
    return (name) => {
      const column = this.#columns.get(name) ?? this.#columns.get(name.toLowerCase())
      const cell = column === undefined ? undefined : cells[column]?.trim()
      return cell === '' ? undefined : cell
    }
  }
}

/** A table with a header. */
export interface Table {
  /** The possible separators of columns; a comma by default. */
  readonly delimiters?: readonly string[]
  /** Reports whether these are the columns of such a table. */
  readonly isHeader: (header: TableHeader) => boolean
  /** Hands over every item of one row. */
  readonly readRow: (field: ReadField, take: (item: Item) => void) => void
}

/** Returns the header of a table in a line, in a comment or not; null when the line is not a header. */
export type FindHeader = (line: string) => TableHeader | null

/** Returns the function that finds the header of a table. */
export function openHeader({ delimiters = [','], isHeader }: Table): FindHeader {
  const splitters = delimiters.map((delimiter) => ({ delimiter, split: openSplitter(delimiter) }))
  return (line) => {
    const text = isComment(line) ? uncommented(line) : line
    for (const [index, { delimiter, split }] of splitters.entries()) {
      // Without a separator in it, a line is one cell for all of them: the first has tried that.
      if (index > 0 && !text.includes(delimiter)) continue
      const cells = split(text)
      if (cells === null) continue
      const header = new TableHeader(split, cells)
      if (isHeader(header)) return header
    }
    return null
  }
}

const isBlank = (line: string): boolean => line.trim() === ''

/** Reports whether a line of a table is a comment. */
export const isComment = (line: string): boolean => line.trimStart().startsWith('#')

/** Returns a comment's text, without the label that PhishStats puts before its header. */
function uncommented(line: string): string {
  return line.trim().replace(/^#+/, '').trimStart().replace(/^CSV:/, '')
}

/** Returns the format of a table whose columns are found by its header. */
export function tableFormat(table: Table): LineFormat {
  return { kind: 'lines', open: () => openTable(table) }
}

function openTable(table: Table): ReadLine {
  const findHeader = openHeader(table)
  let header: TableHeader | null = null
  let hasRows = false
  return (line, take) => {
    if (isBlank(line)) return
    if (isComment(line) || !hasRows) {
      const found = findHeader(line)
      header = found ?? header
      if (found !== null || isComment(line)) return
    }
    const cells = header?.split(line) ?? null
    if (header === null || cells === null) {
      take(refusedRow('malformed_row'))
      return
    }
    if (header.beginsLike(cells)) {
      const again = findHeader(line)
      header = again ?? header
      if (again !== null) return
    }
    if (cells.length !== header.width) {
      take(refusedRow('malformed_row'))
      return
    }
    hasRows = true
    table.readRow(header.openRow(cells), take)
  }
}

/** Returns the format of a table without a header, whose columns go by their place. */
export function placesFormat(
  openSplit: () => SplitLine,
  readRow: (cells: readonly string[], take: (item: Item) => void) => void,
): LineFormat {
  return {
    kind: 'lines',
    open: () => {
      const split = openSplit()
      return (line, take) => {
        if (isBlank(line) || isComment(line)) return
        const cells = split(line)
        if (cells === null) take(refusedRow('malformed_row'))
        else
          readRow(
            cells.map((cell) => cell.trim()),
            take,
          )
      }
    },
  }
}
