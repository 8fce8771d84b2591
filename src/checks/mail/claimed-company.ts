/**
 * Decides whether the sender's domain belongs to the company that a mail claims to be from.
 *
 * The claim is what the caller names, else a brand in the sender's name, else one before the @. A brand's
 * own domains are known (`data/brands.txt`); for another company, its name is compared with the domain's.
 * Pure.
 */

import type { Brand, Sector } from '../../model/brand.ts'
import { withoutSteering } from '../../model/characters.ts'
import {
  isPublicName,
  parseDomainName,
  publicSuffix,
  registrableDomain,
  toUnicode,
} from '../../model/domain.ts'
import type { MailReason } from '../../model/mail-risk.ts'
import type { Mailbox } from '../../model/mailbox.ts'
import type { Brands } from '../looks/brands.ts'
import { toSlug } from '../looks/brands.ts'
import type { CompanyNames } from './company-names.ts'

/** What a mail claims, compared with its sender. */
export interface CompanyAnswer {
  /** The company as the caller gave it, or the brand in the sender's name. */
  readonly claimed: string
  /** Whether the sender's domain is the company's own; null when that is unknown or there is no sender. */
  readonly matches: boolean | null
  /** The domains that are known to be the company's own. */
  readonly officialDomains: readonly string[]
}

/** The result of checking a claim. */
export interface CompanyFinding {
  readonly answer: CompanyAnswer | null
  /** The claimed brand, if the claim names one. */
  readonly brand: Brand | null
  /** That brand when it is plainly claimed and not known to be the sender: then links should lead to it. */
  readonly doubted: Brand | null
  readonly reasons: readonly MailReason[]
}

/** A sender, and what kind of domain the address is on. */
export interface KnownSender {
  readonly mailbox: Mailbox
  readonly isFree: boolean
  /** Addresses of the domain are thrown away after use, or forward mail to others. */
  readonly isDisposable: boolean
  /** The domain is one customer's part of a hosting platform. */
  readonly isTenant: boolean
}

export interface CompanyJudge {
  /**
   * Compares the claim of a mail with its sender; `claimed` is null when the caller names no company, `text`
   * when the text is unknown or has no red flags.
   */
  judge(claimed: string | null, sender: KnownSender | null, text: string | null): CompanyFinding
}

const points = {
  mismatch: 40,
  mismatchFree: 50,
  /** Before the @, a brand may also be what the mail is about. */
  localPart: 25,
  /** A text may mention a brand without claiming to be from it. */
  text: 25,
  unverified: 10,
  unverifiedFree: 35,
  shownAddress: 30,
} as const

/** Shorter parts of a name occur in others by chance. */
const fitLengthMin = 3
/** Shorter names occur inside other words by chance. */
const containedLengthMin = 5

/** Sectors whose customers have mail at the company's own domain, as at `telecom.example`. */
const givesMail: ReadonlySet<Sector> = new Set(['telecom', 'post'])
/** Labels that governments reserve: `gov`, and in each country one of these. */
const governmentLabels: ReadonlySet<string> = new Set(['gov', 'gob', 'gouv', 'govt', 'go'])

const nothing: CompanyFinding = { answer: null, brand: null, doubted: null, reasons: [] }

/** What is claimed, and its points when the claim is wrong. */
interface Claim {
  readonly text: string
  /** More than one when the sender's name holds several. */
  readonly brands: readonly Brand[]
  readonly points: number
}

/** Builds the judge. */
export function createCompanyJudge(brands: Brands, names: CompanyNames): CompanyJudge {
  const findClaim = (
    claimed: string | null,
    sender: KnownSender | null,
    text: string | null,
  ): Claim | null => {
    if (claimed !== null) {
      const brand = names.given(claimed)
      return {
        text: claimed,
        brands: brand === null ? [] : [brand],
        points: points.mismatch,
      }
    }
    if (sender === null) return null
    const { displayName, address } = sender.mailbox
    const shown = displayName === null ? [] : names.displayName(displayName)
    const [first] = shown
    if (first !== undefined) {
      return { text: first.name, brands: shown, points: weighClaim(first, sender) }
    }
    const brand = names.localPart(address.slice(0, address.lastIndexOf('@')))
    if (brand !== null) return { text: brand.name, brands: [brand], points: points.localPart }
    const spoken = text === null ? null : names.text(text)
    return spoken === null ? null : { text: spoken.name, brands: [spoken], points: points.text }
  }
  return {
    judge(given, sender, text) {
      const claimed = given === null ? null : withoutSteering(given)
      const claim = findClaim(claimed, sender, text)
      const found = claim === null ? nothing : judgeClaim(claim, sender, brands, names)
      const shown = sender === null ? null : shownAddressReason(sender)
      return shown === null ? found : { ...found, reasons: [...found.reasons, shown] }
    },
  }
}

/** An ordinary word by itself may be the first name of anyone with free mail. */
function weighClaim(brand: Brand, { mailbox, isFree }: KnownSender): number {
  const isFirstName = brand.isWord && isFree && !/\s/.test(mailbox.displayName ?? '')
  return isFirstName ? points.localPart : points.mismatch
}

function judgeClaim(
  claim: Claim,
  sender: KnownSender | null,
  brands: Brands,
  names: CompanyNames,
): CompanyFinding {
  const [brand] = claim.brands
  if (brand === undefined) return unknownCompany(claim.text, sender, names)
  if (sender === null) return brandFinding(claim, brand, null, null)
  const isOwn = !sender.isFree && !sender.isTenant
  const owner = isOwn ? brands.findOwner(sender.mailbox.domain) : null
  if (owner !== null && claim.brands.includes(owner)) {
    return brandFinding(claim, owner, true, officialReason(owner, sender))
  }
  const likely = likelyReason(claim.brands, sender, brands)
  if (likely !== null) return { ...brandFinding(claim, brand, null, likely), doubted: null }
  if (isOwn && isNamedAs(sender.mailbox.domain, brand)) {
    return brandFinding(claim, brand, null, namesakeReason(brand, sender))
  }
  return brandFinding(claim, brand, false, mismatchReason(brand, sender, claim.points))
}

function brandFinding(
  claim: Claim,
  brand: Brand,
  matches: boolean | null,
  reason: MailReason | null,
): CompanyFinding {
  return {
    answer: { claimed: claim.text, matches, officialDomains: brand.domains },
    brand,
    doubted: matches === true || claim.points < points.mismatch ? null : brand,
    reasons: reason === null ? [] : [reason],
  }
}

function officialReason(brand: Brand, { mailbox }: KnownSender): MailReason {
  return {
    code: 'company_domain',
    points: 0,
    message: `${mailbox.domain} belongs to ${brand.name}; a sender's address can be forged, though.`,
  }
}

function namesakeReason(brand: Brand, { mailbox }: KnownSender): MailReason {
  return {
    code: 'company_unverified',
    points: points.unverified,
    message: `${mailbox.domain} bears the name of ${brand.name}, but is not known to belong to it.`,
  }
}

function mismatchReason(brand: Brand, sender: KnownSender, weight: number): MailReason {
  const { domain } = sender.mailbox
  const own = brand.domains[0] ?? ''
  if (sender.isFree) {
    return {
      code: 'company_on_free_mail',
      points: weight < points.mismatch ? weight : points.mismatchFree,
      message: `It claims to be from ${brand.name}, but anyone can have an address at ${domain}.`,
    }
  }
  return {
    code: 'company_mismatch',
    points: weight,
    message: `It claims to be from ${brand.name}, but ${domain} is not its own; ${own} is.`,
  }
}

/** Returns the reason to believe a claim that cannot be verified; null when there is none. */
function likelyReason(
  claimed: readonly Brand[],
  { mailbox: { domain }, isFree, isTenant }: KnownSender,
  brands: Brands,
): MailReason | null {
  const owner = brands.findOwner(domain)
  if (isFree && owner !== null && claimed.includes(owner) && givesMail.has(owner.sector)) {
    const message = `${domain} belongs to ${owner.name}, but its customers have addresses there too.`
    return { code: 'company_plausible', points: 0, message }
  }
  if (claimed.some(({ sector }) => sector === 'government') && isGovernment(domain)) {
    const message = `${domain} is a government's, though not known to belong to the office it claims to be.`
    return { code: 'company_plausible', points: 0, message }
  }
  const namesake = claimed.find((brand) => brand.isWord && holdsName(domain, brand))
  if (namesake === undefined || isFree || isTenant) return null
  const message = `${domain} bears the name of ${namesake.name}, which others bear as well.`
  return { code: 'company_unverified', points: points.unverified, message }
}

/** Reports whether only governments register names under the suffix of a domain. */
function isGovernment(domain: string): boolean {
  const labels = (publicSuffix(domain) ?? '').split('.')
  const last = labels.at(-1) ?? ''
  return last === 'gov' || (last.length === 2 && governmentLabels.has(labels.at(-2) ?? ''))
}

/** Reports whether the registered label holds a brand's name; a short name only between hyphens. */
function holdsName(domain: string, { name }: Brand): boolean {
  const slug = toSlug(name)
  if (slug.length >= containedLengthMin) return toLabel(domain).includes(slug)
  const registered = registrableDomain(domain) ?? domain
  return (registered.split('.', 1)[0] ?? '').split('-').includes(slug)
}

/** Reports whether the registered label of a domain is one of a brand's names. */
function isNamedAs(domain: string, brand: Brand): boolean {
  const label = toLabel(domain)
  return [brand.name, ...brand.aliases].some((name) => toSlug(name) === label)
}

/** Returns the letters and digits of the registered label. */
function toLabel(domain: string): string {
  const registered = registrableDomain(domain) ?? domain
  return toSlug((toUnicode(registered) ?? registered).split('.', 1)[0] ?? '')
}

function unknownCompany(
  claimed: string,
  sender: KnownSender | null,
  names: CompanyNames,
): CompanyFinding {
  const answer = { claimed, matches: null, officialDomains: [] }
  const core = names.toCore(claimed)
  if (sender === null || core === '') return { ...nothing, answer }
  const { domain } = sender.mailbox
  if (sender.isFree) {
    const message = `It claims to be from a company, but anyone can have an address at ${domain}.`
    const code = 'company_on_free_mail'
    return { ...nothing, answer, reasons: [{ code, points: points.unverifiedFree, message }] }
  }
  const doesFit = fits(core, toLabel(domain))
  const message = doesFit
    ? `${domain} sounds like the company, which proves nothing: anyone may register such a name.`
    : `Nothing in ${domain} points to the company; weir cannot verify that the two belong together.`
  const code = doesFit ? 'company_plausible' : 'company_unverified'
  const weight = doesFit ? 0 : points.unverified
  return { ...nothing, answer, reasons: [{ code, points: weight, message }] }
}

/** Reports whether one of two names holds the other. */
function fits(core: string, label: string): boolean {
  const [short, long] = core.length < label.length ? [core, label] : [label, core]
  return short.length >= fitLengthMin && long.includes(short)
}

/**
 * Returns the reason for a name that shows another address than the sender's: most programs show only the
 * name. Services that forward mail write such names in good faith.
 */
function shownAddressReason({ mailbox, isDisposable }: KnownSender): MailReason | null {
  const { displayName, domain } = mailbox
  if (displayName === null || !displayName.includes('@') || isDisposable) return null
  for (const word of displayName.split(/[\s<>()[\]"',;]/)) {
    const shown = parseDomainName(word.slice(word.lastIndexOf('@') + 1))
    if (!word.includes('@') || !shown.ok || !isPublicName(shown.value)) continue
    if (registrableDomain(shown.value) === registrableDomain(domain)) continue
    return {
      code: 'display_name_address',
      points: points.shownAddress,
      message: `The sender's name shows an address at ${shown.value}, but the mail is from ${domain}.`,
    }
  }
  return null
}
