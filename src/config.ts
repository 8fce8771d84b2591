/**
 * Every setting weir knows: its variable, default, meaning and check; read once, from the
 * environment and from `weir.env` in the data directory (the environment wins).
 *
 * A wrong value is a `SettingError` whose message is one line naming the variable, what it holds
 * and what it may hold. Nothing else in weir reads the environment.
 */

import { join, resolve } from 'node:path'
import { exitCodes, OperatorError } from './model/operator-error.ts'
import {
  integerBetween,
  type Limit,
  type Networks,
  parseDuration,
  parseDurationOrOff,
  parseLimit,
  parseNetworks,
  parseProxy,
  parsePublicUrl,
  parseServers,
  parseSwitch,
} from './setting-values.ts'

/** The names of the rate-limit policies; each has a setting `WEIR_LIMIT_<NAME>`. */
export const policyNames = [
  'GENERAL',
  'BLACKLIST',
  'BLACKLIST_CHANGES',
  'CHECK_URL',
  'BULK',
  'CHECK_EMAIL',
  'CHECK_PHONE',
  'LISTS',
  'STIX',
  'TAXII',
  'SEARCH',
  'RSS',
  'REPORT_SCAM',
  'MANAGE',
] as const
export type PolicyName = (typeof policyNames)[number]

/** How much is logged: each level is logged with all that stand before it. */
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
export type LogLevel = (typeof logLevels)[number]

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
  /** A name that looks like an imitation answers `suspicious` at or over this score. */
  readonly suspiciousAt: number
  /** Are feeds fetched by weir itself? */
  readonly fetch: boolean
  /** The one proxy that is used, or null: those of the environment never are. */
  readonly proxy: string | null
  /** DNS servers to ask; empty: the system's. */
  readonly dns: readonly string[]
  /** How long a listing stands after its source has dropped it; null: not at all. */
  readonly graceMs: number | null
  /** How long a listing of a source that tells only what is recent stands unseen. */
  readonly expireMs: number
  /** How long what was delisted is remembered. */
  readonly keepDelistedMs: number
  /** How often the database is copied; null: never. */
  readonly backupEveryMs: number | null
  /** The lowest level that `weir serve` logs. */
  readonly logLevel: LogLevel
  /** Keys of feeds, by the name of their variable. */
  readonly keys: ReadonlyMap<string, string>
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
export class SettingError extends OperatorError {
  override readonly name = 'SettingError'
  override readonly exitCode = exitCodes.usage
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
  limitBlacklistChanges: limitOf('BLACKLIST_CHANGES', '120/1h', 'GET /api/v1/blacklist/changes'),
  limitCheckUrl: limitOf('CHECK_URL', '30/1m', 'GET /api/check-url'),
  limitBulk: limitOf('BULK', '10/1m', 'POST /api/v1/check/bulk'),
  limitCheckEmail: limitOf('CHECK_EMAIL', '30/1m', 'POST /api/check-email'),
  limitCheckPhone: limitOf('CHECK_PHONE', '30/1m', 'GET /api/check-phone'),
  limitLists: limitOf('LISTS', '30/1h', 'GET /lists/…'),
  limitStix: limitOf('STIX', '60/1h', 'GET /api/v1/export/stix'),
  limitTaxii: limitOf('TAXII', '120/1m', 'GET /taxii2/… and /api/taxii/2.1/…'),
  limitSearch: limitOf('SEARCH', '60/1m', 'GET /api/search'),
  limitRss: limitOf('RSS', '60/1h', 'GET /api/rss/…, all feeds together'),
  limitReportScam: limitOf('REPORT_SCAM', '10/1h', 'POST /api/report-scam'),
  limitManage: limitOf('MANAGE', '60/1m', 'GET /api/report-scam/…, what was sent before'),
  starter: {
    name: 'WEIR_STARTER',
    fallback: 'on',
    meaning: 'Whether a start reads the embedded list (eth-phishing-detect).',
    expected: '"on" or "off"',
    parse: parseSwitch,
  },
  fetch: {
    name: 'WEIR_FETCH',
    fallback: 'on',
    meaning: 'Whether weir fetches feeds by itself; "weir sources run" does in any case.',
    expected: '"on" or "off"',
    parse: parseSwitch,
  },
  proxy: {
    name: 'WEIR_PROXY',
    fallback: '',
    meaning: 'The proxy to fetch through, which then resolves names; proxy variables are ignored.',
    expected: 'empty or an address such as http://10.0.0.1:3128',
    parse: parseProxy,
  },
  dns: {
    name: 'WEIR_DNS',
    fallback: '',
    meaning: "DNS servers to ask; empty: the system's.",
    expected: 'a list of IP addresses with or without a port, such as 9.9.9.9, [2620:fe::fe]:53',
    parse: parseServers,
  },
  grace: {
    name: 'WEIR_GRACE',
    fallback: 'off',
    meaning: 'How long a listing stands after its source has dropped it.',
    expected: '"off" or a duration, such as 6h (units s, m, h, d)',
    parse: parseDurationOrOff,
  },
  expire: {
    name: 'WEIR_EXPIRE',
    fallback: '90d',
    meaning: 'How long a listing stands unseen when its source tells only what is recent.',
    expected: 'a duration, such as 90d (units s, m, h, d)',
    parse: parseDuration,
  },
  keepDelisted: {
    name: 'WEIR_KEEP_DELISTED',
    fallback: '400d',
    meaning: 'How long what was delisted is remembered.',
    expected: 'a duration, such as 400d (units s, m, h, d)',
    parse: parseDuration,
  },
  backupEvery: {
    name: 'WEIR_BACKUP_EVERY',
    fallback: '1d',
    meaning: 'How often the database is copied to backups/ in the data directory; seven are kept.',
    expected: '"off" or a duration, such as 1d (units s, m, h, d)',
    parse: parseDurationOrOff,
  },
  foundAt: {
    name: 'WEIR_FOUND_AT',
    fallback: '50',
    meaning: 'Confidence from which a listing answers found; under it, suspicious.',
    expected: 'a whole number from 1 to 100',
    parse: integerBetween(1, 100),
  },
  suspiciousAt: {
    name: 'WEIR_SUSPICIOUS_AT',
    fallback: '50',
    meaning: 'Score from which a name that looks like an imitation answers suspicious.',
    expected: 'a whole number from 1 to 100',
    parse: integerBetween(1, 100),
  },
  logLevel: {
    name: 'WEIR_LOG',
    fallback: 'info',
    meaning: 'How much "weir serve" logs, as lines of JSON on standard output.',
    expected: `one of ${logLevels.join(', ')}`,
    parse: (text: string) => logLevels.find((level) => level === text),
  },
} satisfies Record<string, Setting<unknown>>

/** Variables that hold keys of feeds; which ones there are, the sources say. */
const keyName = /^WEIR_KEY_[A-Z0-9_]{1,40}$/

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
  return [...names].filter((name) => !settingNames.has(name) && !keyName.test(name))
}

/** Returns the keys of feeds that are set, and a line of the report for each, without the key. */
function readKeys(environment: Environment, file: Environment) {
  const keys = new Map<string, string>()
  const report: SettingReport[] = []
  const names = new Set([...Object.keys(environment), ...Object.keys(file)])
  for (const name of [...names].filter((candidate) => keyName.test(candidate)).sort()) {
    const key = environment[name] ?? file[name] ?? ''
    if (key === '') continue
    // It becomes part of a header or an address.
    if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
      throw new SettingError(`${name} is not shown here; it must be a key of visible characters`)
    }
    keys.set(name, key)
    const origin = environment[name] === undefined ? 'weir.env' : 'environment'
    report.push({ name, value: '(set)', origin, meaning: 'The key of a feed.' })
  }
  return { keys, report }
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
  const { keys, report: keyReport } = readKeys(environment, file)
  const config: Config = {
    dataDir,
    keys,
    host: read(settings.host),
    port: read(settings.port),
    publicUrl: read(settings.publicUrl),
    trustedProxies: read(settings.trustedProxies),
    limitExempt: read(settings.limitExempt),
    limitIpv6Prefix: read(settings.limitIpv6Prefix),
    limits: {
      GENERAL: read(settings.limitGeneral),
      BLACKLIST: read(settings.limitBlacklist),
      BLACKLIST_CHANGES: read(settings.limitBlacklistChanges),
      CHECK_URL: read(settings.limitCheckUrl),
      BULK: read(settings.limitBulk),
      CHECK_EMAIL: read(settings.limitCheckEmail),
      CHECK_PHONE: read(settings.limitCheckPhone),
      LISTS: read(settings.limitLists),
      STIX: read(settings.limitStix),
      TAXII: read(settings.limitTaxii),
      SEARCH: read(settings.limitSearch),
      RSS: read(settings.limitRss),
      REPORT_SCAM: read(settings.limitReportScam),
      MANAGE: read(settings.limitManage),
    },
    starter: read(settings.starter),
    foundAt: read(settings.foundAt),
    suspiciousAt: read(settings.suspiciousAt),
    fetch: read(settings.fetch),
    proxy: read(settings.proxy),
    dns: read(settings.dns),
    graceMs: read(settings.grace),
    expireMs: read(settings.expire),
    keepDelistedMs: read(settings.keepDelisted),
    backupEveryMs: read(settings.backupEvery),
    logLevel: read(settings.logLevel),
  }
  report.push(...keyReport)
  return { config, report, unknown: unknownNames(environment, file) }
}
