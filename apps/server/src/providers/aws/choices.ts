import {
  type EC2Client,
  paginateDescribeIamInstanceProfileAssociations,
  paginateDescribeSecurityGroups,
  paginateDescribeSubnets,
  paginateDescribeVpcs,
  DescribeAddressesCommand,
  type Tag,
} from '@aws-sdk/client-ec2'
import type { AccountChoice } from '@flotilla/contract/clouds/credentials'
import type { Driver } from '../provider'

const nameIn = (tags: Tag[] | undefined) => tags?.find(({ Key }) => Key === 'Name')?.Value
const choice = (id: string | undefined, ...about: (string | undefined)[]): AccountChoice => ({
  id: id ?? '',
  name: about.filter(Boolean).join(', '),
})
async function all<Page>(pages: AsyncIterable<Page>, of: (page: Page) => AccountChoice[]) {
  const list: AccountChoice[] = []
  for await (const page of pages) list.push(...of(page))
  return list
}

/** What the account has in the driver's region, by the fields that name it. */
export function makeChoices(ec2: EC2Client): NonNullable<Driver['choices']> {
  const client = { client: ec2 }
  const lists: Record<string, () => Promise<AccountChoice[]>> = {
    'data.network.vpc_id': () =>
      all(paginateDescribeVpcs(client, {}), ({ Vpcs = [] }) =>
        Vpcs.map((it) =>
          choice(it.VpcId, nameIn(it.Tags), it.CidrBlock, it.IsDefault ? 'default' : undefined),
        ),
      ),
    'data.network.subnet_id': () =>
      all(paginateDescribeSubnets(client, {}), ({ Subnets = [] }) =>
        Subnets.map((it) =>
          choice(it.SubnetId, nameIn(it.Tags), it.AvailabilityZone, it.CidrBlock, it.VpcId),
        ),
      ),
    'data.network.security_group_id': () =>
      all(paginateDescribeSecurityGroups(client, {}), ({ SecurityGroups = [] }) =>
        SecurityGroups.map((it) => choice(it.GroupId, it.GroupName, it.VpcId)),
      ),
    'data.network.eip_id': async () => {
      const { Addresses = [] } = await ec2.send(new DescribeAddressesCommand({}))
      // One that is in use would be taken away from its machine.
      return Addresses.filter(({ AssociationId }) => !AssociationId).map((it) =>
        choice(it.AllocationId, nameIn(it.Tags), it.PublicIp),
      )
    },
    // EC2 knows only the roles that machines have; all of them would need another right.
    'data.ec2_role': () =>
      all(
        paginateDescribeIamInstanceProfileAssociations(client, {}),
        ({ IamInstanceProfileAssociations: found = [] }) =>
          found.map(({ IamInstanceProfile: it }) => choice(it?.Arn?.split('/').at(-1), 'used by a machine')),
      ),
  }
  return async (field) => {
    const found = (await lists[field]?.()) ?? []
    return [...new Map(found.map((one) => [one.id, one])).values()]
  }
}
