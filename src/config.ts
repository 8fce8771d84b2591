/**
 * Every setting of weir: its variable, default, meaning and check, in one table. The type of the
 * configuration, the report of `weir config`, the reader of `weir.env` and the table in the
 * documentation follow from it.
 *
 *     environment ──▶ weir.env in the data directory ──▶ default      the first that has a value wins
 *
 * A wrong value is a `SettingError` whose message is one line naming the variable, what it holds
 * and what it may hold. Nothing else in weir reads the environment.
 */

import { join } from 'node:path'
import { editDistance } from './model/edit-distance.ts'
import { exitCodes, OperatorError } from './model/operator-error.ts'
import { buildRecord, listKeys } from './model/record.ts'
import {
  dataPath,
  duration,
  durationOr,
  type Limit,
  limitOrOff,
  listenHost,
  networks,
  oneWord,
  onOrOff,
  proxy,
  publicUrl,
  servers,
  type ValueKind,
  wholeNumber,
} from './setting-values.ts'

/** How much is logged: each level includes those before it. */
const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
export type LogLevel = (typeof logLevels)[number]

/** One row of the table of settings. */
interface Setting<Value> extends ValueKind<Value> {
  /** The variable. */
  readonly name: string
  readonly fallback: string
  readonly meaning: string
}

const setting = <Value>(
  name: string,
  fallback: string,
  kind: ValueKind<Value>,
  meaning: string,
): Setting<Value> => ({ ...kind, name, fallback, meaning })

/** The settings, by their names in `Config`. */
const settings = {
  dataDir: setting(
    'WEIR_DATA',
    './weir-data',
    dataPath,
    'The directory that holds the database and all state; weir.env in it may hold settings.',
  ),
  host: setting('WEIR_HOST', '127.0.0.1', listenHost, 'The address to listen on.'),
  port: setting(
    'WEIR_PORT',
    '8080',
    wholeNumber(0, 65_535),
    'The port to listen on; 0: a free one.',
  ),
  publicUrl: setting(
    'WEIR_PUBLIC_URL',
    '',
    publicUrl,
    "The server's address as its clients see it; empty: made from host and port.",
  ),
  trustedProxies: setting(
    'WEIR_TRUSTED_PROXIES',
    '',
    networks,
    'Reverse proxies whose X-Forwarded-For is trusted.',
  ),
  starter: setting(
    'WEIR_STARTER',
    'on',
    onOrOff,
    'Whether a start reads the embedded list (eth-phishing-detect).',
  ),
  foundAt: setting(
    'WEIR_FOUND_AT',
    '50',
    wholeNumber(1, 100),
    'Confidence from which a listing answers found; below it, suspicious.',
  ),
  suspiciousAt: setting(
    'WEIR_SUSPICIOUS_AT',
    '50',
    wholeNumber(1, 100),
    'Score from which a name that looks like an imitation answers suspicious.',
  ),
  fetch: setting(
    'WEIR_FETCH',
    'on',
    onOrOff,
    'Whether a server fetches sources on their schedule; "weir sources run" always does.',
  ),
  proxy: setting(
    'WEIR_PROXY',
    '',
    proxy,
    'The proxy to fetch through, which then resolves names; HTTPS_PROXY is ignored.',
  ),
  dns: setting('WEIR_DNS', '', servers, "DNS servers to ask; empty: the system's."),
  graceMs: setting(
    'WEIR_GRACE',
    'off',
    durationOr(0),
    'How long a listing remains active after its source has dropped it.',
  ),
  expireMs: setting(
    'WEIR_EXPIRE',
    '90d',
    duration,
    'How long a listing remains active unseen when its source lists only recent entries.',
  ),
  keepDelistedMs: setting(
    'WEIR_KEEP_DELISTED',
    '400d',
    duration,
    'How long delisted entries are kept.',
  ),
  backupEveryMs: setting(
    'WEIR_BACKUP_EVERY',
    '1d',
    durationOr(null),
    'How often a server copies the database to backups/ in the data directory; 7 copies are kept.',
  ),
  logLevel: setting(
    'WEIR_LOG',
    'info',
    oneWord(logLevels),
    'How much "weir serve" logs, as lines of JSON; debug adds a line for each answer.',
  ),
  limitExempt: setting('WEIR_LIMIT_EXEMPT', '', networks, 'Clients without limits.'),
  limitIpv6Prefix: setting(
    'WEIR_LIMIT_IPV6_PREFIX',
    '64',
    wholeNumber(16, 128),
    'Number of leading bits of an IPv6 address that identify one client.',
  ),
}

const limitSetting = (policy: string, fallback: string, what: string): Setting<Limit | null> =>
  setting(`WEIR_LIMIT_${policy}`, fallback, limitOrOff, `Calls per client: ${what}.`)

/** The limits, by the names of the policies. */
const limits = {
  GENERAL: limitSetting('GENERAL', 'off', 'over all limited endpoints together'),
  BLACKLIST: limitSetting('BLACKLIST', '100/1h', 'GET /api/v1/blacklist'),
  BLACKLIST_CHANGES: limitSetting('BLACKLIST_CHANGES', '120/1h', 'GET /api/v1/blacklist/changes'),
  CHECK_URL: limitSetting('CHECK_URL', '30/1m', 'GET /api/check-url'),
  BULK: limitSetting('BULK', '10/1m', 'POST /api/v1/check/bulk'),
  CHECK_EMAIL: limitSetting('CHECK_EMAIL', '30/1m', 'POST /api/check-email'),
  CHECK_PHONE: limitSetting('CHECK_PHONE', '30/1m', 'GET /api/check-phone'),
  LISTS: limitSetting('LISTS', '30/1h', 'GET /lists/…'),
  STIX: limitSetting('STIX', '60/1h', 'GET /api/v1/export/stix'),
  TAXII: limitSetting('TAXII', '120/1m', 'GET /taxii2/… and /api/taxii/2.1/…'),
  SEARCH: limitSetting('SEARCH', '60/1m', 'GET /api/search'),
  RSS: limitSetting('RSS', '60/1h', 'GET /api/rss/…, all feeds together'),
  REPORT_SCAM: limitSetting('REPORT_SCAM', '10/1h', 'POST /api/report-scam'),
  MANAGE: limitSetting('MANAGE', '60/1m', 'GET /api/report-scam/…, the status of a report'),
}

/** The names of the rate-limit policies. */
export type PolicyName = keyof typeof limits
export const policyNames: readonly PolicyName[] = listKeys(limits)

type ValuesOf<Table extends Record<string, Setting<unknown>>> = {
  readonly [Name in keyof Table]: Exclude<ReturnType<Table[Name]['parse']>, undefined>
}

/** What weir is started with. */
export type Config = ValuesOf<typeof settings> & {
  /** The limit of each policy; null: off. */
  readonly limits: ValuesOf<typeof limits>
  /** Keys of sources, by the name of their variable. */
  readonly keys: ReadonlyMap<string, string>
}

/** Variables that hold keys of sources; the sources say which there are. */
const keyName = /^WEIR_KEY_[A-Z0-9_]{1,40}$/
const keyMeaning = 'The key of a source'

/** Where a value came from. */
type SettingOrigin = 'default' | 'environment' | 'weir.env'

/** One line of `weir config`. */
interface SettingReport {
  readonly name: string
  readonly value: string
  readonly origin: SettingOrigin
  readonly meaning: string
}

/** A name that no setting has, and the known name that is most like it. */
interface UnknownSetting {
  readonly name: string
  readonly nearest: string | null
}

/** What `loadConfig` read: the settings, a report line for each, and names it did not know. */
export interface LoadedConfig {
  readonly config: Config
  readonly report: readonly SettingReport[]
  /** `WEIR_` variables and names in weir.env that no setting has. */
  readonly unknown: readonly UnknownSetting[]
}

/** A setting that cannot be used; its message is for the operator's terminal. */
export class SettingError extends OperatorError {
  override readonly name = 'SettingError'
  override readonly exitCode = exitCodes.usage
}

type Environment = Readonly<Record<string, string | undefined>>

/** Every row of the table. */
const rows: readonly Setting<unknown>[] = [...Object.values(settings), ...Object.values(limits)]

/** Returns the settings as a table in Markdown, for the documentation. */
export function formatSettingsTable(): string {
  const lines = rows.map(({ name, fallback, meaning }) => {
    return `| \`${name}\` | ${fallback === '' ? 'empty' : `\`${fallback}\``} | ${meaning} |`
  })
  const keys = `| \`WEIR_KEY_…\` | none | ${keyMeaning}; \`weir sources NAME\` names the variable. |`
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...lines, keys, ''].join('\n')
}

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
  const values = (await file.exists()) ? parseEnvFile(await file.text(), path) : {}
  const { name, parse } = settings.dataDir
  const own = values[name]
  if (own === undefined || parse(own) === dataDir) return values
  throw new SettingError(
    `${path} sets ${name}, which determines where that file is; set it outside`,
  )
}

/** Reads values from the environment, else from `weir.env`, and reports each. */
class SettingReader {
  readonly report: SettingReport[] = []
  readonly #environment: Environment
  readonly #file: Environment

  constructor(environment: Environment, file: Environment) {
    this.#environment = environment
    this.#file = file
  }

  /** Returns the value of a setting; throws a `SettingError` when it cannot be used. */
  read<Value>({ name, meaning, fallback, expected, parse }: Setting<Value>): Value {
    const { text, origin } = this.#find(name) ?? { text: fallback, origin: 'default' }
    const value = parse(text)
    if (value === undefined) {
      const held = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
      throw new SettingError(`${name} is ${held}; it must be ${expected}`)
    }
    this.report.push({ name, value: text, origin, meaning })
    return value
  }

  /** Returns the values of a whole table. */
  readTable<Values extends object>(
    table: {
      readonly [Name in keyof Values]: Setting<Values[Name]>
    },
  ): Values {
    return buildRecord<Values>(listKeys(table), (name) => this.read(table[name]))
  }

  /** Returns the keys of sources that are set; the report says that they are, and not what. */
  readKeys(): ReadonlyMap<string, string> {
    const keys = new Map<string, string>()
    for (const name of this.#names()
      .filter((candidate) => keyName.test(candidate))
      .sort()) {
      const found = this.#find(name)
      if (found === null || found.text === '') continue
      // It becomes part of a header or an address.
      if (!/^[\x21-\x7e]{1,200}$/.test(found.text)) {
        throw new SettingError(`${name} is not shown here; it must be a key of visible characters`)
      }
      keys.set(name, found.text)
      this.report.push({ name, value: '(set)', origin: found.origin, meaning: `${keyMeaning}.` })
    }
    return keys
  }

  /** Returns the names that no setting has; in weir.env every name is meant for weir. */
  findUnknown(): UnknownSetting[] {
    const isKnown = (name: string): boolean => rows.some((row) => row.name === name)
    return this.#names()
      .filter((name) => !isKnown(name) && !keyName.test(name))
      .map((name) => ({ name, nearest: findNearest(name) }))
  }

  #names(): string[] {
    const own = Object.keys(this.#environment).filter((name) => name.startsWith('WEIR_'))
    return [...new Set([...own, ...Object.keys(this.#file)])]
  }

  #find(name: string): { readonly text: string; readonly origin: SettingOrigin } | null {
    const outside = this.#environment[name]
    if (outside !== undefined) return { text: outside, origin: 'environment' }
    const inside = this.#file[name]
    return inside === undefined ? null : { text: inside, origin: 'weir.env' }
  }
}

/** Returns the known name that differs least from `name`: in at most a third of its last part. */
function findNearest(name: string): string | null {
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const editsMax = Math.max(1, Math.floor((row.name.length - 'WEIR_'.length) / 3))
    const edits = editDistance(name.toUpperCase(), row.name, editsMax)
    if (edits > editsMax || edits >= least) continue
    nearest = row.name
    least = edits
  }
  return nearest
}

/** Returns the message about a name that no setting has. */
export function describeUnknown({ name, nearest }: UnknownSetting): string {
  const hint = nearest === null ? '' : `; did you mean ${nearest}?`
  return `unknown setting ${name}, ignored${hint}`
}

/**
 * Reads every setting from `environment` and from `weir.env` in the data directory.
 *
 * Throws a `SettingError` at the first value that cannot be used.
 */
export async function loadConfig(environment: Environment): Promise<LoadedConfig> {
  const dataDir = new SettingReader(environment, {}).read(settings.dataDir)
  const reader = new SettingReader(environment, await readEnvFile(dataDir))
  const config: Config = {
    ...reader.readTable<ValuesOf<typeof settings>>(settings),
    limits: reader.readTable<ValuesOf<typeof limits>>(limits),
    keys: reader.readKeys(),
  }
  return { config, report: reader.report, unknown: reader.findUnknown() }
}
