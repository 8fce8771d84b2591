/** Environment variables have no effect on proxies, certificate checks or addresses. */

import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authorityCertificate, issue, selfSign } from './certificates.ts'
import { DnsServer } from './dns-server.ts'
import { RawServer, says } from './raw-server.ts'

const script = join(import.meta.dir, 'fetch-once.ts')

const ok = says('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')

/** Fetches `url` in a process with every variable set that could direct it to `proxyPort`. */
async function fetchWith(url: string, dns: DnsServer, proxyPort: number): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-net-'))
  const proxy = `http://127.0.0.1:${proxyPort}`
  const names = ['http_proxy', 'https_proxy', 'all_proxy']
  const proxies = names.flatMap((name) => [name, name.toUpperCase()])
  try {
    const authority = join(folder, 'authority.pem')
    await Bun.write(authority, authorityCertificate)
    const child = Bun.spawn([process.execPath, script, url, dns.address, authority], {
      env: {
        ...Object.fromEntries(proxies.map((name) => [name, proxy])),
        PATH: process.env['PATH'],
        NO_PROXY: '',
        NODE_USE_ENV_PROXY: '1',
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
      },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    return JSON.parse(await child.stdout.text())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the environment', () => {
  test('sends no request through a proxy', async () => {
    await using dns = await DnsServer.start({ 'feed.test': { a: ['127.0.0.1'] } })
    await using proxy = await RawServer.start(ok)
    await using plain = await RawServer.start(ok)
    await using secured = await RawServer.start(ok, await issue({ names: ['feed.test'] }))
    for (const url of [`http://feed.test:${plain.port}/`, `https://feed.test:${secured.port}/`]) {
      expect(await fetchWith(url, dns, proxy.port)).toEqual({ text: 'ok' })
    }
    expect([proxy.connections, plain.heads.length, secured.heads.length]).toEqual([0, 1, 1])
  }, 30_000)

  test('does not disable certificate checks', async () => {
    await using dns = await DnsServer.start({ 'feed.test': { a: ['127.0.0.1'] } })
    await using proxy = await RawServer.start(ok)
    const names = ['feed.test']
    const dates = { notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') }
    for (const credentials of [
      await issue({ names: ['other.test'] }),
      await issue({ names, ...dates }),
      await selfSign({ names }),
    ]) {
      await using server = await RawServer.start(ok, credentials)
      const url = `https://feed.test:${server.port}/`
      expect(await fetchWith(url, dns, proxy.port)).toEqual({ reason: 'tls_failed' })
      expect(server.heads).toEqual([])
    }
  }, 30_000)

  test('allows no further address', async () => {
    await using dns = await DnsServer.start({ 'feed.test': { a: ['10.0.0.1'] } })
    await using proxy = await RawServer.start(ok)
    const outcome = await fetchWith('http://feed.test/', dns, proxy.port)
    expect([outcome, proxy.connections]).toEqual([{ reason: 'address_refused' }, 0])
  }, 30_000)
})
