/** `weir show`: all that is known of one value, and why. */

import { loadStoredGuards } from '../ingest/guards.ts'
import { ownProtection } from '../ingest/protection.ts'
import type { AudienceWords } from '../model/audience.ts'
import { exitCodes } from '../model/operator-error.ts'
import { argument, command, flag } from './command.ts'
import { readValue } from './decide.ts'
import { describeDecision } from './decisions.ts'
import { createDossier, type Dossier, type SightingRecord } from './dossier.ts'
import { formatTime, labelled, paragraph, table } from './terminal.ts'

/** The indent of a sighting's details below its source. */
const detailIndent = 4

export const showCommand = command({
  summary: 'show all that is known of a value, and why',
  usage: `weir show VALUE [--json]

VALUE is read as "weir block" reads it. Shows the answer of a check, your decision, the listing,
what protects the value, related listings, the sighting of each source, and the last changes, oldest
first. Private sources are shown too: keep the output to yourself.

Ends with 0 when something is known of the value, with 1 when nothing is, with 2 when it cannot be
read.`,
  options: { value: argument('value'), json: flag('print the facts as JSON') },
  async run({ value, json }, session) {
    const config = await session.config()
    const store = await session.openForReading(config.dataDir)
    const guards = loadStoredGuards(store)
    const named = readValue(value, guards.platforms)
    const checks = await session.openChecks(config)
    const dossier = createDossier({ store, checks, guards }, value, named)
    console.log(json ? JSON.stringify(dossier, null, 2) : describe(dossier, Date.now()))
    return dossier.isKnown ? exitCodes.ok : exitCodes.failed
  },
})

/** Formats a time of a dossier. */
const when = (time: string): string => formatTime(Date.parse(time))

function describe(dossier: Dossier, now: number): string {
  const { type, value, isKnown, sightings, events } = dossier
  if (!isKnown) return `Nothing is known of ${value} (${type}): it is on none of the lists.`
  const parts = [
    `${value} (${type}); times are UTC`,
    labelled([...stateRows(dossier, now), ...relatedRows(dossier)]),
  ]
  if (sightings.length > 0) parts.push(describeSightings(sightings))
  if (events.length > 0) {
    const rows = events.map(({ at, from, to, reason, by }) => [when(at), from, to, reason, by])
    parts.push(table(['when', 'from', 'to', 'why', 'by'], rows))
  }
  return parts.join('\n\n')
}

type Row = readonly [label: string, text: string | null]

/** Returns the rows about the value itself. */
function stateRows({ verdict, decision, listing, sightings }: Dossier, now: number): Row[] {
  const reasons = verdict?.reasons.map(({ message }): Row => ['', message]) ?? []
  const rows: Row[] = [
    ['verdict', verdict?.status ?? 'none; e-mail addresses are checked with their mail'],
    ...reasons,
    ['your decision', decision === null ? null : describeDecision(decision, now)],
  ]
  if (listing === null) return [...rows, ['listed', 'no']]
  const { threatType, threatLevel, confidence, targetBrand, malwareFamily } = listing
  const isByRules = listing.targetBrandOrigin === 'rules'
  const wasListed = listing.isActive || sightings.length > 0
  return [
    ...rows,
    ['listed', describeListing(listing, wasListed)],
    ['threat', wasListed ? `${threatType}, ${threatLevel}, confidence ${confidence}` : null],
    ['brand', targetBrand !== null && isByRules ? `${targetBrand}, by its name` : targetBrand],
    ['family', malwareFamily],
    ['concerns', wasListed ? formatAudiences(listing.audiences) : null],
    ['first seen', wasListed ? when(listing.firstSeen) : null],
    ['last seen', wasListed ? when(listing.lastSeen) : null],
    ['flag', listing.doNotBlock ? 'do_not_block: never blocked as a whole' : null],
    ['number', `${listing.seq}`],
  ]
}

/** Formats the audiences with their words: `professional (high), elder (medicare)`. */
function formatAudiences(audiences: AudienceWords): string | null {
  const listed = Object.entries(audiences).map(([audience, words]) =>
    words.length === 0 ? audience : `${audience} (${words.join(', ')})`,
  )
  return listed.length === 0 ? null : listed.join(', ')
}

function describeListing(
  { isActive, isPublished, listedAt }: NonNullable<Dossier['listing']>,
  wasListed: boolean,
): string {
  if (!isActive) return wasListed ? `no; last listed ${when(listedAt)}` : 'no'
  const how = isPublished ? 'published' : 'private: it answers checks only'
  return `since ${when(listedAt)}, ${how}`
}

/** Returns the rows about what is related to the value. */
function relatedRows({ platform, protections, related, listedPage }: Dossier): Row[] {
  const guards = protections.map(({ kind, source }) => {
    const by = source === ownProtection ? 'weir itself' : source
    return `${by} (${kind})`
  })
  const neighbours = related.map(({ type, value, isListed, decision }) => {
    const states = [
      ...(isListed ? ['listed'] : []),
      ...(decision === null ? [] : [`${decision}ed by you`]),
    ]
    return `${value} (${type}): ${states.join(', ')}`
  })
  return [
    ['platform', platform?.note ?? null],
    ['guarded by', guards.length === 0 ? null : guards.join(', ')],
    ...neighbours.map((text, index): Row => [index === 0 ? 'see also' : '', text]),
    ['listed pages', listedPage === null ? null : `some on this host, such as ${listedPage}`],
  ]
}

function describeSightings(sightings: readonly SightingRecord[]): string {
  const head = ['source', 'state', 'confidence', 'first seen', 'last seen', 'published']
  const rows = sightings.map((sighting) => [
    sighting.source,
    sighting.state,
    `${sighting.confidence}`.padStart('confidence'.length),
    when(sighting.firstSeen),
    when(sighting.lastSeen),
    sighting.isRedistributable ? 'yes' : 'no, private',
  ])
  const [titles = '', ...lines] = table(head, rows).split('\n')
  const entries = lines.flatMap((line, index) => {
    const details = formatDetails(sightings[index])
    return details === '' ? [line] : [line, paragraph(details, detailIndent)]
  })
  return [titles, ...entries].join('\n')
}

/** Returns what a source says of the value, apart from listing it. */
function formatDetails(sighting: SightingRecord | undefined): string {
  if (sighting === undefined) return ''
  const { endsAt, targetBrand, malwareFamily, reference, threatType } = sighting
  const isByRules = sighting.targetBrandOrigin === 'rules'
  const details = [
    ...(endsAt === null ? [] : [`ends ${when(endsAt)}`]),
    ...(threatType === 'phishing' ? [] : [threatType]),
    ...(targetBrand === null ? [] : [`brand ${targetBrand}${isByRules ? ', by its name' : ''}`]),
    ...(malwareFamily === null ? [] : [`family ${malwareFamily}`]),
    ...(reference === null ? [] : [reference]),
  ]
  return details.join(', ')
}
