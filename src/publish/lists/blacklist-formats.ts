/**
 * Turns a page of the blacklist into text: json, csv, txt and hosts (specification §4,
 * GET /api/v1/blacklist).
 *
 * json and csv hold every entry with its flag `do_not_block`. txt and hosts are fed to blockers as
 * they are, so they leave out flagged entries and everything that is not plainly a host name: no
 * value in the store can add a line, a comment or a second name to them.
 */

import { toUnicode } from '../../model/domain.ts'
import type { Indicator } from '../../model/indicator.ts'
import { jsonText, timeText } from '../wire.ts'
import type { BlacklistRows } from './blacklist.ts'
import { isHostName } from './list-formats.ts'

export const blacklistFormats = ['json', 'csv', 'txt', 'hosts'] as const
export type BlacklistFormat = (typeof blacklistFormats)[number]

/** The media type of each format. */
export const blacklistMediaTypes: Readonly<Record<BlacklistFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8; header=present',
  txt: 'text/plain; charset=utf-8',
  hosts: 'text/plain; charset=utf-8',
}

/** What a rendering contains besides the entries. */
export interface BlacklistContext {
  readonly limit: number
  readonly offset: number
  /** The public address of this list. */
  readonly address: string
}

/** One blacklist entry on the wire (specification §2). */
export interface WrittenBlacklistEntry {
  readonly domain: string
  readonly domain_unicode?: string
  readonly do_not_block: 0 | 1
  readonly threat_type: string
  readonly threat_level: string
  readonly target_brand: string | null
  readonly confidence: number
  readonly sources: readonly string[]
  readonly first_seen: string
  readonly last_seen: string
  readonly listed_at: string
}

/** Returns a listed domain as it is written on the wire. */
export function toBlacklistEntry(indicator: Indicator): WrittenBlacklistEntry {
  const unicode = toUnicode(indicator.value)
  return {
    domain: indicator.value,
    ...(unicode === null ? {} : { domain_unicode: unicode }),
    do_not_block: indicator.doNotBlock ? 1 : 0,
    threat_type: indicator.threatType,
    threat_level: indicator.threatLevel,
    target_brand: indicator.targetBrand,
    confidence: indicator.confidence,
    sources: indicator.sources,
    first_seen: timeText(indicator.firstSeen),
    last_seen: timeText(indicator.lastSeen),
    listed_at: timeText(indicator.listedAt),
  }
}

function renderJson(page: BlacklistRows, { limit, offset }: BlacklistContext): string {
  return jsonText({
    total: page.total,
    count: page.entries.length,
    limit,
    offset,
    last_updated: timeText(page.lastUpdated),
    next_cursor: page.nextCursor,
    domains: page.entries.map(toBlacklistEntry),
  })
}

const csvHeader =
  'domain,domain_unicode,do_not_block,threat_type,threat_level,target_brand,confidence,sources,' +
  'first_seen,last_seen,listed_at'

/** Characters at which spreadsheets start a formula (OWASP, "CSV Injection"). */
const formulaStart = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/
const special = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]|[",\r\n]/

/** Returns `text` as an RFC 4180 cell; a formula gets an apostrophe before it and stays text. */
function csvCell(text: string): string {
  if (!special.test(text)) return text
  const apostrophe = formulaStart.test(text) ? "'" : ''
  return `"${apostrophe}${text.replaceAll('"', '""')}"`
}

/** Writes the fields of an entry under the names of `csvHeader`. */
function csvRow(indicator: Indicator): string {
  const { value, doNotBlock, threatType, threatLevel, targetBrand, confidence } = indicator
  const names = `${csvCell(value)},${csvCell(toUnicode(value) ?? '')},${doNotBlock ? 1 : 0}`
  const threat = `${threatType},${threatLevel},${csvCell(targetBrand ?? '')},${confidence}`
  const sources = csvCell(indicator.sources.join(' '))
  const first = timeText(indicator.firstSeen)
  const last = timeText(indicator.lastSeen)
  return `${names},${threat},${sources},${first},${last},${timeText(indicator.listedAt)}`
}

function renderCsv(page: BlacklistRows): string {
  return `${[csvHeader, ...page.entries.map(csvRow)].join('\r\n')}\r\n`
}

function blockableNames(page: BlacklistRows): string[] {
  return page.entries
    .filter(({ doNotBlock, value }) => !doNotBlock && isHostName(value))
    .map(({ value }) => value)
}

function renderTxt(page: BlacklistRows): string {
  return blockableNames(page)
    .map((name) => `${name}\n`)
    .join('')
}

function renderHosts(page: BlacklistRows, { address }: BlacklistContext): string {
  const names = blockableNames(page)
  const header = [
    '# Title: weir phishing domain blacklist',
    `# Version: ${page.seq}`,
    `# Last modified: ${timeText(page.lastUpdated)}`,
    `# Number of entries: ${names.length}`,
    `# Address: ${address}`,
  ]
  return `${[...header, ...names.map((name) => `0.0.0.0 ${name}`)].join('\n')}\n`
}

/** Returns a page of the blacklist in the given format; linear in its entries. */
export function renderBlacklist(
  format: BlacklistFormat,
  page: BlacklistRows,
  context: BlacklistContext,
): string {
  switch (format) {
    case 'json':
      return renderJson(page, context)
    case 'csv':
      return renderCsv(page)
    case 'txt':
      return renderTxt(page)
    case 'hosts':
      return renderHosts(page, context)
  }
}
