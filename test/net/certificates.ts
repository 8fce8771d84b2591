/**
 * Certificates made for one run of tests, by an authority that nobody else trusts.
 */

import { generate } from 'selfsigned'

/** What a TLS server needs. */
export interface Credentials {
  readonly key: string
  readonly cert: string
}

/** For whom and when a certificate is valid. */
export interface CertificateOptions {
  readonly names?: readonly string[]
  readonly addresses?: readonly string[]
  readonly notBefore?: Date
  readonly notAfter?: Date
}

const keys = { keyType: 'ec', algorithm: 'sha256' } as const

const authority = await generate([{ name: 'commonName', value: 'an authority for tests' }], {
  ...keys,
  extensions: [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, critical: true },
  ],
})

/** The authority's own certificate, for those who trust it. */
export const authorityCertificate = authority.cert

function extensionsOf({ names = [], addresses = [] }: CertificateOptions) {
  const altNames = [
    ...names.map((value) => ({ type: 2 as const, value })),
    ...addresses.map((ip) => ({ type: 7 as const, ip })),
  ]
  return [
    { name: 'basicConstraints' as const, cA: false },
    { name: 'subjectAltName' as const, altNames },
  ]
}

function datesOf({ notBefore, notAfter }: CertificateOptions) {
  return {
    ...(notBefore === undefined ? {} : { notBeforeDate: notBefore }),
    ...(notAfter === undefined ? {} : { notAfterDate: notAfter }),
  }
}

/** Issues a certificate by the authority. */
export async function issue(options: CertificateOptions): Promise<Credentials> {
  const made = await generate([{ name: 'commonName', value: 'a server for tests' }], {
    ...keys,
    ...datesOf(options),
    extensions: extensionsOf(options),
    ca: { key: authority.private, cert: authority.cert },
  })
  return { key: made.private, cert: made.cert }
}

/** Makes a certificate that only its own holder vouches for. */
export async function selfSign(options: CertificateOptions): Promise<Credentials> {
  const made = await generate([{ name: 'commonName', value: 'a server for tests' }], {
    ...keys,
    ...datesOf(options),
    extensions: extensionsOf(options),
  })
  return { key: made.private, cert: made.cert }
}
