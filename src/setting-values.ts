/** The kinds of values that settings hold: what each may be, and how it is parsed. */

import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'

/** A kind of value. */
export interface ValueKind<Value> {
  /** What a variable of this kind may hold, as the end of "… must be". */
  readonly expected: string
  /** Returns the parsed value, or undefined when `text` is not acceptable. */
  readonly parse: (text: string) => Value | undefined
}

/** `quota` calls in any window of `windowMs`. */
export interface Limit {
  readonly quota: number
  readonly windowMs: number
}

/** A set of networks. */
export interface Networks {
  readonly text: string
  /** Reports whether `address` (IPv4 or IPv6 text, no zone) lies in one of the networks. */
  has(address: string): boolean
}

const timeUnits: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Parses `15m`, `400d` and the like into milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const parts = /^(\d{1,6})([smhd])$/.exec(text)
  const unit = timeUnits[parts?.[2] ?? '']
  const milliseconds = Number(parts?.[1]) * (unit ?? Number.NaN)
  return milliseconds > 0 ? milliseconds : undefined
}

const units = '(units s, m, h, d)'

/** `15m`, in milliseconds. */
export const duration: ValueKind<number> = {
  expected: `a duration, such as 90d ${units}`,
  parse: parseDuration,
}

/** `15m`, in milliseconds; `off` is the value given for it. */
export const durationOr = <Off>(off: Off): ValueKind<number | Off> => ({
  expected: `"off" or a duration, such as 6h ${units}`,
  parse: (text) => (text === 'off' ? off : parseDuration(text)),
})

/** `30/1m`; `off` is null. */
export const limitOrOff: ValueKind<Limit | null> = {
  expected: `"off" or a number of calls per time, such as 30/1m ${units}`,
  parse: (text) => {
    if (text === 'off') return null
    const [quotaText = '', windowText = '', ...rest] = text.split('/')
    const quota = /^\d{1,6}$/.test(quotaText) ? Number(quotaText) : 0
    const windowMs = parseDuration(windowText)
    if (quota < 1 || windowMs === undefined || rest.length > 0) return undefined
    return { quota, windowMs }
  },
}

/** Parses a list of addresses and networks (`10.0.0.0/8, ::1`); undefined when an item is invalid. */
export function parseNetworks(text: string): Networks | undefined {
  const list = new BlockList()
  const items = text.split(/[\s,]+/).filter((item) => item !== '')
  for (const item of items) {
    const [address = '', prefixText, ...rest] = item.split('/')
    const family = isIP(address)
    if (family === 0 || address.includes('%') || rest.length > 0) return undefined
    const bits = family === 4 ? 32 : 128
    const prefix = prefixText === undefined ? bits : Number(prefixText)
    if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return undefined
    if (prefix > bits) return undefined
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  const isEmpty = items.length === 0
  const has = (address: string): boolean =>
    !isEmpty && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return { text: items.join(' '), has }
}

/** A list of addresses and networks. */
export const networks: ValueKind<Networks> = {
  expected: 'a list of addresses and networks, such as 10.0.0.0/8, 2001:db8::/32',
  parse: parseNetworks,
}

/** Whole numbers from `low` to `high`. */
export const wholeNumber = (low: number, high: number): ValueKind<number> => ({
  expected: `a whole number from ${low} to ${high}`,
  parse: (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return value >= low && value <= high ? value : undefined
  },
})

/** `on` or `off`. */
export const onOrOff: ValueKind<boolean> = {
  expected: '"on" or "off"',
  parse: (text) => (text === 'on' ? true : text === 'off' ? false : undefined),
}

/** One of a few words. */
export const oneWord = <Word extends string>(words: readonly Word[]): ValueKind<Word> => ({
  expected: `one of ${words.join(', ')}`,
  parse: (text) => words.find((word) => word === text),
})

/** A path, made absolute. */
export const dataPath: ValueKind<string> = {
  expected: 'a path',
  parse: (text) => (text === '' || text.includes('\0') ? undefined : resolve(text)),
}

/** An address to listen on. */
export const listenHost: ValueKind<string> = {
  expected: 'an IP address or a host name of this machine',
  parse: (text) => (/^[A-Za-z0-9.:_-]{1,253}$/.test(text) ? text : undefined),
}

/** An http(s) address without secrets, query, fragment or trailing slash; empty is null. */
export const publicUrl: ValueKind<string | null> = {
  expected: 'empty or an http(s) address such as https://weir.example.org',
  parse: (text) => {
    if (text === '') return null
    const url = URL.parse(text)
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
    const { username, password, search, hash } = url
    return username + password + search + hash === '' ? url.href.replace(/\/+$/, '') : undefined
  },
}

/** The address of an HTTP proxy; empty is null. */
export const proxy: ValueKind<string | null> = {
  expected: 'empty or an address such as http://10.0.0.1:3128',
  parse: (text) => {
    if (text === '') return null
    const url = URL.parse(text)
    if (url?.protocol !== 'http:' || url.pathname !== '/') return undefined
    const { username, password, search, hash } = url
    return username + password + search + hash === '' ? url.href : undefined
  },
}

/** A list of DNS servers. */
export const servers: ValueKind<readonly string[]> = {
  expected: 'a list of IP addresses with or without a port, such as 9.9.9.9, [2620:fe::fe]:53',
  parse: (text) => {
    const items = text.split(/[\s,]+/).filter((server) => server !== '')
    return items.every(isServer) ? items : undefined
  },
}

const port = wholeNumber(1, 65_535)

/** Reports whether `text` is an IP address with or without a port (`[::1]:53`). */
function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true
  const colon = text.lastIndexOf(':')
  const host = text.slice(0, colon)
  const isBracketed = host.startsWith('[') && host.endsWith(']')
  const family = isIP(isBracketed ? host.slice(1, -1) : host)
  const hasPort = port.parse(text.slice(colon + 1)) !== undefined
  return hasPort && (isBracketed ? family === 6 : family === 4)
}
