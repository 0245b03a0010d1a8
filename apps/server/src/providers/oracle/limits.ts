import type { DefaultRequestSigner } from 'oci-common'
import * as z from 'zod/mini'
import { signedGet } from './signed-get'

export const LIMITS = 'https://limits.{region}.oci.{secondLevelDomain}'
const TIMEOUT_MS = 10_000

const Availability = z.object({
  used: z.optional(z.nullable(z.number())),
  available: z.optional(z.nullable(z.number())),
  fractionalUsage: z.optional(z.nullable(z.number())),
  fractionalAvailability: z.optional(z.nullable(z.number())),
})

/** Queries what is left of a service limit in a compartment. */
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
    const { body } = await signedGet(signer, url, AbortSignal.timeout(TIMEOUT_MS))
    const { used, available, fractionalUsage, fractionalAvailability } = Availability.parse(body)
    const left = fractionalAvailability ?? available
    return left === undefined || left === null
      ? null
      : { used: fractionalUsage ?? used ?? 0, available: left }
  }
}
