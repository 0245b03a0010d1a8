import { paginateDescribeInstanceTypeOfferings, type EC2Client } from '@aws-sdk/client-ec2'
import { chooseZone } from './choose-zone'

/**
 * The first zone of the region that offers all of these sizes. Empty if the key may not query this: AWS's first zone
 * then applies.
 */
export const makeZoneFor =
  (client: EC2Client, region: string) =>
  async (sizes: string[]): Promise<string> => {
    const wanted = [...new Set(sizes)]
    const offered = await offerings(client, wanted)
    return offered ? chooseZone(region, wanted, offered) : ''
  }

/** The zones of each size; null if the key lacks this permission, which nothing else needs. */
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
