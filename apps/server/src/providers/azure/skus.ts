import * as z from 'zod/mini'
import type { InstanceSize } from '@flotilla/contract/clouds/providers'
import type { Clients } from './clients'

const SKUS = '2021-07-01'

const Sku = z.object({
  resourceType: z.string(),
  name: z._default(z.string(), ''),
  family: z._default(z.string(), ''),
  capabilities: z._default(z.nullable(z.array(z.object({ name: z.string(), value: z.string() }))), []),
  restrictions: z._default(
    z.nullable(z.array(z.object({ type: z.optional(z.string()), reasonCode: z.optional(z.string()) }))),
    [],
  ),
})

export interface MachineSku {
  name: string
  /** The name that quotas use: standardDSv3Family. */
  family: string
  capabilities: Record<string, string>
  /** Whether this subscription may not use the size anywhere in the region. */
  restricted: boolean
}

/** The machine sizes in a region that Azure reports for this subscription. */
export async function machineSkus({ arm, subscription }: Clients, region: string): Promise<MachineSku[]> {
  const path = `${subscription}/providers/Microsoft.Compute/skus`
  const all = await arm.list(Sku, path, SKUS, `location eq '${region}'`)
  return all
    .filter(({ resourceType, name }) => resourceType === 'virtualMachines' && name !== '')
    .map(({ name, family, capabilities, restrictions }) => ({
      name,
      family,
      capabilities: Object.fromEntries((capabilities ?? []).map((one) => [one.name, one.value])),
      restricted: (restrictions ?? []).some(({ type }) => type === 'Location'),
    }))
}

/** The sizes that support our second-generation images. Azure reports neither GPU models nor prices here. */
export async function sizes(clients: Clients, region: string) {
  const found = (await machineSkus(clients, region)).flatMap(({ name, capabilities }): InstanceSize[] => {
    const {
      vCPUs,
      vCPUsAvailable,
      MemoryGB,
      GPUs,
      CpuArchitectureType,
      HyperVGenerations = 'V2',
    } = capabilities
    const cores = Number(vCPUsAvailable ?? vCPUs)
    if (!(cores > 0) || !HyperVGenerations.includes('V2')) return []
    const gpus = Math.floor(Number(GPUs ?? 0))
    return [
      {
        name,
        instance_id: name,
        cores,
        ...(Number(MemoryGB) > 0 && { memory: Number(MemoryGB) }),
        ...(gpus > 0 && { gpus }),
        arch: CpuArchitectureType === 'Arm64' ? 'arm64' : 'x86_64',
      },
    ]
  })
  return {
    sizes: found.toSorted((a, b) => a.instance_id.localeCompare(b.instance_id, 'en', { numeric: true })),
    prices: {},
    source: 'Azure: resource SKUs',
  }
}
