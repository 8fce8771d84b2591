/**
 * Every setting weir knows: its variable, default, meaning and check; read once, from the
 * environment and from `weir.env` in the data directory (the environment wins).
 *
 * A wrong value is a `SettingError` whose message is one line naming the variable, what it holds
 * and what it may hold. Nothing else in weir reads the environment.
 */

import { BlockList, isIP } from 'node:net'
import { join, resolve } from 'node:path'

/** `quota` calls in any window of `windowMs`. */
export interface Limit {
  readonly quota: number
  readonly windowMs: number
}

/** The names of the rate-limit policies; each has a setting `WEIR_LIMIT_<NAME>`. */
export const policyNames = ['GENERAL', 'BLACKLIST', 'CHECK_URL', 'BULK'] as const
export type PolicyName = (typeof policyNames)[number]

/** A set of networks that an address is either in or not. */
export interface Networks {
  readonly text: string
  /** Reports whether `address` (IPv4 or IPv6 text, no zone) lies in one of the networks. */
  has(address: string): boolean
}

export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** The address weir gives of itself in answers, without a trailing slash; null: from host and port. */
  readonly publicUrl: string | null
  readonly trustedProxies: Networks
  readonly limits: Readonly<Record<PolicyName, Limit | null>>
  readonly limitExempt: Networks
  /** How many leading bits of an IPv6 address make one client. */
  readonly limitIpv6Prefix: number
  /** Does a start read the list that is embedded in weir? */
  readonly starter: boolean
  /** A listing at or over this confidence answers `found`, under it `suspicious`. */
  readonly foundAt: number
}

/** Where a value came from. */
export type SettingOrigin = 'default' | 'environment' | 'weir.env'

/** One line of `weir config`. */
export interface SettingReport {
  readonly name: string
  readonly value: string
  readonly origin: SettingOrigin
  readonly meaning: string
}

/** A setting that cannot be used; its message is for the operator's terminal. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

type Environment = Readonly<Record<string, string | undefined>>

interface Setting<Value> {
  readonly name: string
  readonly fallback: string
  readonly meaning: string
  /** What the variable may hold, as the end of "… must be". */
  readonly expected: string
  /** Returns the parsed value, or undefined when `text` is not acceptable. */
  readonly parse: (text: string) => Value | undefined
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

function integerBetween(low: number, high: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return value >= low && value <= high ? value : undefined
  }
}

function parsePublicUrl(text: string): string | null | undefined {
  if (text === '') return null
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return undefined
  }
  return url.href.replace(/\/+$/, '')
}

const limitOf = (policy: PolicyName, fallback: string, meaning: string): Setting<Limit | null> => ({
  name: `WEIR_LIMIT_${policy}`,
  fallback,
  meaning: `Calls per client: ${meaning}.`,
  expected: '"off" or a number of calls per time, such as 30/1m (units s, m, h, d)',
  parse: parseLimit,
})

const networksOf = (name: string, meaning: string): Setting<Networks> => ({
  name,
  fallback: '',
  meaning,
  expected: 'a list of addresses and networks, such as 10.0.0.0/8, 2001:db8::/32',
  parse: parseNetworks,
})

const settings = {
  host: {
    name: 'WEIR_HOST',
    fallback: '127.0.0.1',
    meaning: 'The address to listen on.',
    expected: 'an IP address or a host name of this machine',
    parse: (text: string) => (/^[A-Za-z0-9.:_-]{1,253}$/.test(text) ? text : undefined),
  },
  port: {
    name: 'WEIR_PORT',
    fallback: '8080',
    meaning: 'The port to listen on; 0 picks a free one.',
    expected: 'a whole number from 0 to 65535',
    parse: integerBetween(0, 65_535),
  },
  dataDir: {
    name: 'WEIR_DATA',
    fallback: './weir-data',
    meaning: 'The directory that holds the database and all state.',
    expected: 'a path',
    parse: (text: string) => (text === '' || text.includes('\0') ? undefined : resolve(text)),
  },
  publicUrl: {
    name: 'WEIR_PUBLIC_URL',
    fallback: '',
    meaning: 'The address weir gives of itself; empty: made from host and port.',
    expected: 'empty or an http(s) address such as https://weir.example.org',
    parse: parsePublicUrl,
  },
  trustedProxies: networksOf('WEIR_TRUSTED_PROXIES', 'Proxies whose X-Forwarded-For is believed.'),
  limitExempt: networksOf('WEIR_LIMIT_EXEMPT', 'Clients without limits.'),
  limitIpv6Prefix: {
    name: 'WEIR_LIMIT_IPV6_PREFIX',
    fallback: '64',
    meaning: 'How many leading bits of an IPv6 address make one client.',
    expected: 'a whole number from 16 to 128',
    parse: integerBetween(16, 128),
  },
  limitGeneral: limitOf('GENERAL', 'off', 'over all limited endpoints together'),
  limitBlacklist: limitOf('BLACKLIST', '100/1h', 'GET /api/v1/blacklist'),
  limitCheckUrl: limitOf('CHECK_URL', '30/1m', 'GET /api/check-url'),
  limitBulk: limitOf('BULK', '10/1m', 'POST /api/v1/check/bulk'),
  starter: {
    name: 'WEIR_STARTER',
    fallback: 'on',
    meaning: 'Whether a start reads the embedded list (eth-phishing-detect).',
    expected: '"on" or "off"',
    parse: (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined),
  },
  foundAt: {
    name: 'WEIR_FOUND_AT',
    fallback: '50',
    meaning: 'Confidence from which a listing answers found; under it, suspicious.',
    expected: 'a whole number from 1 to 100',
    parse: integerBetween(1, 100),
  },
} satisfies Record<string, Setting<unknown>>

const settingNames: ReadonlySet<string> = new Set(
  Object.values(settings).map((setting) => setting.name),
)

/** Reads `NAME=value` lines; blank lines and lines that start with `#` are skipped. */
function parseEnvFile(text: string, path: string): Environment {
  const values: Record<string, string> = Object.create(null)
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const at = trimmed.indexOf('=')
    if (at < 1) {
      throw new SettingError(`${path} line ${index + 1} is not NAME=value: ${trimmed.slice(0, 60)}`)
    }
    values[trimmed.slice(0, at).trim()] = trimmed.slice(at + 1).trim()
  }
  return values
}

async function readEnvFile(dataDir: string): Promise<Environment> {
  const path = join(dataDir, 'weir.env')
  const file = Bun.file(path)
  return (await file.exists()) ? parseEnvFile(await file.text(), path) : {}
}

/** The environment holds much else; in weir.env every name is meant for weir. */
function unknownNames(environment: Environment, file: Environment): string[] {
  const meant = Object.keys(environment).filter((name) => name.startsWith('WEIR_'))
  const names = new Set([...meant, ...Object.keys(file)])
  return [...names].filter((name) => !settingNames.has(name))
}

/** What `loadConfig` read: the settings, a report line for each, and names it did not know. */
export interface LoadedConfig {
  readonly config: Config
  readonly report: readonly SettingReport[]
  /** `WEIR_` variables and names in weir.env that no setting has; most likely misspelt. */
  readonly unknown: readonly string[]
}

/**
 * Reads every setting from `environment` and from `weir.env` in the data directory.
 *
 * Throws a `SettingError` at the first value that cannot be used.
 */
export async function loadConfig(environment: Environment): Promise<LoadedConfig> {
  const report: SettingReport[] = []
  let file: Environment = {}

  const read = <Value>({ name, meaning, fallback, expected, parse }: Setting<Value>): Value => {
    const fromEnvironment = environment[name]
    const fromFile = file[name]
    const text = fromEnvironment ?? fromFile ?? fallback
    const value = parse(text)
    if (value === undefined) {
      const held = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
      throw new SettingError(`${name} is ${held}; it must be ${expected}`)
    }
    const fileOrigin: SettingOrigin = fromFile === undefined ? 'default' : 'weir.env'
    const origin = fromEnvironment === undefined ? fileOrigin : 'environment'
    report.push({ name, value: text, origin, meaning })
    return value
  }

  const dataDir = read(settings.dataDir)
  file = await readEnvFile(dataDir)
  const { name } = settings.dataDir
  if (file[name] !== undefined && settings.dataDir.parse(file[name]) !== dataDir) {
    const path = join(dataDir, 'weir.env')
    throw new SettingError(`${path} sets ${name}, which says where that file is; set it outside`)
  }
  const config: Config = {
    dataDir,
    host: read(settings.host),
    port: read(settings.port),
    publicUrl: read(settings.publicUrl),
    trustedProxies: read(settings.trustedProxies),
    limitExempt: read(settings.limitExempt),
    limitIpv6Prefix: read(settings.limitIpv6Prefix),
    limits: {
      GENERAL: read(settings.limitGeneral),
      BLACKLIST: read(settings.limitBlacklist),
      CHECK_URL: read(settings.limitCheckUrl),
      BULK: read(settings.limitBulk),
    },
    starter: read(settings.starter),
    foundAt: read(settings.foundAt),
  }
  return { config, report, unknown: unknownNames(environment, file) }
}
