/**
 * The texts of feed items: what was found, how we know, what to do. Texts for professionals use the terms of
 * the field; all others use sentences that a worried reader understands, three at most before the advice.
 * Nothing is called safe, and no address in a text is a link.
 */

import type { FeedName } from '../../model/audience.ts'
import { defangText, shownValue } from '../../model/defang.ts'
import type { Indicator, IndicatorType, ThreatType } from '../../model/indicator.ts'
import { parsePhone } from '../../model/phone.ts'
import { operatorSource } from '../../store/indicator-state.ts'
import { reportSource } from '../../store/report-desk.ts'
import type { StoredReport } from '../../store/reports.ts'

/** The plain text of an item. */
export interface ItemText {
  readonly title: string
  readonly paragraphs: readonly string[]
}

const dayForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** Returns a day as people write it: `12 March 2026`. */
const dayText = (time: number): string => dayForm.format(time)

/** Maximum length of an address in a title; the text below has all of it. */
const titleValueMax = 80

const shortened = (text: string): string =>
  text.length <= titleValueMax ? text : `${text.slice(0, titleValueMax - 1).toWellFormed()}…`

/** Names of the types for professionals. */
const exactNames: Readonly<Record<IndicatorType, string>> = {
  domain: 'domain',
  url: 'URL',
  ip: 'IP address',
  sha256: 'file with SHA-256',
  sha1: 'file with SHA-1',
  md5: 'file with MD5',
  email: 'e-mail address',
  phone: 'phone number',
}

/** Names of the types for other readers. */
const plainNames: Readonly<Record<IndicatorType, string>> = {
  domain: 'website',
  url: 'web page',
  ip: 'internet address',
  sha256: 'file',
  sha1: 'file',
  md5: 'file',
  email: 'e-mail address',
  phone: 'phone number',
}

/** Returns a value as people meet it: addresses as browsers show them, numbers as they are written. */
function plainValue(type: IndicatorType, value: string): string {
  const shown = shownValue(type, value)
  if (type === 'url') return shown.replace(/^[a-z]+:\/\//, '')
  const phone = type === 'phone' ? parsePhone(value) : null
  if (phone?.ok !== true) return shown
  const { areaCode, exchange, line } = phone.value
  return `${areaCode}-${exchange}-${line}`
}

/** Returns the sentence that shows the value. */
function plainMention(type: IndicatorType, value: string): string {
  const shown = plainValue(type, value)
  switch (type) {
    case 'phone':
      return `This is the number: ${shown}`
    case 'sha256':
    case 'sha1':
    case 'md5':
      return `Programs know the file by this number: ${shown}`
    case 'domain':
    case 'url':
    case 'ip':
    case 'email':
      return shown.includes('[')
        ? `This is the address, with brackets that we put in so that it is not opened by mistake: ${shown}`
        : `This is the address: ${shown}`
  }
}

const callBank = 'call your bank at the number on your card'

const afterTyping =
  'If you already typed a password there, change it now, from another device. If you gave card or bank ' +
  `details, ${callBank}.`

/** Returns the advice for a listed value. */
function adviceFor(type: IndicatorType, threatType: ThreatType): string {
  switch (type) {
    case 'phone':
      return (
        'Do not call this number back. If somebody calls from it, hang up, and call the company or office ' +
        `yourself, with a number that you know. If you gave card or bank details, ${callBank}. Callers can make any number appear on your telephone.`
      )
    case 'email':
      return (
        'Do not answer messages from this address, and open no link or file in them. If you already gave ' +
        `a password away, change it now. If you gave card or bank details, ${callBank}.`
      )
    case 'sha256':
    case 'sha1':
    case 'md5':
      return 'Do not open this file. If you already did, switch the device off and ask somebody you trust for help.'
    case 'domain':
    case 'url':
    case 'ip':
      return threatType === 'malware'
        ? 'Do not open this address, and download nothing from it. If you already opened something from ' +
            'there, switch the device off and ask somebody you trust for help.'
        : `Do not open this address, and type nothing there. ${afterTyping}`
  }
}

/** What security teams do after they have found a value in their logs. */
const aftermaths: Readonly<Record<ThreatType, string>> = {
  phishing: 'have passwords changed that were typed there',
  malware: 'examine the machines that reached it',
  scam: 'find out who gave money or data there',
  spam: 'filter mail that names it',
}

/** Returns the advice for security teams. */
function responseTo(type: IndicatorType, threatType: ThreatType): string {
  const aftermath = aftermaths[threatType]
  switch (type) {
    case 'domain':
      return `block it with all names below it, search DNS, proxy and mail logs for it, and ${aftermath}.`
    case 'url':
      return `block this page rather than its whole host, search proxy and mail logs for it, and ${aftermath}.`
    case 'ip':
      return `block it, search connection logs for it, and ${aftermath}.`
    case 'sha256':
    case 'sha1':
    case 'md5':
      return 'block it, search machines and mail attachments for it, and isolate the machines that ran it.'
    case 'email':
      return 'block this sender, search mailboxes for its messages, and find out who answered them.'
    case 'phone':
      return 'block the number, search call records for it, and warn those who take calls.'
  }
}

/** What a value is listed for, within a sentence. */
const purposes: Readonly<Record<ThreatType, string>> = {
  phishing: 'phishing',
  malware: 'malware',
  scam: 'scams',
  spam: 'spam',
}

function professionalText(indicator: Indicator): ItemText {
  const { type, value, threatType, threatLevel, targetBrand, malwareFamily } = indicator
  const shown = shownValue(type, value)
  const imitated = targetBrand === null ? '' : ` imitating ${targetBrand}`
  const family = malwareFamily === null ? '' : ` (${malwareFamily})`
  const isRead = targetBrand !== null && indicator.targetBrandOrigin === 'rules'
  const origin = isRead ? ' No source names the brand: it was read out of the name.' : ''
  return {
    title: `${shortened(shown)}: ${threatType}${family}${imitated}`,
    paragraphs: [
      `The ${exactNames[type]} ${shown} is listed for ${purposes[threatType]}${family}${imitated}. Threat level ${threatLevel}, confidence ${indicator.confidence} of 100.${origin}`,
      `First seen ${dayText(indicator.firstSeen)}, listed ${dayText(indicator.listedAt)}. Sources: ${indicator.sources.join(', ')}.`,
      `What to do: ${responseTo(type, threatType)}`,
    ],
  }
}

/** Returns the site of a page: a path means nothing to most people. */
const toSite = (type: IndicatorType, value: string): string =>
  plainValue(type, value).replace(/^([^/]+)\/.*$/s, '$1')

/** Returns what a listing is, for a title; without an article, which would depend on the brand. */
function plainKind({ type, threatType, targetBrand }: Indicator): string {
  const thing = plainNames[type]
  if (targetBrand !== null) return `fake ${targetBrand} ${thing}`
  switch (threatType) {
    case 'phishing':
    case 'scam':
      return `scam ${thing}`
    case 'malware':
      return `harmful ${thing}`
    case 'spam':
      return `${thing} from junk messages`
  }
}

const deeds: Readonly<Record<ThreatType, string>> = {
  phishing: 'is used to steal passwords or money',
  scam: 'is used to cheat people out of money',
  malware: 'spreads programs that do harm',
  spam: 'is known from junk messages',
}

/** Returns what a listed value does, and in whose name. */
function plainDeed({ type, threatType, targetBrand, targetBrandOrigin }: Indicator): string {
  if (targetBrand === null) return deeds[threatType]
  if (targetBrandOrigin === 'rules') {
    return `uses the name of ${targetBrand}, or one that looks like it, and ${deeds[threatType]}`
  }
  switch (type) {
    case 'email':
    case 'phone':
      return `is used by people who pretend to be ${targetBrand}`
    case 'domain':
    case 'url':
    case 'ip':
    case 'sha256':
    case 'sha1':
    case 'md5':
      return `pretends to be from ${targetBrand}, and ${deeds[threatType]}`
  }
}

/** What lists of a threat type contain. */
const listContents: Readonly<Record<ThreatType, string>> = {
  phishing: 'known scams',
  scam: 'known scams',
  malware: 'known dangers',
  spam: 'known junk messages',
}

/** Sources other than lists. */
const ownSources: ReadonlyMap<string, string> = new Map([
  [reportSource.name, 'people told us of it, and we checked'],
  [operatorSource, 'we looked at it ourselves'],
])

/** Returns how a listing is known, and with what certainty. */
function plainOrigin({ threatType, threatLevel, sources }: Indicator): string {
  const lists = sources.filter((name) => !ownSources.has(name)).length
  const onLists = `it is on ${lists === 1 ? 'a list' : `${lists} lists`} of ${listContents[threatType]}`
  const own = sources.flatMap((name) => ownSources.get(name) ?? [])
  const knowledge = threatLevel === 'low' ? 'suspect' : 'know'
  return `We ${knowledge} this because ${[...(lists === 0 ? [] : [onLists]), ...own].join('; ')}.`
}

function plainText(indicator: Indicator): ItemText {
  const { type, value, threatType, firstSeen } = indicator
  return {
    title: `Warning: ${plainKind(indicator)} (${shortened(toSite(type, value))})`,
    paragraphs: [
      `This ${plainNames[type]} ${plainDeed(indicator)}. ${plainOrigin(indicator)} It was first seen on ${dayText(firstSeen)}.`,
      adviceFor(type, threatType),
      plainMention(type, value),
    ],
  }
}

function generalText(indicator: Indicator): ItemText {
  const { type, value, threatType, firstSeen } = indicator
  const kind = plainKind(indicator)
  const shown = plainValue(type, value)
  return {
    title: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${shortened(shown)}`,
    paragraphs: [
      `The ${plainNames[type]} ${shown} ${plainDeed(indicator)}. ${plainOrigin(indicator)} It was first seen on ${dayText(firstSeen)}.`,
      adviceFor(type, threatType),
    ],
  }
}

function listText(indicator: Indicator): ItemText {
  const { type, value, threatType, targetBrand, listedAt, sources } = indicator
  const shown = shownValue(type, value)
  const imitated = targetBrand === null ? '' : ` imitating ${targetBrand}`
  return {
    title: shown,
    paragraphs: [
      `${shown} has been on the block list since ${dayText(listedAt)} for ${purposes[threatType]}${imitated}. Sources: ${sources.join(', ')}.`,
      'What to do: block it with all names below it.',
    ],
  }
}

/** Returns the text of a listing in a feed. */
export function indicatorText(feed: FeedName, indicator: Indicator): ItemText {
  switch (feed) {
    case 'professional':
      return professionalText(indicator)
    case 'elder':
      return plainText(indicator)
    case 'general':
      return generalText(indicator)
    case 'blacklist':
      return listText(indicator)
  }
}

/** Returns the text of a campaign: a brand that is imitated. */
export function campaignText(brand: string, since: number): ItemText {
  return {
    title: `Campaign: ${brand} is imitated`,
    paragraphs: [
      `The first listing that imitates ${brand} is of ${dayText(since)}; at least one is active now.`,
      'What to do: take the indicators of this campaign from the STIX export (parameter "campaign") or from the TAXII collection "campaigns", block them and search logs for them.',
    ],
  }
}

/** Names of the types of reports, without and with a brand. */
const reportedThings: Readonly<
  Record<StoredReport['type'], { readonly thing: string; readonly inTheName: string }>
> = {
  url: { thing: 'a website', inTheName: 'a website that pretends to be from' },
  email: { thing: 'e-mails', inTheName: 'e-mails that pretend to be from' },
  phone: { thing: 'calls', inTheName: 'calls that pretend to be from' },
  message: { thing: 'a message', inTheName: 'a message that pretends to be from' },
  other: { thing: 'a scam', inTheName: 'a scam that uses the name of' },
  // An appeal is never shown.
  false_positive: { thing: 'a listing', inTheName: 'a listing for imitating' },
}

/** Returns the advice for a report. */
function reportAdvice({ type, valueType }: StoredReport): string {
  if (valueType !== null) return adviceFor(valueType, reportSource.threatType)
  switch (type) {
    case 'email':
    case 'message':
      return (
        'If you get such a message, do not answer it, and open no link or file in it. To ask whether it is ' +
        `true, call the company or office yourself, with a number that you know. If you gave card or bank details, ${callBank}.`
      )
    case 'phone':
      return (
        'If you get such a call, hang up, and call the company or office yourself, with a number that you ' +
        `know. If you gave card or bank details, ${callBank}.`
      )
    case 'url':
      return `If you come to such a website, type nothing there. ${afterTyping}`
    case 'other':
    case 'false_positive':
      return (
        'If this happens to you, stop: pay nothing, give nothing away, and talk to somebody you trust ' +
        `first. If you already paid, or gave card or bank details, ${callBank}.`
      )
  }
}

/** Masks and their wording for readers. */
const markWords: Readonly<Record<string, string>> = {
  '[e-mail]': '(an e-mail address)',
  '[phone]': '(a phone number)',
  '[card]': '(a card number)',
  '[ssn]': '(a social security number)',
  '[hidden]': '(left out)',
}

/** Returns a submitted text for readers: addresses defanged, masks in words. */
const toldText = (text: string): string =>
  defangText(text).replace(
    /\[(?:e-mail|phone|card|ssn|hidden)\]/g,
    (mark) => markWords[mark] ?? mark,
  )

/** Returns the text of an accepted report; it contains words of an unknown person. */
export function reportText(report: StoredReport): ItemText {
  const { type, value, valueType, description, targetBrand: brand } = report
  const { thing, inTheName } = reportedThings[type]
  const what = brand === null ? thing : `${inTheName} ${defangText(brand)}`
  const isNamed = value !== null && valueType !== null
  const named = isNamed ? ` (${shortened(plainValue(valueType, value))})` : ''
  return {
    title: `Reported: ${what}${named}`,
    paragraphs: [
      `This was reported to us on ${dayText(report.createdAt)}, and one of us has looked into it.`,
      ...(description === null ? [] : [`What was reported: ${toldText(description)}`]),
      ...(value !== null && valueType === null ? [`It reads: ${toldText(value)}`] : []),
      reportAdvice(report),
      ...(isNamed ? [plainMention(valueType, value)] : []),
    ],
  }
}
