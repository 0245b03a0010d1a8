import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import * as z from 'zod/mini'
import type { DriverOptions } from '../../provider'
import { readAtMost } from '../../read-at-most'
import { settingsOf } from '../clients'

/** A call to an AWS service whose client library would add megabytes for it. */
interface SignedCall {
  options: DriverOptions
  url: string
  service: string
  /** The region of the service, which may differ from the cluster's. */
  region: string
  headers: Record<string, string>
  /** Omitted for requests that only read. */
  body?: string
  signal: AbortSignal
}

type Data = string | ArrayBuffer | ArrayBufferView
function asBytes(data: Data): string | Uint8Array {
  if (typeof data === 'string') return data
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}
/** The hash interface that the signing library requires. */
class Sha256 {
  private readonly hash
  constructor(secret?: Data) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', asBytes(secret))
  }
  update(data: Data): void {
    this.hash.update(asBytes(data))
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.hash.digest())
  }
  reset(): void {}
}

/**
 * Returns the response as text. A rejection throws an error like those of AWS's clients, with the name and message that
 * `refusal` extracts.
 */
export async function signedCall(
  { options, url, service, region, headers, body, signal }: SignedCall,
  refusal: { nameIn(text: string): string; messageIn(text: string): string },
): Promise<string> {
  const { credentials } = settingsOf(options)
  const { host, hostname, pathname, protocol, searchParams } = new URL(url)
  const method = body === undefined ? 'GET' : 'POST'
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 })
  const request = {
    method,
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { ...headers, host },
    ...(body !== undefined && { body }),
  }
  const { headers: signed } = await signer.sign(request)
  const { host: _set, ...sent } = signed
  const answer = await fetch(url, { method, headers: sent, body: body ?? null, redirect: 'error', signal })
  const text = await readAtMost(answer)
  if (answer.ok) return text
  throw Object.assign(new Error(refusal.messageIn(text) || `AWS responded with ${answer.status}`), {
    name: refusal.nameIn(text) || (answer.status === 403 ? 'AccessDenied' : 'Error'),
    $fault: 'client',
    statusCode: answer.status,
  })
}

/** The domain of a region's services. */
export const domainOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'

const Refusal = z.object({
  __type: z.optional(z.string()),
  ErrorCode: z.optional(z.string()),
  message: z.optional(z.string()),
  Message: z.optional(z.string()),
})
const refusalIn = (text: string) => Refusal.safeParse(jsonIn(text)).data ?? {}
/** For services that reply with JSON. The error's name may have a prefix. */
export const jsonRefusal = {
  nameIn(text: string) {
    const { __type, ErrorCode = '' } = refusalIn(text)
    return (__type ?? ErrorCode).replace(/^.*#/, '')
  },
  messageIn(text: string) {
    const { message, Message } = refusalIn(text)
    return message ?? Message ?? ''
  },
}
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
