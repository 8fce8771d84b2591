/** What is checked is never contacted: no name is resolved, no address dialled (safety, §7 line 15). */

import { expect, setDefaultTimeout, test } from 'bun:test'
import { DnsServer } from '../net/dns-server.ts'
import { checkPath, DataDir, importList, Server } from './process.ts'

/** Machines are shared. */
setDefaultTimeout(60_000)

test('a check asks no name server and opens no connection', async () => {
  using dataDir = new DataDir()
  let calls = 0
  using listener = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      calls++
      return new Response('')
    },
  })
  const { port } = listener
  await using names = await DnsServer.start({ 'evil.example': { a: ['127.0.0.1'] } })
  const listed = `https://pages.example/a\nhttp://127.0.0.1:${port}/listed\n`
  await importList(['-', '--format', 'urls'], { dataDir, input: listed })
  await using server = await Server.start(dataDir, { WEIR_DNS: names.address })

  const addresses = ['0x7f.1', '2130706433', '127.1', '[::ffff:127.0.0.1]', '127.0.0.1']
  const urls = [
    ...addresses.map((address) => `http://${address}:${port}/`),
    `http://127.0.0.1:${port}/listed`,
    'https://pages.example/a',
    `http://evil.example:${port}/`,
    'https://unknown.test/',
  ]
  const checked = await Promise.all(urls.map((url) => server.json(checkPath(url))))
  const domains = checked.map(({ domain }) => domain)
  expect(domains).toEqual([
    ...Array(addresses.length + 1).fill('127.0.0.1'),
    ...['pages.example', 'evil.example', 'unknown.test'],
  ])
  const bulk = await server.json('/api/v1/check/bulk', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ urls, domains: urls }),
  })
  expect(bulk).toMatchObject({ total: 2 * urls.length, counts: { invalid: 0 } })
  // A wrong turn would be taken by now, or at the stop, which waits for work under way.
  expect(await server.stop()).toEqual({ code: 0, err: '' })
  expect({ asked: names.asked, calls }).toEqual({ asked: [], calls: 0 })
})
