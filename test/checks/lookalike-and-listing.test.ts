/** The weight of a look-alike score next to a listing, an operator's decision, a platform and a setting. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createUrlChecker, type UrlChecker } from '../../src/checks/url.ts'
import type { Verdict } from '../../src/model/verdict.ts'
import { sourceNamed } from '../store/fixture.ts'
import { buildLookalikes, suspiciousAt } from './url-checker.ts'
import { platforms, World } from './world.ts'

describe('a look-alike score next to other facts', () => {
  const imitation = 'paypal-login.com'
  const tenant = 'paypal-login.hosting.example'
  let world: World
  beforeEach(() => {
    world = new World()
  })
  afterEach(() => world.db.remove())

  function check(input: string, checker: UrlChecker = world.checker): Verdict {
    const answer = checker.check(input)
    if (!answer.ok) throw new Error(`${input} was refused: ${answer.reason}`)
    return answer.value.verdict
  }

  /** Makes a checker with thresholds of its own. */
  function checkerAt(foundAt: number, threshold: number): UrlChecker {
    const parts = {
      listings: world.catalog,
      platforms,
      lookalikes: buildLookalikes(world.catalog, platforms),
    }
    return createUrlChecker({ ...parts, foundAt, suspiciousAt: threshold })
  }

  test('makes what is listed nowhere suspicious, and never found', () => {
    const verdict = check(`https://${imitation}/x?y`)
    expect(verdict).toMatchObject({ status: 'suspicious', confidence: 0, match: null, note: null })
    expect(verdict.score).toBeGreaterThanOrEqual(suspiciousAt)
    expect(verdict.reasons.map(({ code }) => code)).toContain('not_listed')
    expect(verdict.reasons[0]?.message).toContain('PayPal')
    expect(check('paypal.com-secure-login-account.top').score).toBe(100)
    expect(check('paypal.com-secure-login-account.top').status).toBe('suspicious')
  })

  test('stands back behind a listing', async () => {
    await world.list([{ type: 'domain', value: imitation }])
    expect(world.ask(imitation)).toEqual(['found', 'listed_host'])
    expect(world.ask(`secure.${imitation}`)).toEqual(['found', 'listed_parent'])
    expect(check(imitation).score).toBe(0)
  })

  test('stands back behind a weak listing, which says why', async () => {
    await world.list([{ type: 'domain', value: imitation, confidence: 30 }])
    expect(world.ask(imitation)).toEqual(['suspicious', 'listed_host'])
    expect(check(imitation).reasons.map(({ code }) => code)).toContain('low_confidence')
  })

  test('stands back behind the operator’s allow, and comes back with its end', async () => {
    await world.say('allow', imitation)
    expect(world.ask(imitation)).toEqual(['not_found', 'operator_allowed'])
    expect(world.ask(`www.${imitation}`)).toEqual(['not_found', 'operator_allowed'])
    expect(check(imitation).score).toBe(0)
    await world.say('clear', imitation)
    expect(world.ask(imitation)[0]).toBe('suspicious')
  })

  test('comes before other pages of the host', async () => {
    await world.list([{ type: 'url', value: `http://${imitation}/kit`, host: imitation }])
    expect(world.ask(`http://${imitation}/kit`)).toEqual(['found', 'listed_page'])
    expect(world.ask(`http://${imitation}/other`)).toEqual(['suspicious', 'brand_with_keyword'])
    expect(world.ask('http://weir-garden.com/other')).toEqual(['not_found', 'not_listed'])
  })

  test('comes before the platform, which is told as well', () => {
    const verdict = check(tenant)
    expect(verdict.status).toBe('suspicious')
    expect(verdict.note).toContain('exact subdomain')
    expect(check('garden.hosting.example')).toMatchObject({ status: 'shared_infrastructure' })
    expect(check('hosting.example')).toMatchObject({
      status: 'shared_infrastructure',
      score: 0,
    })
    expect(check('https://docs.example/paypal-login')).toMatchObject({
      status: 'shared_infrastructure',
    })
  })

  test('counts related names that are listed now', async () => {
    const named = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        type: 'domain' as const,
        value: `n${n}.weir-garden.com`,
      }))
    const siblings = () => check('new.weir-garden.com').score
    expect(siblings()).toBe(0)
    await world.list(named(3))
    expect(siblings()).toBeGreaterThan(0)
    await world.list([{ type: 'domain', value: 'other.example' }])
    expect(siblings()).toBe(0)
  })

  test('reveals nothing of related names that are not published', async () => {
    const hidden = ['a', 'b', 'c', 'd'].map((name) => `${name}.quiet.test`)
    const run = await world.db.startRun(sourceNamed('secret', false))
    const numbers = ['11', '22', '33', '44', '55'].map((digits) => `quiet${digits}.test`)
    const values = [...hidden, ...numbers]
    await world.db.sight(
      'secret',
      run,
      values.map((value) => ({ type: 'domain', value }) as const),
    )
    world.follow()
    expect(world.ask('quiet.test')).toEqual(['not_found', 'not_listed'])
    expect(check('quiet99.test')).toMatchObject({ status: 'not_found', score: 0 })
  })

  test('is weighed as the operator has set it', () => {
    const { score } = check(imitation)
    expect(check(imitation, checkerAt(50, score)).status).toBe('suspicious')
    expect(check(imitation, checkerAt(50, score + 1))).toMatchObject({
      status: 'not_found',
      score,
    })
    expect(check(imitation, checkerAt(1, 1)).status).toBe('suspicious')
  })

  test('does not reach into addresses that are carried inside', () => {
    expect(world.ask(`https://weir-garden.com/?u=https://${imitation}/`)[0]).toBe('not_found')
  })

  test('of long addresses is as good as of short ones', () => {
    const long = (part: string): string => part.repeat(Math.floor(8_000 / part.length))
    for (const url of [
      `http://weir-garden.com/${long('a.')}`,
      `http://weir-garden.com/${long('/wp-content/')}`,
      `http://weir-garden.com/${long('www.paypal.com/')}`,
      `http://${long('a.')}@weir-garden.com/`,
      `http://${long('%2e')}@weir-garden.com/`,
      `http://weir-garden.com/?${long('=javascript')}`,
    ]) {
      expect(check(url).status).not.toBe('found')
    }
    const deep = `${'paypal-login.'.repeat(19)}com`
    expect(deep.length).toBeGreaterThan(240)
    expect(check(deep).status).toBe('suspicious')
  })
})
