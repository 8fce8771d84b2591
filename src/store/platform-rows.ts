/**
 * The rows of shared-infrastructure apexes: listed with a flag for as long as something published is below
 * them, at the end of every batch.
 */

import type { SourceDescription } from './batch.ts'
import type { Merger, Tables } from './merge.ts'
import type { Progress } from './progress.ts'

/** The source that lists shared-infrastructure apexes while something below them is published. */
export const platformSource: SourceDescription = {
  name: 'shared-infrastructure',
  title: 'Shared infrastructure that harbours a listing',
  home: null,
  licence: 'MIT',
  redistribute: true,
  role: 'weir',
  confidence: 0,
  threatType: 'phishing',
}

/** Lists each platform apex while something below it is published, and ends the listing after that. */
export function followPlatforms(merger: Merger, tables: Tables, progress: Progress): void {
  const { counters, indicators, sightings, sources } = tables
  const apexes = counters.touched('platform')
  if (apexes.length === 0) return
  const source = sources.byName(platformSource.name) ?? sources.describe(platformSource)
  // What follows from the entries is not counted as entries.
  const { added, changed, delisted } = progress
  for (const apex of apexes) {
    const isHosting = counters.current('platform', apex) > 0
    const row = indicators.byValue(apex, 'domain')
    const known = row === null ? null : sightings.find(row.id, source.id)
    const isListed = known?.live === 1
    if (isHosting === isListed) continue
    if (isHosting) {
      merger.sight(progress, source, 0, { type: 'domain', value: apex, doNotBlock: true })
      counters.add('source', source.name, 1)
    } else if (row !== null) {
      merger.endSighting(progress, row.id, source)
    }
  }
  Object.assign(progress, { added, changed, delisted })
}
