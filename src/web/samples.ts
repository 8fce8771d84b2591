/**
 * The code samples, as files that are run by a test and shown on the page: each reads the address of
 * weir from its first argument or from `WEIR`, and else uses the address of this instance.
 */

import { html, type Markup } from './markup.ts'
import blacklistClient from './samples/blacklist.client.ts.txt' with { type: 'text' }
import blacklistGo from './samples/blacklist.go' with { type: 'text' }
import blacklistPython from './samples/blacklist.py' with { type: 'text' }
import blacklistShell from './samples/blacklist.sh' with { type: 'text' }
import blacklistFetch from './samples/blacklist.ts.txt' with { type: 'text' }
import bulkClient from './samples/bulk.client.ts.txt' with { type: 'text' }
import bulkGo from './samples/bulk.go' with { type: 'text' }
import bulkPython from './samples/bulk.py' with { type: 'text' }
import bulkShell from './samples/bulk.sh' with { type: 'text' }
import bulkFetch from './samples/bulk.ts.txt' with { type: 'text' }
import changesClient from './samples/changes.client.ts.txt' with { type: 'text' }
import changesGo from './samples/changes.go' with { type: 'text' }
import changesPython from './samples/changes.py' with { type: 'text' }
import changesShell from './samples/changes.sh' with { type: 'text' }
import changesFetch from './samples/changes.ts.txt' with { type: 'text' }
import checkUrlClient from './samples/check-url.client.ts.txt' with { type: 'text' }
import checkUrlGo from './samples/check-url.go' with { type: 'text' }
import checkUrlPython from './samples/check-url.py' with { type: 'text' }
import checkUrlShell from './samples/check-url.sh' with { type: 'text' }
import checkUrlFetch from './samples/check-url.ts.txt' with { type: 'text' }
import { codeBlock, disclosureGroup } from './section.ts'

/** What there are samples of. */
export type SampleTopic = 'check-url' | 'bulk' | 'blacklist' | 'changes'

const languages = [
  { id: 'curl', title: 'curl' },
  { id: 'fetch', title: 'TypeScript, fetch' },
  { id: 'client', title: 'TypeScript, typed client' },
  { id: 'python', title: 'Python' },
  { id: 'go', title: 'Go' },
] as const

type Language = (typeof languages)[number]['id']

const samples: Readonly<Record<SampleTopic, Readonly<Record<Language, string>>>> = {
  'check-url': {
    curl: checkUrlShell,
    fetch: checkUrlFetch,
    client: checkUrlClient,
    python: checkUrlPython,
    go: checkUrlGo,
  },
  bulk: {
    curl: bulkShell,
    fetch: bulkFetch,
    client: bulkClient,
    python: bulkPython,
    go: bulkGo,
  },
  blacklist: {
    curl: blacklistShell,
    fetch: blacklistFetch,
    client: blacklistClient,
    python: blacklistPython,
    go: blacklistGo,
  },
  changes: {
    curl: changesShell,
    fetch: changesFetch,
    client: changesClient,
    python: changesPython,
    go: changesGo,
  },
}

/** The address in the files; it stands in quotes of four languages. */
const placeholder = 'http://127.0.0.1:8080'

/** Returns an address in which nothing ends or begins anything in a program. */
function plainAddress(publicUrl: string): string {
  const odd = /[^A-Za-z0-9:/.[\]%_~-]/g
  return publicUrl.replace(odd, (character) => `%${character.charCodeAt(0).toString(16)}`)
}

/** Returns the samples of a topic, the first one open. */
export function sampleMarkup(topic: SampleTopic, publicUrl: string): Markup {
  const address = plainAddress(publicUrl)
  const items = languages.map(({ id, title }) => ({
    title: html`${title}`,
    id: `${topic}-${id}`,
    body: codeBlock(samples[topic][id].replaceAll(placeholder, address)),
  }))
  return disclosureGroup(items, { group: `${topic}-samples`, isFirstOpen: true })
}
