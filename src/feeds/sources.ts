/**
 * The sources weir knows by itself, as `data/sources.toml` describes them, and the list that is
 * embedded for a first start without a network.
 */

import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import starterPath from 'eth-phishing-detect/src/config.json' with { type: 'file' }
import sourcesToml from '../../data/sources.toml'
import type { SourceDescription } from '../store/batch.ts'
import { type FormatName, isFormatName } from './formats/formats.ts'

const sourceFile = Type.Object({
  source: Type.Array(
    Type.Object(
      {
        name: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' }),
        title: Type.String(),
        home: Type.String(),
        format: Type.String(),
        licence: Type.String(),
        redistribute: Type.Boolean(),
        role: Type.Union([Type.Literal('list'), Type.Literal('guard')]),
        confidence: Type.Integer({ minimum: 0, maximum: 100 }),
        threatType: Type.Union([
          Type.Literal('phishing'),
          Type.Literal('malware'),
          Type.Literal('scam'),
          Type.Literal('spam'),
        ]),
      },
      { additionalProperties: false },
    ),
  ),
})

/** A source of `data/sources.toml`. */
export interface KnownSource extends SourceDescription {
  readonly format: FormatName
}

function knownSource(row: Static<typeof sourceFile>['source'][number]): KnownSource {
  const { format } = row
  if (!isFormatName(format)) throw new Error(`data/sources.toml: ${row.name} has no known format`)
  return { ...row, format }
}

/** Every source weir knows by itself. */
export const knownSources: readonly KnownSource[] = Value.Parse(sourceFile, sourcesToml).source.map(
  knownSource,
)

/** The list a first start reads: the file of the npm package, embedded in the executable. */
export const starter = { source: 'eth-phishing-detect', path: starterPath } as const

/** What an imported list of the operator's own is worth, unless said otherwise. */
const ownListConfidence = 80

/** Names a source may have: they appear in answers and, separated by spaces, in CSV. */
const sourceName = /^[a-z0-9][a-z0-9._-]{0,62}$/

/** Returns the description of a known source, or of a new list of the operator's own. */
export function describeSource(name: string, redistribute: boolean): SourceDescription {
  const known = knownSources.find((source) => source.name === name)
  if (known !== undefined) {
    const { format: _, ...description } = known
    return description
  }
  return {
    name,
    title: name,
    home: null,
    licence: null,
    redistribute,
    role: 'list',
    confidence: ownListConfidence,
    threatType: 'phishing',
  }
}

/** Makes a source's name of a file's name: `/x/Bad Sites.txt.gz` becomes `bad-sites`. */
export function sourceNameOf(path: string): string {
  const file = path.split(/[/\\]/).at(-1) ?? ''
  const stem = file.replace(/\.gz$/i, '').replace(/\.[a-z0-9]{1,8}$/i, '')
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
