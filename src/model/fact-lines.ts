/** Fact files: texts that a person edits, one fact a line. */

/** Returns the lines of a fact file, trimmed; `#` begins a comment, lines without a fact are left out. */
export function factLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((fact) => fact !== '')
}
