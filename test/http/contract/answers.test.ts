/**
 * The check of answers fails where it must: a real answer of each endpoint is compared with the definition, then with
 * the definition after one of its statuses, and after one member of its body, has another name.
 */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { endpoints } from '../../../src/http/endpoints/endpoints.ts'
import { Declarations } from './declared.ts'
import type { ReadAnswer } from './documented.ts'
import { type ChangedFact, renaming, renamingProperty } from './facts.ts'
import { type Defined, goodProbe, type Probe } from './probes.ts'
import { ExampleWorld, patienceMs } from './world.ts'

setDefaultTimeout(patienceMs)

const all: readonly Defined[] = endpoints

let world: ExampleWorld
beforeAll(async () => {
  world = await ExampleWorld.open()
})
afterAll(() => world.close())

async function ask({ method, target, headers = {}, body }: Probe): Promise<ReadAnswer> {
  world.nextClient()
  const response = await fetch(world.base() + target, { method, headers, body: body ?? null })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Returns the change of the first member that a body of the answer must have; null for a text. */
function renamedMember({ answers }: Defined, { status, headers }: ReadAnswer): ChangedFact | null {
  const schema = answers[status]?.content[headers.get('content-type') ?? '']
  const [member]: readonly string[] = schema?.['required'] ?? []
  return schema === undefined || member === undefined
    ? null
    : renamingProperty('body', schema, member)
}

const complaintsAbout = (endpoint: Defined, { method, target }: Probe, answer: ReadAnswer) =>
  new Declarations([endpoint]).complaints(method, target.replace(/\?.*/, ''), answer)

function complaintsAfter(
  { change }: ChangedFact,
  endpoint: Defined,
  probe: Probe,
  answer: ReadAnswer,
): string[] {
  const restore = change()
  try {
    return complaintsAbout(endpoint, probe, answer)
  } finally {
    restore()
  }
}

test.each(all.map((endpoint) => [endpoint.id, endpoint] as const))(
  'an answer of %s with another status or member is found',
  async (_, endpoint) => {
    const probe = goodProbe(endpoint)
    const other = { method: 'PUT', target: probe.target }
    const members: string[] = []
    for (const asked of [probe, other]) {
      const answer = await ask(asked)
      expect(complaintsAbout(endpoint, asked, answer)).toEqual([])
      const status = renaming('answers', endpoint.answers, String(answer.status))
      expect(complaintsAfter(status, endpoint, asked, answer)).not.toEqual([])
      const member = renamedMember(endpoint, answer)
      if (member === null) continue
      expect(complaintsAfter(member, endpoint, asked, answer)).not.toEqual([])
      members.push(member.name)
    }
    expect(members).not.toEqual([])
  },
)
