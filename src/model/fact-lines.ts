/** Fact files: texts that people edit, one fact per line. */

/** Returns the trimmed lines of a fact file without comments (`#`) and empty lines. */
export function factLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((fact) => fact !== '')
}
