import { createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto'
// The library registers its algorithms through decorators, which need this import first.
import 'reflect-metadata'
import { AsnConvert } from '@peculiar/asn1-schema'
import { CRLNumber, id_ce_cRLNumber } from '@peculiar/asn1-x509'
import * as x509 from '@peculiar/x509'

/** Certificates issued by a cluster's own authority: EC keys on P-256, signed with SHA-256. */

export type Usage = 'authority' | 'server' | 'client'
export type Authority = { name: string; key: string }

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' }
const purposes = {
  server: x509.ExtendedKeyUsage.serverAuth,
  client: x509.ExtendedKeyUsage.clientAuth,
} as const

// The name is never parsed as text, where a comma or an equals sign would start another part of it.
const commonName = (name: string) => new x509.Name([{ CN: [{ utf8String: name }] }])
const hex = (serial: number) => serial.toString(16).padStart(2, '0')

const privateKey = (pem: string) =>
  webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), CURVE, false, ['sign'])
const publicKey = (pem: string) =>
  webcrypto.subtle.importKey(
    'spki',
    createPublicKey(pem).export({ type: 'spki', format: 'der' }),
    CURVE,
    true,
    ['verify'],
  )
const authorityKeyId = async ({ key }: Authority) =>
  x509.AuthorityKeyIdentifierExtension.create(await publicKey(key))

/** A new private key in PEM. */
export const makeKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()

/** A certificate in PEM. A self-signed authority has the same name and key as the subject. */
export async function makeCertificate(
  {
    name,
    key,
    usage,
    serial,
    from,
    to,
  }: { name: string; key: string; usage: Usage; serial: number; from: Date; to: Date },
  by: Authority,
): Promise<string> {
  const { KeyUsageFlags } = x509
  const subjectKey = await publicKey(key)
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: hex(serial),
    subject: commonName(name),
    issuer: commonName(by.name),
    notBefore: from,
    notAfter: to,
    signingAlgorithm,
    publicKey: subjectKey,
    signingKey: await privateKey(by.key),
    extensions: [
      new x509.BasicConstraintsExtension(usage === 'authority', undefined, true),
      new x509.KeyUsagesExtension(
        usage === 'authority'
          ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign
          : KeyUsageFlags.digitalSignature | KeyUsageFlags.keyAgreement,
        true,
      ),
      ...(usage === 'authority' ? [] : [new x509.ExtendedKeyUsageExtension([purposes[usage]])]),
      await x509.SubjectKeyIdentifierExtension.create(subjectKey),
      await authorityKeyId(by),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

/** The certificate revocation list, in PEM. */
export async function makeRevocations(
  {
    number,
    revoked,
    from,
    to,
  }: { number: number; revoked: { serial: number; at: Date }[]; from: Date; to: Date },
  by: Authority,
): Promise<string> {
  const list = await x509.X509CrlGenerator.create({
    issuer: commonName(by.name),
    thisUpdate: from,
    nextUpdate: to,
    // Without a reason, the library writes an empty list of extensions, which RFC 5280 forbids. It also forbids an
    // empty list of revocations.
    ...(revoked.length > 0 && {
      entries: revoked.map(({ serial, at }) => ({
        serialNumber: hex(serial),
        revocationDate: at,
        reason: x509.X509CrlReason.privilegeWithdrawn,
      })),
    }),
    extensions: [
      await authorityKeyId(by),
      new x509.Extension(id_ce_cRLNumber, false, AsnConvert.serialize(new CRLNumber(number))),
    ],
    signingAlgorithm,
    signingKey: await privateKey(by.key),
  })
  // OpenSSL does not read the library's own label, CRL.
  return `${x509.PemConverter.encode(list.rawData, 'X509 CRL')}\n`
}
