import { api } from '@flotilla/contract/api'
import path from 'node:path'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { ProviderId } from '@flotilla/contract/site/config'
import { cloudProviders } from '../../../src/providers/registry'
import { listWorld } from '../../../src/simulated/driver'
import type { Console } from './console'

/** A region, zone and size from the catalog of each provider. */
const places: Record<ProviderId, { region: string; zone: string; size: string }> = {
  aws: { region: 'us-east-1', zone: 'us-east-1a', size: 't3.large' },
  azure: { region: 'eastus', zone: '', size: 'Standard_D4s_v5' },
  gcp: { region: 'us-west1', zone: 'us-west1-a', size: 'n1-standard-8' },
  oracle: { region: 'us-ashburn-1', zone: 'US-ASHBURN-AD-1', size: 'VM.Standard.E4.Flex' },
  maas: { region: '', zone: '', size: '' },
}

export async function makeCredential(
  console: Pick<Console, 'must' | 'admin'>,
  provider: ProviderId,
): Promise<string> {
  const data = Object.fromEntries(
    cloudProviders[provider].authentications.map(({ id }) => [
      id,
      id === 'api_url' ? 'http://maas.example.org/MAAS' : `${id}-of-a-test`,
    ]),
  )
  const body = { name: `${provider} of a test`, provider, data }
  return (await console.must(api.credentials.create, { body }, { token: console.admin })).id
}

/** A cluster of a head node and two nodes, saved. */
export async function makeCloudCluster(
  console: Console,
  provider: ProviderId,
  more: { name?: string; count?: number; data?: object; info?: object } = {},
): Promise<CloudCluster> {
  const { region, zone, size } = places[provider]
  // The disks of a MAAS machine are fixed.
  const volume = provider === 'maas' ? {} : { volume_size: 50 }
  const cluster = {
    name: more.name ?? `Cluster on ${provider}`,
    provider,
    credential_id: await makeCredential(console, provider),
    info: { 'os-type': 'ubuntu-22.04', bursting: { burstOnDeploy: true }, ...more.info },
    data: {
      manager: 'slurm' as const,
      network: {
        region_id: region,
        ...(provider === 'oracle' ? { availability_domain: zone } : { zone_id: zone }),
      },
      server: { instance_id: size, ...volume },
      node: { group: [{ count: more.count ?? 2, instance_id: size }], ...volume },
      ...more.data,
    },
  }
  return CloudCluster.parse(
    await console.must(api.clusters.create, { body: cluster }, { token: console.admin }),
  )
}

/** Waits until no action is in progress; the cluster must then be in this state. */
export async function untilState(console: Console, id: string, state: ClusterState): Promise<CloudCluster> {
  const cluster = CloudCluster.parse(await console.settled(id))
  if (cluster.info.state !== state) {
    const logs = await Promise.all(
      ['plan', 'deploy', 'change', 'destroy'].map((type) =>
        console.must(api.clusters.logs, { id, type }, { token: console.admin }),
      ),
    )
    const tail = logs.flat().map(({ text }) => text)
    throw new Error(
      `the cluster is ${cluster.info.state}: ${cluster.info.cause}\n${tail.slice(-30).join('\n')}`,
    )
  }
  return cluster
}

/** The resources that exist in the simulated cloud. */
export const world = (console: Console, provider: ProviderId) =>
  listWorld(path.join(console.dataDir, 'simulated'), provider)
