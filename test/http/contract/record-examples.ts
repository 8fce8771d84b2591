/** Records the bodies of all examples into `data/examples.json`: `bun test/http/contract/record-examples.ts`. */

import { join } from 'node:path'
import recorded from '../../../data/examples.json' with { type: 'json' }
import { recordExamples } from './asked-example.ts'
import { ExampleWorld } from './world.ts'

const world = await ExampleWorld.open()
try {
  const bodies = await recordExamples(world, recorded)
  const path = join(import.meta.dir, '../../../data/examples.json')
  await Bun.write(path, `${JSON.stringify(bodies, null, 2)}\n`)
  console.log(`recorded ${Object.keys(bodies).length} examples in data/examples.json`)
} finally {
  await world.close()
}
