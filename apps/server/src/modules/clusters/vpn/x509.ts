import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import {
  around,
  bits,
  boolean,
  flags,
  inPlace,
  integer,
  objectId,
  octets,
  sequence,
  set,
  text,
  time,
} from './der'

/** Certificates of a small authority of our own: EC keys on P-256, signed with SHA-256. */

export type Usage = 'authority' | 'server' | 'client'
export type Authority = { name: string; key: string }

const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
const COMMON_NAME = '2.5.4.3'
const extension = {
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  authorityKey: '2.5.29.35',
  extendedUsage: '2.5.29.37',
} as const
const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const
/** Bits of the key's usage. */
const SIGNS = 0
const AGREES_ON_KEYS = 4
const SIGNS_CERTIFICATES = 5
const SIGNS_LISTS = 6

const named = (name: string) => sequence(set(sequence(objectId(COMMON_NAME), text(name))))
const extend = (id: string, critical: boolean, body: Buffer) =>
  sequence(objectId(id), ...(critical ? [boolean(true)] : []), octets(body))
const pem = (label: string, der: Buffer) =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replaceAll(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`

/** The key as it stands in a certificate, and its short name. */
function publicOf(privateKey: string) {
  const info = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' })
  // An uncompressed point of P-256 is the end of it: 4, and two numbers of 32 bytes.
  return { info, id: createHash('sha1').update(info.subarray(-65)).digest() }
}

const signed = (body: Buffer, key: string) =>
  sequence(body, ECDSA_SHA256, bits(sign('sha256', body, { key, dsaEncoding: 'der' })))

/** In PEM. */
export const makeKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()

/** A certificate in PEM. An authority that signs itself has the same name and key as what is signed. */
export function makeCertificate(
  {
    name,
    key,
    usage,
    serial,
    from,
    to,
  }: {
    name: string
    key: string
    usage: Usage
    serial: number | bigint
    from: Date
    to: Date
  },
  by: Authority,
): string {
  const own = publicOf(key)
  const isAuthority = usage === 'authority'
  const uses = isAuthority ? flags(SIGNS_CERTIFICATES, SIGNS_LISTS) : flags(SIGNS, AGREES_ON_KEYS)
  const extensions = [
    extend(extension.basicConstraints, true, isAuthority ? sequence(boolean(true)) : sequence()),
    extend(extension.keyUsage, true, uses),
    ...(usage === 'authority'
      ? []
      : [extend(extension.extendedUsage, false, sequence(objectId(purposes[usage])))]),
    extend(extension.subjectKey, false, octets(own.id)),
    authorityKey(by),
  ]
  const body = sequence(
    around(0, integer(2)), // version 3
    integer(serial),
    ECDSA_SHA256,
    named(by.name),
    sequence(time(from), time(to)),
    named(name),
    own.info,
    around(3, sequence(...extensions)),
  )
  return pem('CERTIFICATE', signed(body, by.key))
}

const authorityKey = (by: Authority) =>
  extend(extension.authorityKey, false, sequence(inPlace(0, publicOf(by.key).id)))

/** The certificates that count no more, in PEM. */
export function makeRevocations(
  {
    number,
    revoked,
    from,
    to,
  }: {
    number: number
    revoked: { serial: number; at: Date }[]
    from: Date
    to: Date
  },
  by: Authority,
): string {
  const entries = revoked.map(({ serial, at }) => sequence(integer(serial), time(at)))
  const body = sequence(
    integer(1), // version 2
    ECDSA_SHA256,
    named(by.name),
    time(from),
    time(to),
    // An empty list of them is not allowed to be there.
    ...(entries.length > 0 ? [sequence(...entries)] : []),
    around(0, sequence(authorityKey(by), extend(extension.crlNumber, false, integer(number)))),
  )
  return pem('X509 CRL', signed(body, by.key))
}
