import * as z from 'zod/mini'
import type { DriverOptions } from '../../provider'
import { domainOf, jsonIn, jsonRefusal, signedCall } from './signed-call'

const TIMEOUT_MS = 10_000
const SERVICE = 'servicequotas'

const Answer = z.object({ Quota: z.object({ QuotaName: z.string(), Value: z.number() }) })

export interface ServiceQuota {
  name: string
  limit: number
}

/** The account's quota, or AWS's default if the account has no value of its own; null if there is no such quota. */
export async function readQuota(
  options: DriverOptions,
  service: string,
  code: string,
): Promise<ServiceQuota | null> {
  for (const action of ['GetServiceQuota', 'GetAWSDefaultServiceQuota'])
    try {
      const answer = await call(options, action, { ServiceCode: service, QuotaCode: code })
      const { QuotaName, Value } = Answer.parse(answer).Quota
      return { name: QuotaName, limit: Value }
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'NoSuchResourceException') throw error
    }
  return null
}

async function call(options: DriverOptions, action: string, body: object): Promise<unknown> {
  const { region, endpoint } = options
  const made = {
    options,
    url: endpoint ?? `https://${SERVICE}.${region}.${domainOf(region)}`,
    service: SERVICE,
    region,
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `ServiceQuotasV20190624.${action}`,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }
  const text = await signedCall(made, jsonRefusal).catch((error: unknown) => {
    // A region may lack the service, which says nothing about the key.
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), { $fault: 'client' })
  })
  return jsonIn(text)
}
