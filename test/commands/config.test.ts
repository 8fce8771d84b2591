/** `weir config`, and what wrong settings do: one line, and nothing is started. */

import { describe, expect, test } from 'bun:test'
import { DataDir, type Environment, parseRecord, serveToEnd, weir } from './process.ts'

/** Every setting with its default, a value of its own, values it refuses, and what it may hold. */
const settings = [
  ['WEIR_HOST', '127.0.0.1', '::1', ['', 'a/b'], 'an IP address or a host name'],
  ['WEIR_PORT', '8080', '0', ['65536', '0x50'], 'from 0 to 65535'],
  [
    'WEIR_PUBLIC_URL',
    '',
    'https://weir.example/x',
    ['weir.example', 'https://:b@c.example'],
    'an http(s) address',
  ],
  [
    'WEIR_TRUSTED_PROXIES',
    '',
    '203.0.113.0/24, ::1',
    ['203.0.113.0/33', '203.0.113.0/24/8'],
    'addresses and networks',
  ],
  ['WEIR_LIMIT_EXEMPT', '', '203.0.113.7', ['me', 'fe80::1%eth0'], 'addresses and networks'],
  ['WEIR_LIMIT_IPV6_PREFIX', '64', '56', ['15', '/64'], 'from 16 to 128'],
  ['WEIR_LIMIT_GENERAL', 'off', '100/1h', ['none'], '"off" or a number of calls'],
  ['WEIR_LIMIT_BLACKLIST', '100/1h', '5/1s', ['100/h'], '"off" or a number of calls'],
  ['WEIR_LIMIT_BLACKLIST_CHANGES', '120/1h', '1/1d', ['120/1H'], '"off" or a number of calls'],
  ['WEIR_LIMIT_CHECK_URL', '30/1m', 'off', ['0/1m', '30/1m/1'], 'such as 30/1m'],
  ['WEIR_LIMIT_BULK', '10/1m', '10/1d', ['10/1w'], '(units s, m, h, d)'],
  ['WEIR_LIMIT_CHECK_EMAIL', '30/1m', '5/1h', ['30/1'], 'such as 30/1m'],
  ['WEIR_LIMIT_CHECK_PHONE', '30/1m', 'off', ['-1/1m'], 'such as 30/1m'],
  ['WEIR_LIMIT_LISTS', '30/1h', '5/1d', ['30 / 1h'], '"off" or a number of calls'],
  ['WEIR_LIMIT_STIX', '60/1h', '5/1d', ['60 / 1h'], '"off" or a number of calls'],
  ['WEIR_LIMIT_TAXII', '120/1m', '5/1d', ['120 / 1m'], '"off" or a number of calls'],
  ['WEIR_LIMIT_SEARCH', '60/1m', '5/1d', ['60 / 1m'], '"off" or a number of calls'],
  ['WEIR_LIMIT_RSS', '60/1h', '5/1d', ['60 / 1h'], '"off" or a number of calls'],
  ['WEIR_LIMIT_REPORT_SCAM', '10/1h', '5/1d', ['10 / 1h'], '"off" or a number of calls'],
  ['WEIR_LIMIT_MANAGE', '60/1m', '5/1d', ['60 / 1m'], '"off" or a number of calls'],
  ['WEIR_STARTER', 'on', 'off', ['', 'ON'], '"on" or "off"'],
  ['WEIR_SUSPICIOUS_AT', '50', '70', ['0', '50.5'], 'from 1 to 100'],
  ['WEIR_FOUND_AT', '50', '90', ['0', '101'], 'from 1 to 100'],
  ['WEIR_FETCH', 'on', 'off', ['yes'], '"on" or "off"'],
  [
    'WEIR_PROXY',
    '',
    'http://10.0.0.1:3128',
    ['10.0.0.1:3128', 'https://10.0.0.1/', 'http://user:secret@10.0.0.1/'],
    'such as http://10.0.0.1:3128',
  ],
  [
    'WEIR_DNS',
    '',
    '9.9.9.9, [2620:fe::fe]:53',
    ['dns.example', '9.9.9.9:0', '2620:fe::fe]:53'],
    'a list of IP addresses',
  ],
  ['WEIR_GRACE', 'off', '6h', ['0s', '6'], '"off" or a duration'],
  ['WEIR_EXPIRE', '90d', '1d', ['off', '0d'], 'such as 90d'],
  ['WEIR_KEEP_DELISTED', '400d', '30d', ['off'], 'such as 90d'],
  ['WEIR_BACKUP_EVERY', '1d', 'off', ['daily'], '"off" or a duration'],
  ['WEIR_LOG', 'info', 'trace', ['', 'INFO', 'verbose'], 'silent, fatal, error, warn, info, debug'],
] as const

/** Returns the settings by name as `weir config --json` prints them. */
async function reported(dataDir: DataDir, env: Environment = {}) {
  const { code, out, err } = await weir(['config', '--json'], { dataDir, env })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const { settings: rows, unknown } = parseRecord(out)
  if (!Array.isArray(rows)) throw new Error('no settings')
  const records = rows.map((row: unknown) => parseRecord(JSON.stringify(row)))
  return { byName: new Map(records.map((row) => [row['name'], row])), unknown }
}

describe('weir config', () => {
  test('lists every setting with its value, where it came from, and what it means', async () => {
    using dataDir = new DataDir()
    const { code, out, err } = await weir(['config'], { dataDir })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [head = '', ...rows] = out.trimEnd().split('\n')
    const column = head.indexOf('meaning')
    expect(head.split(/ +/)).toEqual(['setting', 'value', 'from', 'meaning'])
    expect(rows).toHaveLength(settings.length + 1)
    for (const row of rows) expect(row.slice(column)).toMatch(/^[A-Z].*\.$/)
    const shown = rows.map((row) => row.slice(0, column).trimEnd().split(/ {2,}/))
    const defaults = settings.map(([name, value]) => [
      name,
      ...(value === '' ? [] : [value]),
      'default',
    ])
    expect(shown).toContainEqual(['WEIR_DATA', dataDir.path, 'environment'])
    for (const line of defaults) expect(shown).toContainEqual(line)
  })

  test('says what came from the environment, what from weir.env, and what is the default', async () => {
    using dataDir = new DataDir()
    const inFile = settings.map(([name, , value]) => `${name} = ${value}`)
    await dataDir.file('weir.env', `# settings\r\n\r\n${inFile.join('\r\n')}\r\n`)
    const { byName } = await reported(dataDir)
    for (const [name, , value] of settings) {
      expect(byName.get(name)).toMatchObject({ value, origin: 'weir.env' })
    }
    expect(byName.get('WEIR_DATA')).toMatchObject({ value: dataDir.path, origin: 'environment' })
    using empty = new DataDir()
    const defaults = await reported(empty)
    for (const [name, value] of settings) {
      expect(defaults.byName.get(name)).toMatchObject({ value, origin: 'default' })
    }
  })

  test('says that a key of a feed is set, and never the key', async () => {
    using dataDir = new DataDir()
    const env = { WEIR_KEY_ABUSECH: 's3cret-key' }
    const { code, out } = await weir(['config'], { dataDir, env })
    expect(code).toBe(0)
    expect(out).toMatch(/^WEIR_KEY_ABUSECH +\(set\) +environment/m)
    expect(out).not.toContain('s3cret-key')
    const wrong = await weir(['config'], { dataDir, env: { WEIR_KEY_ABUSECH: 's3cret\tkey' } })
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain('WEIR_KEY_ABUSECH')
    expect(wrong.err).not.toContain('s3cret')
  })

  test('the environment wins over weir.env, and an empty variable is a value', async () => {
    using dataDir = new DataDir()
    await dataDir.file('weir.env', 'WEIR_PORT=7000\nWEIR_FOUND_AT=70\nWEIR_LIMIT_EXEMPT=::1\n')
    const { byName } = await reported(dataDir, { WEIR_PORT: '9000', WEIR_LIMIT_EXEMPT: '' })
    expect(byName.get('WEIR_PORT')).toMatchObject({ value: '9000', origin: 'environment' })
    expect(byName.get('WEIR_FOUND_AT')).toMatchObject({ value: '70', origin: 'weir.env' })
    expect(byName.get('WEIR_LIMIT_EXEMPT')).toMatchObject({ value: '', origin: 'environment' })
  })

  test('points out names it does not know, and leaves what is not for weir alone', async () => {
    using dataDir = new DataDir()
    await dataDir.file('weir.env', 'WEIR_PROT=1\nWIER_PORT=2\nexport WEIR_PORT=3\n')
    const env = { WEIR_LIMIT_BLACKLST: 'off', WIERD: '1', LIMIT: '2' }
    const unknown = ['WEIR_LIMIT_BLACKLST', 'WEIR_PROT', 'WIER_PORT', 'export WEIR_PORT']
    expect((await reported(dataDir, env)).unknown).toEqual(unknown)
    const { out } = await weir(['config'], { dataDir, env })
    expect(
      out,
    ).toContain(`unknown setting WEIR_LIMIT_BLACKLST, ignored; did you mean WEIR_LIMIT_BLACKLIST?
unknown setting WEIR_PROT, ignored; did you mean WEIR_PORT?
unknown setting WIER_PORT, ignored; did you mean WEIR_PORT?
unknown setting export WEIR_PORT, ignored
`)
    expect(out).not.toContain('WIERD')
  })
})

/** The outcome of `weir serve` with a setting it must refuse. */
async function refusal(dataDir: DataDir, env: Environment): Promise<string> {
  const { code, out, err } = await serveToEnd(dataDir, env)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err.trimEnd().split('\n')).toHaveLength(1)
  return err.trimEnd()
}

describe('weir serve with a wrong setting', () => {
  const wrong = settings.map(([name, , , values, expected]) => ({ name, values, expected }))

  test.each(wrong)('$name: one line says what it holds and what it may hold', async (row) => {
    const { name, values, expected } = row
    using dataDir = new DataDir()
    const lines = await Promise.all(values.map((value) => refusal(dataDir, { [name]: value })))
    for (const [index, line] of lines.entries()) {
      expect(line).toStartWith(`weir: ${name} is ${JSON.stringify(values[index])}; it must be `)
      expect(line).toContain(expected)
    }
    expect(await Bun.file(dataDir.at('weir.db')).exists()).toBe(false)
  })

  test('says the same of weir.env', async () => {
    using dataDir = new DataDir()
    await dataDir.file('weir.env', 'WEIR_FOUND_AT="80"\n')
    expect(await refusal(dataDir, {})).toStartWith('weir: WEIR_FOUND_AT is "\\"80\\""; it must be ')
  })

  test('keeps to one line whatever the value holds', async () => {
    using dataDir = new DataDir()
    const line = await refusal(dataDir, { WEIR_HOST: `a\nb${'c'.repeat(1_000)}` })
    expect(line).toStartWith('weir: WEIR_HOST is "a\\nb')
    expect(line.length).toBeLessThan(250)
  })

  test('names the line of weir.env that is no setting', async () => {
    using dataDir = new DataDir()
    await dataDir.file('weir.env', 'WEIR_PORT=0\nWEIR_HOST\n')
    expect(await refusal(dataDir, {})).toEndWith('weir.env line 2 is not NAME=value: WEIR_HOST')
  })

  test('refuses an empty WEIR_DATA, and one that is set in the file it leads to', async () => {
    using dataDir = new DataDir()
    expect(await refusal(dataDir, { WEIR_DATA: '' })).toBe(
      'weir: WEIR_DATA is ""; it must be a path',
    )
    await dataDir.file('weir.env', 'WEIR_DATA=/elsewhere\n')
    expect(await refusal(dataDir, {})).toContain('weir.env sets WEIR_DATA')
  })

  test('stops the other commands as well', async () => {
    using dataDir = new DataDir()
    for (const args of [['check', 'a.example'], ['import', 'README.md'], ['config']]) {
      const { code, err } = await weir(args, { dataDir, env: { WEIR_FOUND_AT: 'no' } })
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining('WEIR_FOUND_AT is "no"'),
      })
    }
  })
})
