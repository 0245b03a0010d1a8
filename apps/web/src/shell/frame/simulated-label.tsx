import { useConfig } from '../../api/config'
import { Badge } from '../../ui/badge'

/** A simulated cloud never poses as a real one. */
export function SimulatedLabel() {
  return useConfig().simulated ? <Badge tone="amber">Simulated cloud</Badge> : null
}
