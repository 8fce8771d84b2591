/** What settings may hold: how each kind of value is written, and read. */

import { BlockList, isIP } from 'node:net'

/** `quota` calls in any window of `windowMs`. */
export interface Limit {
  readonly quota: number
  readonly windowMs: number
}

/** A set of networks that an address is either in or not. */
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

/** Parses `15m`, `400d` and the like into milliseconds; undefined when it is no duration. */
export function parseDuration(text: string): number | undefined {
  const parts = /^(\d{1,6})([smhd])$/.exec(text)
  const unit = timeUnits[parts?.[2] ?? '']
  const milliseconds = Number(parts?.[1]) * (unit ?? Number.NaN)
  return milliseconds > 0 ? milliseconds : undefined
}

/** Parses `30/1m` into a limit, `off` into null; undefined when it is neither. */
export function parseLimit(text: string): Limit | null | undefined {
  if (text === 'off') return null
  const [quotaText = '', windowText = '', ...rest] = text.split('/')
  const quota = /^\d{1,6}$/.test(quotaText) ? Number(quotaText) : 0
  const windowMs = parseDuration(windowText)
  if (quota < 1 || windowMs === undefined || rest.length > 0) return undefined
  return { quota, windowMs }
}

/** Parses a list of addresses and networks (`10.0.0.0/8, ::1`); undefined when one is neither. */
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

/** Returns a parser of whole numbers from `low` to `high`. */
export function integerBetween(low: number, high: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return value >= low && value <= high ? value : undefined
  }
}

/** Parses an http(s) address without secrets, query or fragment; empty is null. */
export function parsePublicUrl(text: string): string | null | undefined {
  if (text === '') return null
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return undefined
  }
  return url.href.replace(/\/+$/, '')
}

/** Parses `on` and `off`. */
export function parseSwitch(text: string): boolean | undefined {
  return text === 'on' ? true : text === 'off' ? false : undefined
}

/** Parses a duration in milliseconds, `off` into null. */
export function parseDurationOrOff(text: string): number | null | undefined {
  return text === 'off' ? null : parseDuration(text)
}

/** Parses a list of DNS servers, each an IP address with or without a port (`[::1]:53`). */
export function parseServers(text: string): readonly string[] | undefined {
  const servers = text.split(/[\s,]+/).filter((server) => server !== '')
  return servers.every(isServer) ? servers : undefined
}

function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true
  const colon = text.lastIndexOf(':')
  const host = text.slice(0, colon)
  const isBracketed = host.startsWith('[') && host.endsWith(']')
  const family = isIP(isBracketed ? host.slice(1, -1) : host)
  const port = integerBetween(1, 65_535)(text.slice(colon + 1))
  return port !== undefined && (isBracketed ? family === 6 : family === 4)
}

/** Parses the address of an HTTP proxy, such as http://10.0.0.1:3128; empty is null. */
export function parseProxy(text: string): string | null | undefined {
  if (text === '') return null
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' || url.username !== '' || url.password !== '') return undefined
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.href : undefined
}
