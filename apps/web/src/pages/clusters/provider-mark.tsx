import { providerNames } from '@flotilla/contract/site/config'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { useConfig } from '../../api/config'
import { Badge } from '../../ui/status/badge'

const initials: Record<Cluster['provider'], string> = {
  local: 'own',
  aws: 'aws',
  azure: 'az',
  gcp: 'gcp',
  oracle: 'oci',
  maas: 'acm',
}

export const providerName = (provider: Cluster['provider']): string =>
  provider === 'local' ? 'Your machines' : providerNames[provider]

/** A short mark that distinguishes providers at a glance, without using their logos. */
export const ProviderMark = ({ provider }: { provider: Cluster['provider'] }) => (
  <span
    aria-hidden
    className="inline-flex h-5 min-w-8 shrink-0 items-center justify-center rounded-mark border border-line-2 bg-surface-3 px-1 font-mono text-label text-ink-2"
  >
    {initials[provider]}
  </span>
)

/** Whether a cluster is simulated: as recorded for a deployed cluster, otherwise as the site's cloud. */
function useIsSimulated(cluster: Cluster): boolean {
  const { simulated } = useConfig()
  if (cluster.provider === 'local') return false
  return cluster.machines.length > 0 ? cluster.simulated : simulated
}

export const SimulatedMark = ({ cluster }: { cluster: Cluster }) =>
  useIsSimulated(cluster) ? <Badge tone="amber">Simulated</Badge> : null
