import type { QuotaRow } from '@flotilla/contract/clusters/quota'
import type { ProviderId } from '@flotilla/contract/site/config'
import { attachedTo } from '../../../../providers/accelerators'
import { explain, redactFor } from '../../../../providers/explain'
import type { CredentialData } from '../../../../providers/fields/credential-data'
import type { Catalog, Driver, WantedMachine } from '../../../../providers/provider'
import { compareQuotas, type Need } from '../../../../providers/quota/compare'
import { quotaRights, type CountedMachine, type Quotas } from '../../../../providers/quota/quota'
import { cloudProviders } from '../../../../providers/registry'
import { within } from '../../../../timing/within'
import type { CloudCluster } from '../../stored-cluster'
import { everyNode } from '../../wanted-nodes'
import { capacityOf } from './deployment'

/** How much longer a plan waits for the quotas than for the engine. */
const TIMEOUT_MS = 5000

type QuotaRequest = {
  cluster: CloudCluster
  catalog: Catalog | null
  driver: Driver
  credential: CredentialData
  /** The names of the nodes that come up at once. */
  up: string[]
  /** The number of new clusters like it. */
  copies?: number
}
type Part = Omit<Need, 'takes'> & { machine?: CountedMachine; of?: 'address' | 'network' }

/**
 * Compares what the cluster needs with what its account may still create. The query starts at once; `rows` waits for it
 * only a few seconds and never fails, as the cluster can be deployed even if the cloud does not report its quotas.
 */
export function checkQuotas(requested: QuotaRequest): { rows(timeoutMs?: number): Promise<QuotaRow[]> } {
  const { cluster, driver, credential } = requested
  const parts = partsOf(requested)
  const machines = parts.flatMap(({ machine }) => (machine && machine.cores > 0 ? machine : []))
  const { zone_id, availability_domain, zone_name } = cluster.data.network
  const zone = availability_domain || zone_id || zone_name
  const isNeeded = parts.length > 0 && driver.quotas !== undefined
  const answer = isNeeded ? attempt(() => driver.quotas?.(machines, zone)) : undefined
  return {
    async rows(timeoutMs = TIMEOUT_MS) {
      if (!answer) return []
      const found = await within(timeoutMs, answer, () => TOO_LATE)
      return found && 'quotas' in found
        ? compareQuotas(found.quotas, needsOf(parts, found))
        : unknownRows(parts, failureText(cluster.provider, credential, found?.error))
    },
  }
}

const NO_SUCH_SIZE = 'This size is not in the catalog, so its vCPUs are unknown.'
const TOO_LATE = { error: Object.assign(new Error('no response'), { code: 'ETIMEDOUT' }) }
const attempt = async (
  work: () => Promise<Quotas> | undefined,
): Promise<Quotas | { error: unknown } | undefined> => {
  try {
    return await work()
  } catch (error) {
    return { error }
  }
}

function failureText(provider: ProviderId, credential: CredentialData, error: unknown): string {
  const { name, authentications } = cloudProviders[provider]
  const { kind, message } = explain(name, error, redactFor(authentications, credential))
  if (error === TOO_LATE.error) return `${name} did not report its quotas in time.`
  return kind === 'rights' ? `${message} Reading quotas needs ${quotaRights[provider].join(', ')}.` : message
}

const unknownRows = (parts: Part[], text: string): QuotaRow[] =>
  parts.map(({ what, size }) => ({ what, size, state: 'unknown', text, link: null }))

const needsOf = (parts: Part[], { machines, ...beside }: Quotas): Need[] => {
  const takes = machines.values()
  return parts.flatMap(({ machine, of, ...part }) => {
    const found = machine ? (machine.cores > 0 ? takes.next().value : NO_SUCH_SIZE) : of && beside[of]
    return found === undefined ? [] : [{ ...part, takes: found }]
  })
}

/** The head node, each group, and what the network needs, without what exists already. */
function partsOf({ cluster, catalog, up, copies = 1 }: QuotaRequest): Part[] {
  const { data, deployed } = cluster
  const exist = new Set(
    deployed?.machines.filter(({ vanishedAt }) => vanishedAt === undefined).map(({ name }) => name),
  )
  const hasHead = deployed?.machines.some(({ role, name }) => role === 'head' && exist.has(name)) ?? false
  const counted = (
    machine: WantedMachine,
    settings: typeof data.server | typeof data.node,
  ): CountedMachine => {
    const { instance_id, ocpus, mem, spot } = machine
    const attached = attachedTo(settings, instance_id)
    const { cores, gpus, gpuModel } = capacityOf(catalog, machine, attached)
    const accelerator = attached > 0 ? settings.accelerator_type : ''
    const listed =
      cluster.provider === 'maas' || catalog?.sizes.some((one) => one.instance_id === instance_id)
    return { instance_id, ocpus, mem, spot, cores: listed ? cores : 0, gpus, gpuModel, accelerator }
  }
  const plain = { efa: false, spot: false, gpu_partition_mode: '', compact: false, tier1: false, rdma: false }
  const head = { ...data.server, ...plain, name: '', group: 0 }
  const nodes = everyNode(cluster).filter(({ name }) => !exist.has(name))
  const groups = data.node.group.map((group, index): Part => {
    const mine = nodes.filter((node) => node.group === index)
    const [machine = { ...head, ...group, name: '', group: index }] = mine
    return {
      what: group.group_node_prefix || `Group ${index + 1}`,
      size: group.instance_id,
      unit: 'node',
      machine: counted(machine, data.node),
      atOnce: mine.filter(({ name }) => up.includes(name)).length * copies,
      atMost: mine.length * copies,
    }
  })
  const once = (count: number) => ({ atOnce: count * copies, atMost: count * copies, size: '' })
  const parts: Part[] = [
    {
      ...once(hasHead ? 0 : 1),
      what: copies === 1 ? 'Head node' : 'Head nodes',
      size: data.server.instance_id,
      unit: 'head node',
      machine: counted(head, data.server),
    },
    ...groups,
    {
      ...once(deployed ? 0 : addressesOf(cluster)),
      what: 'Public addresses',
      unit: 'address',
      of: 'address',
    },
    { ...once(deployed || hasNetwork(cluster) ? 0 : 1), what: 'Network', unit: 'network', of: 'network' },
  ]
  return parts.filter(({ atMost }) => atMost > 0)
}

const hasNetwork = ({ data: { network } }: CloudCluster): boolean =>
  [network.vpc_id, network.vcn_id, network.network_id, network.subnet_id].some((one) => one !== '')
/** The number of addresses: for the head node and, on AWS and Azure, for the gateway of a network that is created. */
const addressesOf = (cluster: CloudCluster): number => {
  const { server, network } = cluster.data
  const head = server.isPrivate || network.eip_id || network.fip_address ? 0 : 1
  const gateway = ['aws', 'azure'].includes(cluster.provider) && !hasNetwork(cluster) ? 1 : 0
  return head + gateway
}
