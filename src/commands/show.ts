/** `weir show`: all that is known of one value, and why. */

import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { loadStoredGuards } from '../feeds/guards.ts'
import { ownProtection } from '../feeds/protection.ts'
import type { AudienceWords } from '../model/audience.ts'
import { exitCodes } from '../model/operator-error.ts'
import { openLocalChecks } from '../weir.ts'
import type { Command } from './command.ts'
import { openExisting } from './database.ts'
import { oneValue, readValue } from './decide.ts'
import { type Dossier, dossierOf, type SightingRecord } from './dossier.ts'
import { labelled, paragraph } from './layout.ts'
import { formatTime, report, table } from './terminal.ts'
import { describeWord } from './word.ts'

/** How far what a source says stands from the left, below the source. */
const detailIndent = 4

export const showCommand: Command = {
  summary: 'tell all that is known of a value, and why',
  usage: `weir show VALUE [--json]

VALUE is read as "weir block" reads it. Tells what a check answers now, your word, the listing, what
protects the value, what is listed around it, what each source says, and the last changes, oldest
first. Private sources are shown too: keep what this prints to yourself.

Ends with 0 when something is known of the value, with 1 when nothing is, with 2 when it cannot be
read.`,
  async run(args) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' } },
    })
    const query = oneValue(positionals)
    const { config } = await loadConfig(process.env)
    const store = openExisting(config.dataDir)
    try {
      const guards = loadStoredGuards(store)
      const named = readValue(query, guards.platforms)
      const checks = openLocalChecks(config, report)
      try {
        const dossier = dossierOf({ store, checks, guards }, query, named)
        const isJson = values.json === true
        console.log(isJson ? JSON.stringify(dossier, null, 2) : describe(dossier, Date.now()))
        return dossier.isKnown ? exitCodes.ok : exitCodes.failed
      } finally {
        checks.close()
      }
    } finally {
      store.close()
    }
  },
}

/** Formats a time that stands in a dossier. */
const when = (time: string): string => formatTime(Date.parse(time))

function describe(dossier: Dossier, now: number): string {
  const { type, value, isKnown, sightings, events } = dossier
  if (!isKnown) return `Nothing is known of ${value} (${type}): it is on none of the lists.`
  const parts = [
    `${value} (${type}); times are UTC`,
    labelled([...standingRows(dossier, now), ...surroundingRows(dossier)]),
  ]
  if (sightings.length > 0) parts.push(describeSightings(sightings))
  if (events.length > 0) {
    const rows = events.map(({ at, from, to, reason, by }) => [when(at), from, to, reason, by])
    parts.push(table(['when', 'from', 'to', 'why', 'by'], rows))
  }
  return parts.join('\n\n')
}

type Row = readonly [label: string, text: string | null]

/** Tells how the value itself stands. */
function standingRows({ verdict, word, listing, sightings }: Dossier, now: number): Row[] {
  const reasons = verdict?.reasons.map(({ message }): Row => ['', message]) ?? []
  const rows: Row[] = [
    ['verdict', verdict?.status ?? 'of an e-mail address, a check of mails tells'],
    ...reasons,
    ['your word', word === null ? null : describeWord(word, now)],
  ]
  if (listing === null) return [...rows, ['listed', 'no']]
  const { threatType, threatLevel, confidence, targetBrand, malwareFamily } = listing
  const isByRules = listing.targetBrandOrigin === 'rules'
  const wasListed = listing.isActive || sightings.length > 0
  return [
    ...rows,
    ['listed', describeListing(listing, wasListed)],
    ['threat', wasListed ? `${threatType}, ${threatLevel}, confidence ${confidence}` : null],
    ['brand', targetBrand !== null && isByRules ? `${targetBrand}, by its look` : targetBrand],
    ['family', malwareFamily],
    ['concerns', wasListed ? concernsOf(listing.audiences) : null],
    ['first seen', wasListed ? when(listing.firstSeen) : null],
    ['last seen', wasListed ? when(listing.lastSeen) : null],
    ['flag', listing.doNotBlock ? 'do_not_block: never blocked as a whole' : null],
    ['number', `${listing.seq}`],
  ]
}

/** Tells whom it concerns: `professional (high), elder (medicare)`. */
function concernsOf(audiences: AudienceWords): string | null {
  const told = Object.entries(audiences).map(([audience, words]) =>
    words.length === 0 ? audience : `${audience} (${words.join(', ')})`,
  )
  return told.length === 0 ? null : told.join(', ')
}

function describeListing(
  { isActive, isPublished, listedAt }: NonNullable<Dossier['listing']>,
  wasListed: boolean,
): string {
  if (!isActive) return wasListed ? `no; last listed ${when(listedAt)}` : 'no'
  const how = isPublished ? 'passed on' : 'private: it answers checks only'
  return `since ${when(listedAt)}, ${how}`
}

/** Tells what stands around the value. */
function surroundingRows({ platform, protections, related, listedPage }: Dossier): Row[] {
  const guards = protections.map(({ kind, source }) => {
    const by = source === ownProtection ? 'weir itself' : source
    return `${by} (${kind})`
  })
  const neighbours = related.map(({ type, value, isListed, word }) => {
    const standing = [
      ...(isListed ? ['listed'] : []),
      ...(word === null ? [] : [`${word}ed by you`]),
    ]
    return `${value} (${type}): ${standing.join(', ')}`
  })
  return [
    ['platform', platform?.note ?? null],
    ['guarded by', guards.length === 0 ? null : guards.join(', ')],
    ...neighbours.map((text, index): Row => [index === 0 ? 'see also' : '', text]),
    ['listed pages', listedPage === null ? null : `some on this host, such as ${listedPage}`],
  ]
}

function describeSightings(sightings: readonly SightingRecord[]): string {
  const head = ['source', 'state', 'confidence', 'first seen', 'last seen', 'passed on']
  const rows = sightings.map((sighting) => [
    sighting.source,
    sighting.state,
    `${sighting.confidence}`.padStart('confidence'.length),
    when(sighting.firstSeen),
    when(sighting.lastSeen),
    sighting.isPassedOn ? 'yes' : 'no, private',
  ])
  const [titles = '', ...lines] = table(head, rows).split('\n')
  const entries = lines.flatMap((line, index) => {
    const details = detailsOf(sightings[index])
    return details === '' ? [line] : [line, paragraph(details, detailIndent)]
  })
  return [titles, ...entries].join('\n')
}

/** Tells what a source says beside that it lists the value. */
function detailsOf(sighting: SightingRecord | undefined): string {
  if (sighting === undefined) return ''
  const { endsAt, targetBrand, malwareFamily, reference, threatType } = sighting
  const isByRules = sighting.targetBrandOrigin === 'rules'
  const details = [
    ...(endsAt === null ? [] : [`ends ${when(endsAt)}`]),
    ...(threatType === 'phishing' ? [] : [threatType]),
    ...(targetBrand === null ? [] : [`brand ${targetBrand}${isByRules ? ', by its look' : ''}`]),
    ...(malwareFamily === null ? [] : [`family ${malwareFamily}`]),
    ...(reference === null ? [] : [reference]),
  ]
  return details.join(', ')
}
