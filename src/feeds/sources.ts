/**
 * The sources weir knows: those of `data/sources.toml`, those of the operator's own `sources.toml`, and
 * the list that is embedded for a first start without a network.
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

/** What a source is worth, unless it says otherwise; also an imported list of the operator's own. */
const defaultConfidence = 80

/** The least time between two fetches: nobody may be asked more often. */
const intervalSecMin = 60

/** Names a source may have: they appear in answers and, separated by spaces, in CSV. */
const sourceName = /^[a-z0-9][a-z0-9._-]{0,62}$/

/** What may stand behind an address that holds no list of its own. */
const archives = ['manifest', 'misp', 'daily'] as const

/** Where the day stands in the address of a list that comes as a file a day. */
export const dayPlace = '{date}'

/** Names under which weir itself lists. */
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
  /** Where it is fetched; `{key}` stands for the key, `{date}` for the day. Null: it is only imported. */
  readonly url: string | null
  readonly terms: string | null
  /** Is it fetched unless the operator says otherwise? */
  readonly isEnabled: boolean
  readonly minIntervalMs: number
  readonly authKeyEnv: string | null
  readonly authHeader: string | null
  /** How long a listing of a recent list stands unseen; null: as the setting says. */
  readonly expireMs: number | null
  /** What a guard that names platforms has judged on them. */
  readonly platformMode: PlatformMode | null
  /** The address holds no list but the names of its parts, or has a place for the day of each. */
  readonly archive: (typeof archives)[number] | null
  readonly rowsMax: number | null
  /** Of a source of news: whom its articles concern, whatever their words. */
  readonly audiences: readonly Audience[]
}

/** What a source's word is worth when it does not say so: only lists say that something is bad. */
const findDefaultConfidence = (role: SourceDescription['role'] | undefined): number =>
  role === 'guard' || role === 'news' ? 0 : defaultConfidence

/** A file of sources that cannot be used; the message names the file, the entry and the field. */
export class SourcesFileError extends OperatorError {
  override readonly name = 'SourcesFileError'
  override readonly exitCode = exitCodes.usage
}

function knownSource(row: Static<typeof sourceRow>, path: string): KnownSource {
  const fail = (why: string): never => {
    throw new SourcesFileError(`${path}: source "${row.name}": ${why}`)
  }
  const { format, url = null, authKeyEnv = null, authHeader = null } = row
  if (!isFormatName(format)) return fail(`format must be one of ${formatNames.join(', ')}`)
  if (isGuardFormat(format) && row.role !== 'guard') return fail('of this format, role is "guard"')
  if (isNewsFormat(format) !== (row.role === 'news')) {
    return fail('the format "news" and the role "news" go together')
  }
  if (row.role === 'news' && !row.redistribute) return fail('news is there to be passed on')
  if (row.role !== 'news' && row.audiences !== undefined) return fail('only news has audiences')
  if (reservedNames.includes(row.name)) return fail('weir itself lists under this name')
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

/** Reads a file of sources that has been parsed as TOML. */
function parseSources(document: unknown, path: string): readonly KnownSource[] {
  if (!Value.Check(sourceFile, document)) {
    const { path: place = '', message = '' } = Value.Errors(sourceFile, document).First() ?? {}
    throw new SourcesFileError(
      `${path}: ${placeText(document, place)}: ${problemAt(place, message)}`,
    )
  }
  const sources = (document.source ?? []).map((row) => knownSource(row, path))
  const names = sources.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new SourcesFileError(`${path}: "${twice}" is there twice`)
  return sources
}

/** Names the place of a fault as `source "own", url`. */
function placeText(document: unknown, place: string): string {
  const [, list, index, field] = place.split('/')
  if (list !== 'source' || index === undefined) return place.slice(1) || 'the file'
  const found = Value.Check(namedRows, document) ? document.source[Number(index)]?.name : undefined
  const source = found === undefined ? `source ${Number(index) + 1}` : `source "${found}"`
  return field === undefined ? source : `${source}, ${field}`
}

const namedRows = Type.Object({ source: Type.Array(Type.Object({ name: Type.String() })) })

/** What fields may hold that a pattern describes. */
const patterned: Readonly<Record<string, string>> = {
  name: 'use lower-case letters, digits, ".", "_" and "-"',
  url: 'write an address that begins with https:// or http://',
  authKeyEnv: 'name a variable such as WEIR_KEY_OWN',
  authHeader: 'name a header such as Auth-Key',
}

function problemAt(place: string, message: string): string {
  if (message === 'Unexpected property') {
    return place.split('/').length > 3
      ? `there is no such field; there are ${Object.keys(sourceRow.properties).join(', ')}`
      : 'only [[source]] entries stand here'
  }
  const words = patterned[place.split('/')[3] ?? '']
  if (words !== undefined && message.includes('match')) return words
  return message === 'Expected required property' ? 'is missing' : message.toLowerCase()
}

/** Every source that comes with weir. */
export const knownSources: readonly KnownSource[] = parseSources(sourcesToml, 'data/sources.toml')

/**
 * Returns every source: those that come with weir, and those of `sources.toml` in the data directory,
 * which add to them or take the place of one by its name.
 *
 * Rejects with a `SourcesFileError` when that file cannot be used.
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
    throw new SourcesFileError(`${path} is no TOML: ${why}`, { cause: error })
  }
}

/** The list a first start reads: the file of the npm package, embedded in the executable. */
export const starter = { source: 'eth-phishing-detect', path: starterPath } as const

/** Returns the part of a known source that the store keeps. */
export function toSourceDescription(source: KnownSource): SourceDescription {
  const { name, title, home, licence, redistribute, role, listing, confidence, threatType } = source
  return { name, title, home, licence, redistribute, role, listing, confidence, threatType }
}

/** How long listings go on after their source has dropped them. */
export interface EndingSettings {
  /** Of a full list. */
  readonly graceMs: number
  /** Of a list of what is recent, unless the source says otherwise. */
  readonly expireMs: number
}

/** Returns how long what goes missing from a source's list goes on. */
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

/** Makes a source's name of a file's name: `/x/Bad Sites.txt.gz` becomes `bad-sites`. */
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

/** Reports whether weir itself lists under `name`. */
export function isReservedName(name: string): boolean {
  return reservedNames.includes(name)
}
