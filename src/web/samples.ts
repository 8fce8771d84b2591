/**
 * The programs that the guide links to. Each is a file that a test runs: it calls the address in its
 * first argument or in `WEIR`, or else the default address, which the page replaces by its own.
 */

import blacklistClient from '../../docs/samples/blacklist.client.ts.txt' with { type: 'text' }
import blacklistGo from '../../docs/samples/blacklist.go' with { type: 'text' }
import blacklistPython from '../../docs/samples/blacklist.py' with { type: 'text' }
import blacklistShell from '../../docs/samples/blacklist.sh' with { type: 'text' }
import blacklistFetch from '../../docs/samples/blacklist.ts.txt' with { type: 'text' }
import bulkClient from '../../docs/samples/bulk.client.ts.txt' with { type: 'text' }
import bulkGo from '../../docs/samples/bulk.go' with { type: 'text' }
import bulkPython from '../../docs/samples/bulk.py' with { type: 'text' }
import bulkShell from '../../docs/samples/bulk.sh' with { type: 'text' }
import bulkFetch from '../../docs/samples/bulk.ts.txt' with { type: 'text' }
import changesClient from '../../docs/samples/changes.client.ts.txt' with { type: 'text' }
import changesGo from '../../docs/samples/changes.go' with { type: 'text' }
import changesPython from '../../docs/samples/changes.py' with { type: 'text' }
import changesShell from '../../docs/samples/changes.sh' with { type: 'text' }
import changesFetch from '../../docs/samples/changes.ts.txt' with { type: 'text' }
import checkUrlClient from '../../docs/samples/check-url.client.ts.txt' with { type: 'text' }
import checkUrlGo from '../../docs/samples/check-url.go' with { type: 'text' }
import checkUrlPython from '../../docs/samples/check-url.py' with { type: 'text' }
import checkUrlShell from '../../docs/samples/check-url.sh' with { type: 'text' }
import checkUrlFetch from '../../docs/samples/check-url.ts.txt' with { type: 'text' }

/** The programs by the name of their file in `docs/samples`. */
export const samples: ReadonlyMap<string, string> = new Map([
  ['blacklist.client.ts.txt', blacklistClient],
  ['blacklist.go', blacklistGo],
  ['blacklist.py', blacklistPython],
  ['blacklist.sh', blacklistShell],
  ['blacklist.ts.txt', blacklistFetch],
  ['bulk.client.ts.txt', bulkClient],
  ['bulk.go', bulkGo],
  ['bulk.py', bulkPython],
  ['bulk.sh', bulkShell],
  ['bulk.ts.txt', bulkFetch],
  ['changes.client.ts.txt', changesClient],
  ['changes.go', changesGo],
  ['changes.py', changesPython],
  ['changes.sh', changesShell],
  ['changes.ts.txt', changesFetch],
  ['check-url.client.ts.txt', checkUrlClient],
  ['check-url.go', checkUrlGo],
  ['check-url.py', checkUrlPython],
  ['check-url.sh', checkUrlShell],
  ['check-url.ts.txt', checkUrlFetch],
])
