import * as z from 'zod/mini'

/** The whole internet. */
export const ANYWHERE = '0.0.0.0/0'
/** Each range needs two rules, for SSH and OpenVPN, which together stay below the limit of an AWS security group. */
const RANGES_MAX = 25
/** A wider range amounts to allowing everyone: two halves of the internet are the whole internet. */
const WIDEST = 8

const example = 'such as 203.0.113.0/24, or 203.0.113.5/32 for one address'

/** Why this is not an IPv4 range that every cloud accepts, or null. */
function rangeError(range: string): string | null {
  const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(range)
  const [a = 256, b = 256, c = 256, d = 256, bits = 33] = (found ?? []).slice(1).map(Number)
  if ([a, b, c, d].some((byte) => byte > 255) || bits > 32) return `${range}: enter a range ${example}`
  if (range === ANYWHERE) return null
  if (bits < WIDEST) return `${range} is too wide: enter /${WIDEST} or narrower, or allow everyone`
  const address = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
  const start = address - (address % 2 ** (32 - bits))
  if (start === address) return null
  const bytes = [24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256)
  return `${range}: the range begins at ${bytes.join('.')}/${bits}`
}

/**
 * The ranges from which the head node accepts SSH and OpenVPN. An empty list means everyone, as in clusters saved
 * before the field existed.
 */
export const SourceRanges = z._default(
  z.array(z.string().check(z.trim(), z.maxLength(64))).check(
    z.superRefine((ranges, context) => {
      const message =
        ranges.length > RANGES_MAX
          ? `At most ${RANGES_MAX} ranges`
          : ranges.map(rangeError).find((error) => error !== null)
      if (message) context.addIssue({ code: 'custom', message, input: ranges })
    }),
  ),
  [],
)

export const allowsEveryone = (ranges: readonly string[]): boolean =>
  ranges.length === 0 || ranges.includes(ANYWHERE)
