import type { DefaultRequestSigner } from 'oci-common'
import * as z from 'zod/mini'
import { readAtMost } from '../read-at-most'

export const LIMITS = 'https://limits.{region}.oci.{secondLevelDomain}'
const PATIENCE_MS = 10_000

const Availability = z.object({
  used: z.optional(z.nullable(z.number())),
  available: z.optional(z.nullable(z.number())),
  fractionalUsage: z.optional(z.nullable(z.number())),
  fractionalAvailability: z.optional(z.nullable(z.number())),
})
const Refusal = z.object({ code: z._default(z.string(), ''), message: z._default(z.string(), '') })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** What is left of a service limit in a compartment; its client library would be another package for one call. */
export function makeLimits(signer: DefaultRequestSigner, endpoint: string) {
  return async (
    service: string,
    limit: string,
    place: { compartmentId: string; availabilityDomain?: string },
  ): Promise<{ used: number; available: number } | null> => {
    const url = new URL(
      `${endpoint}/20181025/services/${service}/limits/${encodeURIComponent(limit)}/resourceAvailability`,
    )
    for (const [name, value] of Object.entries(place)) url.searchParams.set(name, value)
    const request = { method: 'GET' as const, uri: url.href, headers: new Headers() }
    await signer.signHttpRequest(request)
    // It is what fetch sends on its own.
    request.headers.delete('host')
    const answer = await fetch(url, {
      headers: request.headers,
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const said = parsed(await readAtMost(answer))
    if (!answer.ok) {
      const { code, message } = Refusal.safeParse(said).data ?? { code: '', message: '' }
      // As the errors of Oracle's own clients are.
      throw Object.assign(new Error(message || `Oracle Cloud responded with ${answer.status}`), {
        serviceCode: code,
        statusCode: answer.status,
      })
    }
    const { used, available, fractionalUsage, fractionalAvailability } = Availability.parse(said)
    const left = fractionalAvailability ?? available
    return left === undefined || left === null
      ? null
      : { used: fractionalUsage ?? used ?? 0, available: left }
  }
}
