/**
 * The laws of canonical form over real lists; skipped when they are absent. Nothing is contacted.
 */

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  parseDomainName,
  registrableDomain,
  toUnicode,
  whyNotPublic,
} from '../../src/model/domain.ts'
import { canonicalizeUrl, parsePublicUrl, pathExpressions } from '../../src/model/url.ts'
import { dataFolder, describeWith, realData } from '../needs.ts'

async function lines(path: string): Promise<string[]> {
  const packed = await Bun.file(join(dataFolder, path)).bytes()
  return new TextDecoder().decode(Bun.gunzipSync(packed)).split('\n').filter(Boolean)
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

describeWith(realData())('the URLs of real lists', () => {
  test('all but fourteen of 158,025 URLs parse, alike on both paths, and canonical ones do not change', async () => {
    const files = [...new Bun.Glob('urls/*.gz').scanSync(dataFolder)].sort()
    const urls = new Set((await Promise.all(files.map(lines))).flat())
    const counts = new Map<string, number>()
    for (const text of urls) {
      const url = parsePublicUrl(text)
      count(counts, url.ok ? (url.value.isAddress ? 'address' : 'name') : url.reason)
      if (!url.ok) continue
      const { value, host } = url.value
      const again = canonicalizeUrl(value)
      const longWay = canonicalizeUrl(` ${text}`)
      const isStable = again.ok && again.value.value === value && again.value.host === host
      const isSame = longWay.ok && Bun.deepEquals(longWay.value, url.value)
      if (!isStable || !isSame) throw new Error(`${text} became ${value}`)
      if (pathExpressions(url.value).length > 6) throw new Error(`${text} has too many pages`)
    }
    expect(Object.fromEntries(counts)).toEqual({
      address: 11_558,
      name: 146_453,
      // Masked addresses in `redacted.invalid`.
      not_public_host: 14,
    })
  }, 30_000)

  test('all of 234,552 domains parse but addresses and five invalid ones', async () => {
    const counts = new Map<string, number>()
    for (const text of await lines('domains/phishing_domains_union.txt.gz')) {
      const name = parseDomainName(text)
      count(counts, name.ok ? (whyNotPublic(name.value) ?? 'name') : name.reason)
      if (!name.ok) continue
      const shown = toUnicode(name.value)
      const again = parseDomainName(shown ?? name.value)
      if (!again.ok || again.value !== name.value) throw new Error(`${text} is shown as ${shown}`)
      const registered = registrableDomain(name.value)
      if (registered !== null && !`.${name.value}`.endsWith(`.${registered}`)) {
        throw new Error(`${registered} is not above ${name.value}`)
      }
    }
    expect(Object.fromEntries(counts)).toEqual({
      name: 229_049,
      address: 5_498,
      invalid_character: 5,
    })
  }, 30_000)
})
