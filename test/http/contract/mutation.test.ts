/**
 * A definition is the behaviour: each of its facts is changed in turn, and one of the requests that follow from the
 * definition is answered differently. `answers.test.ts` proves the same of what endpoints answer.
 */

import { expect, setDefaultTimeout, test } from 'bun:test'
import { createApp } from '../../../src/http/app.ts'
import { endpoints } from '../../../src/http/endpoints/endpoints.ts'
import { echoServices } from './echo.ts'
import { type ChangedFact, factsOf, headerFactsOf } from './facts.ts'
import { type Defined, type Probe, Prober, probesOf } from './probes.ts'
import { patienceMs } from './world.ts'

setDefaultTimeout(patienceMs)

const all: readonly Defined[] = endpoints

/** Builds the app, and returns what sends it probes. */
function buildProber(): Prober {
  let client = 0
  const app = createApp(echoServices(() => `198.51.${client >> 8}.${client & 255}`))
  return new Prober(app, () => client++)
}

async function seeAll(probes: readonly Probe[]): Promise<string[]> {
  const prober = buildProber()
  const seen: string[] = []
  for (const probe of probes) seen.push(await prober.see(probe))
  return seen
}

/** Reports whether a probe is answered differently from before. */
async function isSeen(probes: readonly Probe[], before: readonly string[]): Promise<boolean> {
  const prober = buildProber()
  for (const [index, probe] of probes.entries()) {
    if ((await prober.see(probe)) !== before[index]) return true
  }
  return false
}

async function unseen(
  facts: Iterable<ChangedFact>,
  probes: () => readonly Probe[],
  before: readonly string[],
): Promise<string[]> {
  const names: string[] = []
  for (const { name, change } of facts) {
    const restore = change()
    try {
      if (!(await isSeen(probes(), before))) names.push(name)
    } finally {
      restore()
    }
  }
  return names
}

test.each(all.map((endpoint) => [endpoint.id, endpoint] as const))(
  'no fact of %s changes unseen',
  async (_, endpoint) => {
    const probes = probesOf(endpoint, all)
    const before = await seeAll(probes)
    expect(await seeAll(probes)).toEqual(before)
    expect(await unseen(factsOf(endpoint, all), () => probes, before)).toEqual([])
    const remade = () => probesOf(endpoint, all)
    expect(await unseen(headerFactsOf(endpoint), remade, before)).toEqual([])
  },
)
