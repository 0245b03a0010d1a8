import { CloudClusterInput, CloudInfo } from '@flotilla/contract/clusters/cloud'
import type { ProviderId } from '@flotilla/contract/site/config'
import { deploymentOf as productDeployment } from '../../../src/modules/clusters/cloud/workspace/deployment'
import { nodesAtDeploy } from '../../../src/modules/clusters/wanted-nodes'
import type { CloudCluster } from '../../../src/modules/clusters/stored-cluster'
import type { Catalog, Deployment } from '../../../src/providers/provider'

type Input = CloudClusterInput
interface Sample {
  osType: string
  head: string
  node: string
  network: Partial<Input['data']['network']>
}

/** Names that exist in each cloud. */
const samples: Record<ProviderId, Sample> = {
  aws: {
    osType: 'centos-7',
    head: 'c5n.9xlarge',
    node: 'c6gn.16xlarge',
    network: { region_id: 'us-east-1', zone_id: 'us-east-1a' },
  },
  azure: {
    osType: 'centos-7',
    head: 'Standard_DS3_v2',
    node: 'Standard_HC44rs',
    network: { region_id: 'eastus' },
  },
  gcp: {
    osType: 'rocky-9',
    head: 'n1-standard-8',
    node: 'n1-standard-96',
    network: { region_id: 'us-west1', zone_id: 'us-west1-a' },
  },
  oracle: {
    osType: 'ubuntu-22.04',
    head: 'VM.Standard.E4.Flex',
    node: 'BM.GPU4.8',
    network: { region_id: 'us-phoenix-1', availability_domain: 'PHX-AD-1' },
  },
  maas: { osType: 'centos-7', head: 'tag:compute', node: 'pool:default', network: {} },
}

/** A cluster of a provider with one node group and one disk. */
export const clusterOf = (provider: ProviderId): Input => {
  const { osType, head, node, network } = samples[provider]
  return CloudClusterInput.parse({
    name: 'One',
    provider,
    credential_id: '1',
    info: { 'os-type': osType, bursting: { burstOnDeploy: true } },
    data: {
      manager: 'slurm',
      network,
      server: { instance_id: head },
      node: { group: [{ instance_id: node, count: 2 }] },
      disks: provider === 'maas' ? [] : [{ name: 'data', size: 100 }],
    },
  })
}

/** The module input that the product derives from a cluster to deploy. */
export function deploymentOf(
  input: Input,
  catalog: Catalog | null = null,
  deployed: CloudCluster['deployed'] = null,
): Deployment {
  const row = {
    id: '7',
    name: input.name,
    description: input.description,
    provider: input.provider,
    data: input.data,
    info: CloudInfo.parse(input.info),
    stack_id: input.stack_id,
    up_nodes: [],
    deployed,
    plan: null,
    sealed_activation_key: null,
    public_key: 'ssh-ed25519 AAAA console',
  }
  return productDeployment({
    // The product does not read the other columns here.
    cluster: { ...row, up_nodes: nodesAtDeploy(row) } as unknown as CloudCluster,
    catalog,
    image:
      input.stack_id === null
        ? null
        : {
            id: `image-${input.stack_id}`,
            headId: `head-${input.stack_id}`,
            manager: 'slurm',
            region: '',
            plan: null,
          },
    torqueSource: null,
    secrets: {
      passphrase: 'p'.repeat(32),
      joinKey: 'k'.repeat(48),
      rhelActivationKey: input.data.rhel_activation_key,
    },
  })
}
