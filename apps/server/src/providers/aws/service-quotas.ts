import { createHash, createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import type { DriverOptions } from '../provider'

const PATIENCE_MS = 10_000
const SERVICE = 'servicequotas'

const Answer = z.object({ Quota: z.object({ QuotaName: z.string(), Value: z.number() }) })
const Refusal = z.object({
  __type: z._default(z.string(), ''),
  message: z.optional(z.string()),
  Message: z.optional(z.string()),
})

export interface ServiceQuota {
  name: string
  limit: number
}

/** The account's quota, or AWS's default where the account has none of its own; its client library would be megabytes for one call. */
export async function readQuota(
  options: DriverOptions,
  service: string,
  code: string,
): Promise<ServiceQuota> {
  const asked = { ServiceCode: service, QuotaCode: code }
  const answer = await call(options, 'GetServiceQuota', asked).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'NoSuchResourceException')
      return call(options, 'GetAWSDefaultServiceQuota', asked)
    throw error
  })
  const { QuotaName, Value } = Answer.parse(answer).Quota
  return { name: QuotaName, limit: Value }
}

async function call(options: DriverOptions, action: string, body: object): Promise<unknown> {
  const { region, endpoint } = options
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const url = new URL(endpoint ?? `https://${SERVICE}.${region}.${domain}`)
  const text = JSON.stringify(body)
  const answer = await fetch(url, {
    method: 'POST',
    headers: signed(options, url, action, text, new Date()),
    body: text,
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error: unknown) => {
    // A region may lack the service: that says nothing about the key.
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), { $fault: 'client' })
  })
  const said: unknown = await answer.json().catch(() => ({}))
  if (answer.ok) return said
  const { __type, message, Message } = Refusal.safeParse(said).data ?? { __type: '' }
  // As the errors of AWS's own clients are.
  throw Object.assign(new Error(message ?? Message ?? `AWS responded with ${answer.status}`), {
    name: __type.replace(/^.*#/, '') || (answer.status === 403 ? 'AccessDenied' : 'Error'),
    $fault: 'client',
    statusCode: answer.status,
  })
}

/** AWS's signature of version 4. */
function signed({ credential, region }: DriverOptions, url: URL, action: string, body: string, now: Date) {
  const { access_key = '', secret_key = '', session_token } = credential
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const headers: Record<string, string> = {
    'content-type': 'application/x-amz-json-1.1',
    host: url.host,
    'x-amz-date': time,
    ...(session_token && { 'x-amz-security-token': session_token }),
    'x-amz-target': `ServiceQuotasV20190624.${action}`,
  }
  const names = Object.keys(headers).toSorted()
  const canonical = [
    'POST',
    '/',
    '',
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    sha256(body),
  ]
  const scope = `${day}/${region}/${SERVICE}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical.join('\n'))].join('\n')
  const key = [day, region, SERVICE, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secret_key}`)
  const { host: _byFetch, ...sent } = headers
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${access_key}/${scope}, SignedHeaders=${names.join(';')}, Signature=${hmac(key, toSign).toString('hex')}`,
  }
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
