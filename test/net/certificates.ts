/** Certificates for one run of tests, by an authority that nothing else trusts. */

import { generate } from 'selfsigned'

/** What a TLS server needs. */
export interface Credentials {
  readonly key: string
  readonly cert: string
}

/** The names, addresses and time for which a certificate is valid. */
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

/** The authority's own certificate. */
export const authorityCertificate = authority.cert

function toExtensions({ names = [], addresses = [] }: CertificateOptions) {
  const altNames = [
    ...names.map((value) => ({ type: 2 as const, value })),
    ...addresses.map((ip) => ({ type: 7 as const, ip })),
  ]
  return [
    { name: 'basicConstraints' as const, cA: false },
    { name: 'subjectAltName' as const, altNames },
  ]
}

function toDates({ notBefore, notAfter }: CertificateOptions) {
  return {
    ...(notBefore === undefined ? {} : { notBeforeDate: notBefore }),
    ...(notAfter === undefined ? {} : { notAfterDate: notAfter }),
  }
}

/** Issues a certificate signed by the authority. */
export async function issue(options: CertificateOptions): Promise<Credentials> {
  const made = await generate([{ name: 'commonName', value: 'a server for tests' }], {
    ...keys,
    ...toDates(options),
    extensions: toExtensions(options),
    ca: { key: authority.private, cert: authority.cert },
  })
  return { key: made.private, cert: made.cert }
}

/** Makes a self-signed certificate. */
export async function selfSign(options: CertificateOptions): Promise<Credentials> {
  const made = await generate([{ name: 'commonName', value: 'a server for tests' }], {
    ...keys,
    ...toDates(options),
    extensions: toExtensions(options),
  })
  return { key: made.private, cert: made.cert }
}
