import { paginateDescribeInstanceTypeOfferings, type EC2Client } from '@aws-sdk/client-ec2'
import { fail } from '../../fail'

/** The first zone of the region that offers all of these sizes. Empty where this key may not ask: AWS's first then. */
export const makeZoneFor =
  (client: EC2Client, region: string) =>
  async (sizes: string[]): Promise<string> => {
    const wanted = [...new Set(sizes)]
    const offered = await offerings(client, wanted)
    return offered ? chooseZone(region, wanted, offered) : ''
  }

/** `offered` has the zones of each size. */
export function chooseZone(region: string, wanted: string[], offered: Record<string, string[]>): string {
  const all = [...new Set(Object.values(offered).flat())].toSorted()
  const zone = all.find((one) => wanted.every((size) => offered[size]?.includes(one)))
  if (zone !== undefined) return zone
  const where = wanted.map((size) => `${size} in ${offered[size]?.toSorted().join(', ') || 'none'}`)
  const message = `No zone of ${region} offers all sizes: ${where.join('; ')}. Choose other sizes or another region.`
  return fail('cloud_refused', { message, fields: { 'data.network.zone_id': message } })
}

/** The zones of each size; null when the key has no right to ask, which no other step needs. */
async function offerings(client: EC2Client, sizes: string[]): Promise<Record<string, string[]> | null> {
  const found: Record<string, string[]> = {}
  const query = {
    LocationType: 'availability-zone' as const,
    Filters: [{ Name: 'instance-type', Values: sizes }],
  }
  try {
    for await (const { InstanceTypeOfferings = [] } of paginateDescribeInstanceTypeOfferings(
      { client },
      query,
    ))
      for (const { InstanceType = '', Location = '' } of InstanceTypeOfferings)
        (found[InstanceType] ??= []).push(Location)
  } catch (error) {
    if (error instanceof Error && error.name === 'UnauthorizedOperation') return null
    throw error
  }
  return found
}
