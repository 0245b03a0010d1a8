import { useConfig } from '../../api/config'
import { Badge } from '../../ui/badge'

/** A simulated cloud is always labeled as such. */
export function SimulatedLabel() {
  return useConfig().simulated ? <Badge tone="amber">Simulated cloud</Badge> : null
}
