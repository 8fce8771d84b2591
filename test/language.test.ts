/**
 * Holds the language of the sources and the documentation to plain technical English: the worst words
 * are not used, and sentences that had to be read twice do not come back.
 */

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dir, '..')

const refusedWords = /\b(?:whoever|whomever|anew|nobody|so many|is told|cannot be had)\b/gi

/** Sentences that were reworded, in lower case. */
const refusedSentences = [
  'There is nothing at this path; /docs tells what there is.',
  'The body is no JSON.',
  'Send another value.',
  'There is no such field.',
  'The list cannot be had at the moment.',
  'Nothing can be taken down at the moment.',
  'A field that there is not, and one that is no text',
  'Which door it came in by.',
  'So many words are looked for; whoever pastes a page means its beginning.',
  'Lets whoever waits for a reply down.',
  "Whoever serves it, the statements are weir's.",
  'A list that is behind says so, and blocks nearly all that is to be blocked.',
  'How it fared when that was decided: whoever decides at the same time must not undo it.',
  'Whoever wants this to stop must be heard meanwhile.',
  'a phone number that the numbering plan gives to nobody',
  'looks drawn by lot',
  'look whether anything is wrong',
  "Whoever follows weir's lists is told to begin anew.",
  '`data/audience-words.txt` says whom what concerns',
  "Nobody's directory is everybody's",
  'A listing says more than a look',
  'Kin is counted by hashes',
].map((sentence) => sentence.toLowerCase())

/** Returns the text of a file as its reader sees it: comments without their marks, on one line. */
function readText(path: string): string {
  const text = readFileSync(path, 'utf8')
  const own = path.startsWith(join(root, 'data/')) ? leadingComment(text) : text
  return own
    .replace(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/|#)/gm, ' ')
    .replaceAll('’', "'")
    .replace(/\s+/g, ' ')
}

/** Returns the comment that a data file begins with: what follows is data. */
function leadingComment(text: string): string {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => line !== '' && !line.startsWith('#'))
  return lines.slice(0, end === -1 ? lines.length : end).join('\n')
}

function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Returns the room of a file: a folder of `src` or a file directly in it, `docs`, `data`, the README. */
function findRoom(file: string): string {
  const [top = '', next = ''] = relative(root, file).split('/')
  return top === 'src' ? `src/${next}` : top
}

/** Returns what a file must not say, with some of the text around each. */
function findRefused(file: string): string[] {
  const text = readText(file)
  const small = text.toLowerCase()
  const words = [...text.matchAll(refusedWords)].map(({ index }) => index)
  const sentences = refusedSentences.map((each) => small.indexOf(each)).filter((at) => at >= 0)
  return [...words, ...sentences].map(
    (at) => `${relative(root, file)}: ${text.slice(Math.max(0, at - 30), at + 50)}`,
  )
}

const files = ['src', 'docs', 'data']
  .flatMap((folder) => filesUnder(join(root, folder)))
  .concat(join(root, 'README.md'))
const rooms = Map.groupBy(files, findRoom)

describe('plain English', () => {
  for (const [room, members] of rooms) {
    test(`is what ${room} is written in`, () => {
      expect(members.flatMap(findRefused)).toEqual([])
    })
  }
})
