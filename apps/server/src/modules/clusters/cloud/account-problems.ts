import { EXISTING_DISK, isInZone, type AccountChoice } from '@flotilla/contract/clouds/account-choices'
import { addressOf, outsideReason, rangeOf } from '@flotilla/contract/clusters/impossible/addresses'
import { archNames } from '@flotilla/contract/clusters/impossible/machines'
import type { InstanceSize } from '@flotilla/contract/clouds/providers'
import { eitherText } from '@flotilla/contract/count-text'
import type { Problem } from '@flotilla/contract/clusters/impossible/values'
import { collectChoices } from '../../../providers/collect-choices'
import type { Driver } from '../../../providers/provider'
import { cloudProviders } from '../../../providers/registry'
import type { CloudCluster } from '../stored-cluster'
import { mayBeSameDisk } from './input'
import type { CloudDeps } from './workspace/deps'

/** The user is waiting for Plan. Problems that the lists do not reveal in time are reported by the cloud later. */
const TIMEOUT_MS = 5000
const SUBNET = 'data.network.subnet_id'
const IMAGE = 'data.server.image_name'

type Cluster = Pick<CloudCluster, 'provider' | 'data' | 'deployed'>

/** What to look up in the account: existing disks that are not attached yet, and a given subnet and image. */
const lookupsOf = ({ data, deployed }: Cluster) => ({
  disks: data.disks.flatMap((disk, at) =>
    disk.id !== '' && !deployed?.disks[disk.name] ? [{ disk, at }] : [],
  ),
  subnet: deployed ? '' : data.network.subnet_id,
  image: deployed ? '' : data.server.image_name,
})

/** Problems that the account's own lists reveal. Anything they lack, or do not return in time, is not refused. */
export async function problemsInAccount(
  deps: Pick<CloudDeps, 'credential' | 'driver' | 'catalog'>,
  cluster: CloudCluster,
): Promise<Problem[]> {
  const { provider, credential_id, data } = cluster
  const { disks, subnet, image } = lookupsOf(cluster)
  if (credential_id === null || (disks.length === 0 && subnet === '' && image === '')) return []
  const { data: secret } = await deps.credential(credential_id)
  const driver = await deps.driver(provider, secret, data.network.region_id)
  const [subnets, images, ...found] = await Promise.all([
    choicesOf(driver, SUBNET, subnet),
    choicesOf(driver, IMAGE, image),
    ...disks.map(({ disk }) => choicesOf(driver, EXISTING_DISK, disk.id)),
  ])
  const catalog = await deps.catalog(provider, data.network.region_id)
  const size = catalog?.sizes.find(({ instance_id }) => instance_id === data.server.instance_id)
  return [
    ...processorProblem(
      images.find(({ id }) => isSame(id, image)),
      size,
    ),
    ...accountProblems(
      cluster,
      subnets.find(({ id }) => isSame(id, subnet)),
      found.map((choices, at) => choices.filter(({ id }) => mayBeSameDisk(id, disks[at]?.disk.id ?? ''))),
    ),
  ]
}

/** Google accepts names and paths; a path may refer to another project. */
const isSame = (one: string, other: string): boolean => {
  if (/(^|\/)projects\//.test(other) && !one.includes('/')) return false
  const [short = '', long = ''] = [one, other]
    .map((id) => id.toLowerCase())
    .toSorted((a, b) => a.length - b.length)
  return short === long || (!short.includes('/') && long.endsWith(`/${short}`))
}

/** A custom image for the head node that does not match the processor of its size. */
export const processorProblem = (
  image: Pick<AccountChoice, 'arch'> | undefined,
  size: Pick<InstanceSize, 'arch' | 'instance_id'> | undefined,
): Problem[] =>
  image?.arch && size?.arch && image.arch !== size.arch
    ? [
        [
          'data.server.instance_id',
          `The image is for ${archNames[image.arch]}, but ${size.instance_id} is an ${archNames[size.arch]} size`,
        ],
      ]
    : []

async function choicesOf({ choices = {} }: Driver, field: string, id: string): Promise<AccountChoice[]> {
  if (id === '') return []
  const name = id.slice(id.lastIndexOf('/') + 1)
  try {
    return (await collectChoices('', choices[field], name, TIMEOUT_MS)).choices
  } catch {
    // The key may lack the permission to list these.
    return []
  }
}

/** `found` has the candidates for each disk that was looked up. */
export function accountProblems(
  cluster: Cluster,
  subnet: AccountChoice | undefined,
  found: AccountChoice[][],
): Problem[] {
  const { clusterFields, headSubnet } = cloudProviders[cluster.provider]
  const { network } = cluster.data
  const zonePath = clusterFields.find(({ kind }) => kind === 'zone')?.path ?? 'data.network.zone_id'
  const chosen = network.availability_domain || network.zone_id
  // The given subnet was not looked up, or not found.
  const isSubnetUnknown = network.subnet_id !== '' && !subnet
  // A given subnet determines the zone if it is in only one.
  const zone = subnet?.zones?.[0] ?? (isSubnetUnknown ? '' : chosen)
  const problems: Problem[] = []

  if (subnet && !isInZone(subnet, chosen))
    problems.push([zonePath, `The subnet is in ${subnet.zones?.join(' and ')}`])

  const range = rangeOf(subnet?.range ?? '')
  const address = addressOf(network.private_static_ip)
  const outside = range && address !== null && headSubnet && outsideReason(address, range, headSubnet)
  if (outside) problems.push(['data.network.private_static_ip', outside])

  for (const [index, { disk, at }] of lookupsOf(cluster).disks.entries()) {
    const same = found[index] ?? []
    const zones = same.flatMap((one) => one.zones ?? [])
    if (same.length === 0 || same.some((one) => one.zones === undefined)) continue
    const places = eitherText(zones)
    if (zone !== '' && !same.some((one) => isInZone(one, zone)))
      problems.push([
        `data.disks.${at}.id`,
        `This disk can only be attached in ${places}, the cluster is in ${zone}`,
      ])
    else if (zone === '' && !cluster.deployed && !isSubnetUnknown)
      problems.push([zonePath, `Choose ${places}, where the disk ${disk.name} is`])
  }
  return problems
}
