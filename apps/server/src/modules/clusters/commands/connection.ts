import type { Scheduler } from '../../../schedulers/scheduler'
import type { Transport } from '../../../transports/transport'

/** A connection to a cluster as one account: commands, files, and its resource manager. */
export type ClusterConnection = {
  /** Files, terminals and output, as the account. */
  transport: Transport
  /** Where the resource manager's commands run, if not as the account itself. */
  commands?: Transport
  scheduler: Scheduler
  account: string
  /** The account's home directory on the cluster. */
  home: string
  /** Fails if people may not write more because the console's own disk is nearly full. */
  requireRoom?: () => void
}
