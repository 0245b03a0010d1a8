import { eitherText } from '@flotilla/contract/count-text'
import { EngineError } from '../../../../engines/engine'
import type { Catalog } from '../../../../providers/provider'
import { cloudProviders } from '../../../../providers/registry'
import { similarSizes } from '../../../../providers/sizes'
import type { RunContext } from '../../../runs/runs'
import type { CloudCluster } from '../../stored-cluster'
import { everyNode } from '../../wanted-nodes'

const TRIES = 4
type Situation = { cluster: CloudCluster; catalog: Catalog | null; waitMs: number; run: RunContext }

/**
 * Retries while the cloud has no capacity for a machine: a few minutes later it often does. The clouds' own retries,
 * which no one sees, are kept short for this.
 */
export async function retryCapacity(
  { cluster, catalog, waitMs, run }: Situation,
  work: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const text = error instanceof EngineError && shortageIn(cluster, error)
      if (!text) throw error
      if (attempt === TRIES || error.code === 'unsupported') throw explained(cluster, catalog, error, text)
      const wait = waitMs * 2 ** (attempt - 1)
      run.log(`${text}, try ${attempt + 1} of ${TRIES} in ${Math.ceil(wait / 1000)} s`, 'warning')
      await run.pause(wait)
    }
  }
}

const placeOf = ({ data: { network } }: CloudCluster): string =>
  network.zone_id || network.availability_domain || network.region_id

/** The sizes of the machines that the failure is about. */
function sizesIn(cluster: CloudCluster, { addresses }: EngineError): string[] {
  const nodes = new Map(everyNode(cluster).map(({ name, instance_id }) => [name, instance_id]))
  const sizes = addresses.map((address) => {
    const [, key] = /\["(.+)"\]$/.exec(address) ?? []
    return key === undefined ? cluster.data.server.instance_id : nodes.get(key)
  })
  return [...new Set(sizes.filter((size) => size !== undefined && size !== ''))] as string[]
}

/** What the cloud has no capacity for: the size and zone; null if something else failed. */
function shortageIn(cluster: CloudCluster, error: EngineError): string | null {
  const cloud = cloudProviders[cluster.provider].name
  if (error.code === 'throttled') return `${cloud} is rate limiting requests`
  if (error.code !== 'capacity' && error.code !== 'unsupported') return null
  const size = sizesIn(cluster, error).join(', ') || 'machines of this kind'
  const place = placeOf(cluster) && ` in ${placeOf(cluster)}`
  return error.code === 'unsupported'
    ? `${cloud} does not offer ${size}${place}`
    : `${cloud} has no capacity for ${size}${place}`
}

/** The failure, with sizes and zones to use instead. */
function explained(
  cluster: CloudCluster,
  catalog: Catalog | null,
  error: EngineError,
  text: string,
): EngineError {
  const { code, details, addresses } = error
  if (code === 'throttled') return error
  const [size = ''] = sizesIn(cluster, error)
  const { region_id } = cluster.data.network
  const zones = catalog?.regions.find((region) => region.region_id === region_id)?.zones ?? []
  const others = zones.map(({ zone_id }) => zone_id).filter((zone) => zone !== placeOf(cluster))
  const sizes = similarSizes(catalog, size)
  const another = sizes.length > 0 ? `another size, such as ${eitherText(sizes)}` : 'another size'
  const advice = [
    `${code === 'capacity' ? 'Try again later, or choose' : 'Choose'} ${another}.`,
    // Existing resources cannot move.
    others.length > 0 && `To use another zone (${others.join(', ')}), destroy the cluster first.`,
  ]
  return new EngineError(code, `${text}.`, {
    details,
    addresses,
    advice: advice.filter(Boolean).join(' '),
  })
}
