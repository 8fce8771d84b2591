/**
 * The vocabulary of an index of hosts: the flags of an entry, and the match of one host.
 *
 * Definitions only: the code that fills the index decides which names have which flags, and the checks
 * decide what follows from them.
 */

/** The flags of a name; at most eight, since an entry stores them in one byte. */
export const hostFlag = {
  /** The name and every name below it are listed. */
  listed: 1,
  /** Shared infrastructure that contains a listing and is not listed itself. */
  doNotBlock: 2,
  /** A platform whose tenants are names below it. */
  platformTenant: 4,
  /** A platform whose tenants are paths on it. */
  platformPage: 8,
  /** A platform that redirects elsewhere by design, such as a link shortener. */
  platformRedirect: 16,
  /** Some page of exactly this host is listed, or allowed by an operator. */
  pages: 32,
  /** Listed by a source that is redistributable. */
  published: 64,
  /** An operator allowed the name: it overrides a listing of any name above it. */
  allowed: 128,
} as const

/** Every flag at once. */
export const everyHostFlag = 0xff

const platformFlags = hostFlag.platformTenant | hostFlag.platformPage | hostFlag.platformRedirect

/** The record of an entry that has none. */
export const noRecord = 0
/** The largest record number an entry can hold. */
export const recordMax = 0xffff_fffe

/** The entry of one name. */
export interface HostEntry {
  /** A sum of `hostFlag`s, never 0. */
  readonly flags: number
  /** The number last given with the name; `noRecord` when none was. */
  readonly record: number
}

/**
 * The match of a host and its parents; filled by a look-up and meant to be reused for the next.
 *
 * A start is an offset in the text that was asked about, so the name is `text.slice(start, end)`;
 * -1 says that there is no such entry. Of two entries the one with the smaller start is the nearer
 * to the host: `allowedStart <= listedStart`, neither being -1, means that the listing is
 * overridden.
 */
export interface HostMatch {
  /** The nearest listed name, its record and all its flags. */
  listedStart: number
  listedRecord: number
  listedFlags: number
  /** The nearest name with a platform flag, and all its flags. */
  platformStart: number
  platformFlags: number
  /** The nearest name that an operator allowed, and its record. */
  allowedStart: number
  allowedRecord: number
  /** The entry of exactly the host; flags 0 when there is none. */
  hostFlags: number
  hostRecord: number
}

/** Returns an empty match, to be filled by look-ups. */
export function emptyHostMatch(): HostMatch {
  return {
    listedStart: -1,
    listedRecord: noRecord,
    listedFlags: 0,
    platformStart: -1,
    platformFlags: 0,
    allowedStart: -1,
    allowedRecord: noRecord,
    hostFlags: 0,
    hostRecord: noRecord,
  }
}

/** Empties `match`. */
export function resetHostMatch(match: HostMatch): void {
  match.listedStart = -1
  match.listedRecord = noRecord
  match.listedFlags = 0
  match.platformStart = -1
  match.platformFlags = 0
  match.allowedStart = -1
  match.allowedRecord = noRecord
  match.hostFlags = 0
  match.hostRecord = noRecord
}

/**
 * Adds an entry met on the way from the top to the host; a nearer one takes the farther's place.
 */
export function noteHostEntry(
  match: HostMatch,
  start: number,
  flags: number,
  record: number,
): void {
  if ((flags & hostFlag.listed) !== 0) {
    match.listedStart = start
    match.listedRecord = record
    match.listedFlags = flags
  }
  if ((flags & platformFlags) !== 0) {
    match.platformStart = start
    match.platformFlags = flags
  }
  if ((flags & hostFlag.allowed) !== 0) {
    match.allowedStart = start
    match.allowedRecord = record
  }
}
