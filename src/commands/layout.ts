/** Lays text out for a terminal of 100 columns: wrapped paragraphs, and rows with a label. */

/** How wide a line may be; a word that is longer stands on a line of its own. */
const columns = 100

/** How wide the labels of rows are. */
const labelColumns = 14

/** Breaks text at its spaces into lines, each `indent` from the left. */
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

/** Lays out rows of a label and a text; without a text the row is left out. */
export function labelled(rows: readonly (readonly [label: string, text: string | null])[]): string {
  return rows
    .flatMap(([label, text]) =>
      text === null
        ? []
        : [label.padEnd(labelColumns) + paragraph(text, labelColumns).slice(labelColumns)],
    )
    .join('\n')
}
