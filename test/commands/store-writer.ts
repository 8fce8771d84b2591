/**
 * A process that writes batches into a data directory beside a server, as an import does: it is sent each
 * batch as a message, and answers with what was committed. Ends when its parent lets go of it.
 */

import type { Batch } from '../../src/store/batch.ts'
import { WriteStore } from '../../src/store/store.ts'

const dataDir = process.argv[2] ?? ''
const store = WriteStore.open({ dataDir, role: 'background', now: Date.now })

process.on('message', (batch: Batch) => {
  store.write(batch).then(
    (committed) => process.send?.(committed),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('open')
