/** The table of settings: the documentation shows it, and misspelt names are found in it. */

import { describe, expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import { describeUnknown, formatSettingsTable, loadConfig } from '../src/config.ts'

const repository = resolve(import.meta.dir, '..')

describe('formatSettingsTable', () => {
  test('is the table in the documentation', async () => {
    const page = await Bun.file(join(repository, 'docs/operating.md')).text()
    expect(page).toContain(`\n${formatSettingsTable()}`)
  })
})

describe('loadConfig', () => {
  const misspelt: readonly (readonly [string, string | null])[] = [
    ['WEIR_PROT', 'WEIR_PORT'],
    ['WEIR_HOSTNAME', null],
    ['WEIR_LIMIT_CHEK_URL', 'WEIR_LIMIT_CHECK_URL'],
    ['WEIR_LIMIT_CHECK_MAIL', 'WEIR_LIMIT_CHECK_EMAIL'],
    ['WEIR_EXPIRES', 'WEIR_EXPIRE'],
    ['WEIR_GRASE', 'WEIR_GRACE'],
    ['WEIR_FOO', null],
    ['WEIR_', null],
    [`WEIR_${'A'.repeat(1_000)}`, null],
  ]

  test.each(misspelt)('for %s, suggests %s', async (name, nearest) => {
    const environment = { WEIR_DATA: '/nonexistent', [name]: '' }
    expect((await loadConfig(environment)).unknown).toEqual([{ name, nearest }])
  })

  test('says which name is unknown, and what may be meant', () => {
    expect(describeUnknown({ name: 'WEIR_PROT', nearest: 'WEIR_PORT' })).toBe(
      'unknown setting WEIR_PROT, ignored; did you mean WEIR_PORT?',
    )
    expect(describeUnknown({ name: 'X', nearest: null })).toBe('unknown setting X, ignored')
  })
})
