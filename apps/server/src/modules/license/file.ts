import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import * as z from 'zod/mini'
import { Time } from '@flotilla/contract/lists'
import type { License, LicenseProblem } from '@flotilla/contract/site/license'

const Terms = z.object({
  licenseType: z.string().check(z.minLength(1)),
  issuedTo: z.string(),
  validFrom: Time,
  validUntil: Time,
})
export type Terms = z.infer<typeof Terms>

/** The signature covers the exact bytes of the terms, so that the formatting of JSON does not matter. */
const SignedFile = z.object({ terms: z.string(), signature: z.string() })

export function makeKeyPair(): { publicKey: string; privateKey: string } {
  const pair = generateKeyPairSync('ed25519')
  return {
    publicKey: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export function signLicense(terms: Terms, privateKey: string): string {
  const bytes = Buffer.from(JSON.stringify(terms))
  const signature = sign(null, bytes, createPrivateKey(privateKey))
  return `${JSON.stringify({ terms: bytes.toString('base64'), signature: signature.toString('base64') }, null, 2)}\n`
}

export function isPublicKey(text: string): boolean {
  try {
    return createPublicKey(text).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

export function readLicense(content: string, publicKey: string, now: number): License | LicenseProblem {
  try {
    const file = SignedFile.parse(JSON.parse(content))
    const bytes = Buffer.from(file.terms, 'base64')
    if (!verify(null, bytes, createPublicKey(publicKey), Buffer.from(file.signature, 'base64')))
      return 'forged'
    const terms = Terms.parse(JSON.parse(bytes.toString()))
    if (now < terms.validFrom) return 'not_yet_valid'
    if (now > terms.validUntil) return 'expired'
    return terms
  } catch {
    return 'unreadable'
  }
}
