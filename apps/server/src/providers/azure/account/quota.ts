import * as z from 'zod/mini'
import type { DriverOptions } from '../../provider'
import type { CountedMachine, Quota, Quotas, Takes } from '../../quota/quota'
import type { Clients } from '../clients'
import { NETWORKS } from '../kinds'
import { machineSkus, type MachineSku } from '../skus'

const USAGES = '2024-07-01'
const LINK = 'https://portal.azure.com/#view/Microsoft_Azure_Capacity/QuotaMenuBlade/~/myQuotas'

/** Azure's ids of the quotas that are not of a family. */
const REGION = 'cores'
const SPOT = 'lowPriorityCores'
export const ADDRESSES = 'PublicIPAddresses'
export const NETWORK = 'VirtualNetworks'

const Usage = z.object({
  limit: z.number(),
  currentValue: z.number(),
  name: z.object({ value: z.string(), localizedValue: z._default(z.string(), '') }),
})

/** What a machine uses: the regional quota and that of its family, or only the spot quota. */
export function quotaUseOf(
  { instance_id, cores, spot }: CountedMachine,
  skus: Map<string, Pick<MachineSku, 'family' | 'restricted' | 'capabilities'>>,
): Takes {
  const sku = skus.get(instance_id.toLowerCase())
  if (!sku || sku.restricted) return `This subscription cannot use ${instance_id} in the region.`
  // vCPUs that a constrained size leaves unused also count.
  const counted = Number(sku.capabilities.vCPUs ?? cores)
  return spot ? { [SPOT]: counted } : { [REGION]: counted, [sku.family.toLowerCase()]: counted }
}

export const makeQuotas =
  (clients: Clients, { region }: DriverOptions) =>
  async (machines: CountedMachine[]): Promise<Quotas> => {
    const { arm, subscription } = clients
    const usages = (service: string, version: string) =>
      arm.list(Usage, `${subscription}/providers/${service}/locations/${region}/usages`, version)
    const [compute, network, skus] = await Promise.all([
      usages('Microsoft.Compute', USAGES),
      usages('Microsoft.Network', NETWORKS),
      machineSkus(clients, region),
    ])
    const byName = new Map(skus.map((sku) => [sku.name.toLowerCase(), sku]))
    const read = (list: z.infer<typeof Usage>[], unit: (id: string) => string): [string, Quota][] =>
      list.map(({ name, limit, currentValue }) => [
        idOf(name.value),
        {
          name: name.localizedValue || name.value,
          unit: unit(name.value),
          limit,
          used: currentValue,
          link: LINK,
        },
      ])
    return {
      quotas: Object.fromEntries([
        ...read(compute, () => 'vCPUs'),
        ...read(network, (id) => (id === ADDRESSES ? 'addresses' : 'networks')),
      ]),
      machines: machines.map((machine) => quotaUseOf(machine, byName)),
      address: { [ADDRESSES]: 1 },
      network: { [NETWORK]: 1 },
    }
  }

/** The list of sizes has family names in other case. */
const idOf = (name: string) => (/family$/i.test(name) ? name.toLowerCase() : name)
