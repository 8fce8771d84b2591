/**
 * Holds the house together: who may import whom, checked over the source text. A room may import
 * only from rooms below it, and no two files import each other.
 */

import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dir, '..')
const src = join(root, 'src')

/** Each room and the rooms it may import from; a file directly in `src` is a room of its own. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  model: [],
  net: ['model'],
  'setting-values.ts': [],
  // The model has the base of its errors and the distance by which misspelt names are recognised.
  'config.ts': ['model', 'setting-values.ts'],
  'version.ts': [],
  threads: [],
  store: ['model'],
  index: ['model', 'store', 'threads'],
  ingest: ['model', 'net', 'store', 'version.ts', 'threads'],
  // A report is judged by the guards of ingestion, and its value is read as an operator's is.
  reports: ['model', 'store', 'ingest'],
  publish: ['model', 'store', 'threads'],
  // Results are written as lists and feeds write times and addresses.
  search: ['model', 'store', 'threads', 'publish'],
  alerts: ['model', 'net', 'store'],
  enrich: ['model', 'net', 'store'],
  checks: ['model', 'net', 'index'],
  'writer-worker.ts': ['ingest', 'checks', 'threads'],
  'checkers.ts': ['config.ts', 'store', 'index', 'ingest', 'checks', 'net', 'model'],
  'weir.ts': [
    'checkers.ts',
    'config.ts',
    'store',
    'index',
    'ingest',
    'reports',
    'publish',
    'search',
    'alerts',
    'enrich',
    'checks',
    'net',
    'threads',
    'model',
  ],
  http: [
    'model',
    'threads',
    'setting-values.ts',
    'config.ts',
    'checks',
    'publish',
    'search',
    'reports',
    'enrich',
  ],
  web: ['http', 'model', 'config.ts', 'setting-values.ts'],
  'client.ts': ['http'],
  commands: [
    'setting-values.ts',
    'config.ts',
    'version.ts',
    'weir.ts',
    'checkers.ts',
    'http',
    'web',
    'ingest',
    'reports',
    'publish',
    'search',
    'checks',
    'store',
    'net',
    'model',
  ],
  'main.ts': ['commands', 'version.ts', 'store', 'model'],
}

/** Packages that belong to one room, so that replacing one touches that room alone. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  elysia: ['http'],
  '@elysiajs/cors': ['http'],
  '@elysiajs/cron': ['http'],
  '@elysiajs/eden': ['client.ts'],
  '@sinclair/typebox': ['ingest', 'http'],
  'bun:sqlite': ['store'],
  'bloom-filters': ['index'],
  mnemonist: ['index', 'http', 'alerts'],
  tldts: ['model'],
  'eth-phishing-detect': ['ingest'],
  'prom-client': ['http'],
  pino: ['commands'],
  'postal-mime': ['checks'],
  feedsmith: ['ingest', 'publish'],
}

const linesMax = 400

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
}

const roomOf = (file: string): string => relative(src, file).split('/')[0] ?? ''

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from\s+|import\s+|import\()'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  )
}

/** Returns the names that a file declares and exports; what it passes on from another is not declared. */
function exportsOf(file: string): string[] {
  if (file.endsWith('.d.ts')) return []
  const text = readFileSync(file, 'utf8')
  const declaration =
    /^export (?:declare |abstract |async )*(?:function\*?|class|const|let|type|interface|enum) (\w+)/gm
  const list = /^export (?:type )?\{([^}]*)\}(?! from)/gm
  const named = [...text.matchAll(list)].flatMap(([, names = '']) => names.split(','))
  return [
    ...[...text.matchAll(declaration)].map(([, name = '']) => name),
    ...named.map((name) => name.trim().split(' as ').at(-1) ?? '').filter((name) => name !== ''),
  ]
}

const packageOf = (specifier: string): string =>
  specifier.startsWith('@')
    ? specifier.split('/').slice(0, 2).join('/')
    : (specifier.split('/')[0] ?? '')

const files = filesUnder(src)
const local = new Map(
  files.map((file) => [
    file,
    importsOf(file)
      .filter((specifier) => specifier.startsWith('.') && specifier.endsWith('.ts'))
      .map((specifier) => resolve(dirname(file), specifier)),
  ]),
)

describe('the house', () => {
  test('every room stands in the table', () => {
    const rooms = new Set(files.map(roomOf))
    expect([...rooms].filter((room) => !(room in mayImport))).toEqual([])
  })

  test('a room imports only from rooms below it', () => {
    const wrong = [...local].flatMap(([file, targets]) =>
      targets
        .filter((target) => roomOf(target) !== roomOf(file))
        .filter((target) => !mayImport[roomOf(file)]?.includes(roomOf(target)))
        .map((target) => `${relative(src, file)} imports ${relative(src, target)}`),
    )
    expect(wrong).toEqual([])
  })

  test('no import goes round in a circle', () => {
    const done = new Set<string>()
    const circles: string[] = []
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        circles.push([...path, file].map((step) => relative(src, step)).join(' -> '))
        return
      }
      if (done.has(file)) return
      for (const target of local.get(file) ?? []) walk(target, [...path, file])
      done.add(file)
    }
    for (const file of files) walk(file, [])
    expect(circles).toEqual([])
  })

  test('a package is used only in its room', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .map(packageOf)
        .filter((name) => name in packageRooms && !packageRooms[name]?.includes(roomOf(file)))
        .map((name) => `${relative(src, file)} imports ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test('SQL is written in the store alone', () => {
    const sql = /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|PRAGMA)\s/
    const wrong = files.filter(
      (file) => roomOf(file) !== 'store' && sql.test(readFileSync(file, 'utf8')),
    )
    expect(wrong.map((file) => relative(src, file))).toEqual([])
  })

  test('the environment is read in config and handed to it by the commands', () => {
    const wrong = files.filter(
      (file) =>
        roomOf(file) !== 'commands' && /process\.env|Bun\.env/.test(readFileSync(file, 'utf8')),
    )
    expect(wrong.map((file) => relative(src, file))).toEqual([])
  })

  test('an exported name is declared in one file', () => {
    const declared = new Map<string, Set<string>>()
    for (const file of files) {
      for (const name of exportsOf(file)) {
        declared.set(name, (declared.get(name) ?? new Set()).add(relative(src, file)))
      }
    }
    const twice = [...declared].filter(([, at]) => at.size > 1)
    expect(twice.map(([name, at]) => `${name}: ${[...at].join(', ')}`)).toEqual([])
  })

  test('files are short enough to know', () => {
    const all = ['src', 'test', 'bench'].flatMap((name) => filesUnder(join(root, name)))
    const long = all.filter((file) => readFileSync(file, 'utf8').split('\n').length > linesMax + 1)
    expect(long.map((file) => relative(root, file))).toEqual([])
  })
})
