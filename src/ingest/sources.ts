/**
 * Loads the known sources: those of `data/sources.toml`, those of the operator's `sources.toml`, and the list
 * that is embedded for a first start without a network.
 */

import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import starterPath from 'eth-phishing-detect/src/config.json' with { type: 'file' }
import sourcesToml from '../../data/sources.toml'
import { type Audience, audiences } from '../model/audience.ts'
import { exitCodes, OperatorError } from '../model/operator-error.ts'
import { type PlatformMode, platformModes } from '../model/platform.ts'
import type { SourceDescription } from '../store/batch.ts'
import { operatorSource } from '../store/indicator-state.ts'
import { platformSource } from '../store/platform-rows.ts'
import { reportSource } from '../store/report-desk.ts'
import {
  type FormatName,
  formatNames,
  isFormatName,
  isGuardFormat,
  isNewsFormat,
} from './formats/formats.ts'

/** The operator's own file inside the data directory. */
const ownFileName = 'sources.toml'

/** The confidence of a source that does not state one, and of the operator's own lists. */
const defaultConfidence = 80

/** The minimum time between two fetches of any source. */
const intervalSecMin = 60

/** The valid names of a source: they appear in answers and, separated by spaces, in CSV. */
const sourceName = /^[a-z0-9][a-z0-9._-]{0,62}$/

/** The kinds of archives: addresses that lead to several documents. */
const archives = ['manifest', 'misp', 'daily'] as const

/** The place of the day in the URL of a daily archive. */
export const dayPlace = '{date}'

/** The names of weir's own sources. */
const reservedNames: readonly string[] = [platformSource.name, operatorSource, reportSource.name]

const literals = <const Words extends readonly string[]>(words: Words) =>
  Type.Union(words.map((word) => Type.Literal<Words[number]>(word)))

const sourceRow = Type.Object(
  {
    name: Type.String({ pattern: sourceName.source }),
    title: Type.String({ minLength: 1, maxLength: 200 }),
    home: Type.Optional(Type.String()),
    url: Type.Optional(Type.String({ pattern: '^https?://[^\\s]+$', maxLength: 2048 })),
    format: Type.String(),
    enabled: Type.Optional(Type.Boolean()),
    minIntervalSec: Type.Optional(Type.Integer({ minimum: intervalSecMin, maximum: 31_536_000 })),
    authKeyEnv: Type.Optional(Type.String({ pattern: '^WEIR_KEY_[A-Z0-9_]{1,40}$' })),
    authHeader: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9-]{1,60}$' })),
    licence: Type.Optional(Type.String()),
    terms: Type.Optional(Type.String()),
    redistribute: Type.Boolean(),
    role: Type.Optional(literals(['list', 'guard', 'news'])),
    listing: Type.Optional(literals(['full', 'recent'])),
    expireDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
    confidence: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    threatType: Type.Optional(literals(['phishing', 'malware', 'scam', 'spam'])),
    platformMode: Type.Optional(literals(platformModes)),
    archive: Type.Optional(literals(archives)),
    audiences: Type.Optional(Type.Array(literals(audiences))),
    rowsMax: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
  },
  { additionalProperties: false },
)

const sourceFile = Type.Object(
  { source: Type.Optional(Type.Array(sourceRow)) },
  { additionalProperties: false },
)

/** A source that weir can fetch, or at least knows how to read. */
export interface KnownSource extends SourceDescription {
  readonly role: 'list' | 'guard' | 'news'
  readonly listing: 'full' | 'recent'
  readonly format: FormatName
  /** Where it is fetched, with `{key}` and `{date}` as places; null when it is only imported. */
  readonly url: string | null
  readonly terms: string | null
  /** Whether it is fetched unless the operator decides otherwise. */
  readonly isEnabled: boolean
  readonly minIntervalMs: number
  readonly authKeyEnv: string | null
  readonly authHeader: string | null
  /** How long a listing of a recent list remains active unseen; null: as the setting says. */
  readonly expireMs: number | null
  /** The mode of the platforms that a guard names. */
  readonly platformMode: PlatformMode | null
  /** The kind of archive at the address; null when it is a list. */
  readonly archive: (typeof archives)[number] | null
  readonly rowsMax: number | null
  /** The audiences of all articles of a news source. */
  readonly audiences: readonly Audience[]
}

/** Returns the confidence of a source that does not state one: only lists make claims. */
const findDefaultConfidence = (role: SourceDescription['role'] | undefined): number =>
  role === 'guard' || role === 'news' ? 0 : defaultConfidence

/** A file of sources is invalid; the message names the file, the entry and the field. */
export class SourcesFileError extends OperatorError {
  override readonly name = 'SourcesFileError'
  override readonly exitCode = exitCodes.usage
}

function toKnownSource(row: Static<typeof sourceRow>, path: string): KnownSource {
  const fail = (why: string): never => {
    throw new SourcesFileError(`${path}: source "${row.name}": ${why}`)
  }
  const { format, url = null, authKeyEnv = null, authHeader = null } = row
  if (!isFormatName(format)) return fail(`format must be one of ${formatNames.join(', ')}`)
  if (isGuardFormat(format) && row.role !== 'guard')
    return fail('this format needs the role "guard"')
  if (isNewsFormat(format) !== (row.role === 'news')) {
    return fail('the format "news" and the role "news" go together')
  }
  if (row.role === 'news' && !row.redistribute) return fail('news must be redistributable')
  if (row.role !== 'news' && row.audiences !== undefined) return fail('only news has audiences')
  if (reservedNames.includes(row.name)) return fail('weir itself uses this name')
  const hasPlace = url?.includes('{key}') === true || authHeader !== null
  if (authKeyEnv !== null && !hasPlace) return fail('put {key} in the url, or name an authHeader')
  if (url === null && row.enabled === true) return fail('enabled needs a url')
  if ((row.archive === 'daily') !== (url?.includes(dayPlace) === true)) {
    return fail('put {date} in the url of a daily archive, and of no other')
  }
  return {
    name: row.name,
    title: row.title,
    home: row.home ?? null,
    licence: row.licence ?? null,
    redistribute: row.redistribute,
    role: row.role ?? 'list',
    listing: row.listing ?? (row.role === 'news' ? 'recent' : 'full'),
    confidence: row.confidence ?? findDefaultConfidence(row.role),
    threatType: row.threatType ?? 'phishing',
    format,
    url,
    terms: row.terms ?? null,
    isEnabled: row.enabled ?? url !== null,
    minIntervalMs: (row.minIntervalSec ?? 86_400) * 1000,
    authKeyEnv,
    authHeader,
    expireMs: row.expireDays === undefined ? null : row.expireDays * 86_400_000,
    platformMode: row.platformMode ?? null,
    archive: row.archive ?? null,
    rowsMax: row.rowsMax ?? null,
    audiences: row.audiences ?? [],
  }
}

/** Returns the sources of a file that has been parsed as TOML. */
function parseSources(document: unknown, path: string): readonly KnownSource[] {
  if (!Value.Check(sourceFile, document)) {
    const { path: place = '', message = '' } = Value.Errors(sourceFile, document).First() ?? {}
    throw new SourcesFileError(
      `${path}: ${formatPlace(document, place)}: ${describeProblem(place, message)}`,
    )
  }
  const sources = (document.source ?? []).map((row) => toKnownSource(row, path))
  const names = sources.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new SourcesFileError(`${path}: two sources are named "${twice}"`)
  return sources
}

/** Formats the place of an error as `source "own", url`. */
function formatPlace(document: unknown, place: string): string {
  const [, list, index, field] = place.split('/')
  if (list !== 'source' || index === undefined) return place.slice(1) || 'the file'
  const found = Value.Check(namedRows, document) ? document.source[Number(index)]?.name : undefined
  const source = found === undefined ? `source ${Number(index) + 1}` : `source "${found}"`
  return field === undefined ? source : `${source}, ${field}`
}

const namedRows = Type.Object({ source: Type.Array(Type.Object({ name: Type.String() })) })

/** What to write in fields that have a pattern. */
const patterned: Readonly<Record<string, string>> = {
  name: 'use lower-case letters, digits, ".", "_" and "-"',
  url: 'write an address that begins with https:// or http://',
  authKeyEnv: 'name a variable such as WEIR_KEY_OWN',
  authHeader: 'name a header such as Auth-Key',
}

function describeProblem(place: string, message: string): string {
  if (message === 'Unexpected property') {
    return place.split('/').length > 3
      ? `unknown field; known are ${Object.keys(sourceRow.properties).join(', ')}`
      : 'only [[source]] entries are allowed here'
  }
  const advice = patterned[place.split('/')[3] ?? '']
  if (advice !== undefined && message.includes('match')) return advice
  return message === 'Expected required property' ? 'is missing' : message.toLowerCase()
}

/** The sources that ship with weir. */
export const knownSources: readonly KnownSource[] = parseSources(sourcesToml, 'data/sources.toml')

/**
 * Returns the sources that ship with weir and those of `sources.toml` in the data directory, which replace
 * shipped ones of the same name. Rejects with a `SourcesFileError` when that file is invalid.
 */
export async function loadSources(dataDir: string): Promise<readonly KnownSource[]> {
  const path = join(dataDir, ownFileName)
  const file = Bun.file(path)
  if (!(await file.exists())) return knownSources
  const own = parseSources(parseToml(await file.text(), path), path)
  const names = new Set(own.map(({ name }) => name))
  return [...knownSources.filter(({ name }) => !names.has(name)), ...own]
}

function parseToml(text: string, path: string): unknown {
  try {
    return Bun.TOML.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new SourcesFileError(`${path} is not valid TOML: ${why}`, { cause: error })
  }
}

/** The list that the first start imports: the file of the npm package, embedded in the executable. */
export const starter = { source: 'eth-phishing-detect', path: starterPath } as const

/** Returns the fields of a known source that are stored. */
export function toSourceDescription(source: Required<SourceDescription>): SourceDescription {
  const { name, title, home, licence, redistribute, role, listing, confidence, threatType } = source
  return { name, title, home, licence, redistribute, role, listing, confidence, threatType }
}

/** How long listings remain active after their source has dropped them. */
export interface EndingSettings {
  /** For a full list. */
  readonly graceMs: number
  /** For a recent list, unless the source has its own. */
  readonly expireMs: number
}

/** Returns how long a listing remains active after it is missing from a source's list. */
export function findGraceMs(
  { listing, expireMs }: Pick<KnownSource, 'listing' | 'expireMs'>,
  settings: EndingSettings,
): number {
  return listing === 'recent' ? (expireMs ?? settings.expireMs) : settings.graceMs
}

/** Returns the description of a new list of the operator's own. */
export function ownList(
  name: string,
  redistribute: boolean,
  role: SourceDescription['role'] = 'list',
): SourceDescription {
  return {
    name,
    title: name,
    home: null,
    licence: null,
    redistribute,
    role,
    listing: role === 'news' ? 'recent' : 'full',
    confidence: findDefaultConfidence(role),
    threatType: 'phishing',
  }
}

/** Returns a source name for a file: `bad-sites` for `/x/Bad Sites.txt.gz`. */
export function toSourceName(path: string): string {
  const file = path.split(/[/\\]/).at(-1) ?? ''
  const stem = file.replace(/\.(gz|zip)$/i, '').replace(/\.[a-z0-9]{1,8}$/i, '')
  const name = stem
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63)
  return name === '' ? 'import' : name
}

/** Reports whether `name` can be a source's name. */
export function isSourceName(name: string): boolean {
  return sourceName.test(name)
}

/** Reports whether `name` is one of weir's own sources. */
export function isReservedName(name: string): boolean {
  return reservedNames.includes(name)
}
