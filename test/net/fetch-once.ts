/**
 * Fetches one URL in a process of its own, so that a test can set its environment; prints the outcome as
 * one line of JSON. Arguments: URL, name server, authority (PEM file).
 */

import { readFileSync } from 'node:fs'
import { Outbound } from '../../src/net/outbound.ts'
import { OutboundError } from '../../src/net/outbound-error.ts'
import { Resolver } from '../../src/net/resolver.ts'

const [url = '', server = '', authority = ''] = process.argv.slice(2)

const outbound = new Outbound({
  resolver: new Resolver({ servers: [server] }),
  proxy: null,
  userAgent: 'weir/test',
  testing: { allowLoopback: true, ca: readFileSync(authority, 'utf8') },
})

try {
  const answer = await outbound.get({ url, timeoutMs: 20_000, bodyBytesMax: 1024, redirectsMax: 0 })
  console.log(JSON.stringify({ text: await new Response(answer.body).text() }))
} catch (error) {
  if (!(error instanceof OutboundError)) throw error
  console.log(JSON.stringify({ reason: error.reason }))
}
