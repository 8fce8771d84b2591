/** Fact files: texts that people edit, one fact per line; `#` starts a comment. */

/** A line that cannot be used; the message names the file and the line, and says what to write. */
export class FactError extends Error {
  override readonly name = 'FactError'
}

/** One fact of a file. */
export interface Fact {
  /** The line without comment, trimmed. */
  readonly text: string
  /** Throws a `FactError` about this line. */
  readonly fail: (mistake: string) => never
}

const toFact = (line: string): string => line.replace(/#.*/, '').trim()

/** Yields the facts of a file; `file` is its name in errors. */
export function* readFacts(file: string, content: string): Generator<Fact> {
  for (const [index, line] of content.split('\n').entries()) {
    const text = toFact(line)
    if (text === '') continue
    const fail = (mistake: string): never => {
      throw new FactError(`${file}, line ${index + 1}, "${text}": ${mistake}`)
    }
    yield { text, fail }
  }
}

/** Returns the texts of the facts of a file. */
export function factLines(content: string): string[] {
  return content
    .split('\n')
    .map(toFact)
    .filter((fact) => fact !== '')
}
