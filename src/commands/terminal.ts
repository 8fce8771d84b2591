/** Plain output for a terminal of 100 columns: numbers, paragraphs, tables, failures, a progress bar. */

/** Formats a count with thousands separators. */
export function formatCount(n: number): string {
  return n.toLocaleString('en-US')
}

/** Formats a time as `2026-11-21 13:05`, UTC. */
export function formatTime(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}

const durationUnits = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const

/** Formats a duration in its largest unit: `7d`, `2h`, `15m`, `30s`. */
export function formatDuration(milliseconds: number): string {
  for (const [unit, size] of durationUnits) {
    if (milliseconds >= size) return `${Math.floor(milliseconds / size)}${unit}`
  }
  return `${Math.floor(milliseconds / 1000)}s`
}

/** Formats how long ago something was; `never` when it never was. */
export function formatAge(time: number | null, now: number): string {
  return time === null ? 'never' : `${formatDuration(Math.max(0, now - time))} ago`
}

/** Lists each problem once, after the names of all that have it. */
export function problemLines(
  problems: readonly { readonly name: string; readonly problem: string }[],
): string[] {
  const names = new Map<string, string[]>()
  for (const { name, problem } of problems) {
    names.set(problem, [...(names.get(problem) ?? []), name])
  }
  return [...names].map(([problem, affected]) => `${affected.join(', ')}: ${problem}`)
}

/** Cuts a text that is wider than `width`. */
export function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text
}

/** Prints a failure that stops nothing. */
export function reportFailure(error: unknown): void {
  console.error(error instanceof Error ? `weir: ${error.message}` : error)
}

/** Lays rows out in columns as wide as their widest cell; the last column is not padded. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The longest line; a word that is longer gets a line of its own. */
const columns = 100

/** The width of the labels of rows. */
const labelColumns = 14

/** Breaks text at its spaces into lines, each indented by `indent`. */
export function paragraph(text: string, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].map((content) => ' '.repeat(indent) + content).join('\n')
}

/** Lays out rows of a label and a text; a row without a text is left out. */
export function labelled(rows: readonly (readonly [label: string, text: string | null])[]): string {
  return rows
    .flatMap(([label, text]) =>
      text === null
        ? []
        : [label.padEnd(labelColumns) + paragraph(text, labelColumns).slice(labelColumns)],
    )
    .join('\n')
}

/** The cells of a progress bar. */
const barWidth = 30

/** The shortest time between two drawings. */
const redrawMs = 80

/**
 * A progress bar on standard error, drawn only when that is a terminal, so that logs and pipes stay
 * clean.
 */
export class ProgressBar {
  readonly #isShown = process.stderr.isTTY === true
  readonly #now: () => number
  #drawnAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Draws `fraction` (0 to 1) and a note, unless the last drawing is very recent. */
  update(fraction: number, note: string): void {
    const now = this.#now()
    if (!this.#isShown || now - this.#drawnAt < redrawMs) return
    this.#drawnAt = now
    const filled = Math.round(Math.min(1, fraction) * barWidth)
    const percent = `${Math.floor(Math.min(1, fraction) * 100)}`.padStart(3)
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
    process.stderr.write(`\r${bar} ${percent} %  ${note}\u001b[K`)
  }

  /** Removes the bar. */
  clear(): void {
    if (this.#isShown) process.stderr.write('\r\u001b[K')
  }
}
