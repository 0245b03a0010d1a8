import type { Scheduler } from '../../../schedulers/scheduler'
import type { Transport } from '../../../transports/transport'

/** A connection to a cluster as one account: commands and files, and how its resource manager is spoken to. */
export type ClusterConnection = {
  /** Files, terminals and output, as the account. */
  transport: Transport
  /** Where the resource manager's commands run, when that is not as the account itself. */
  commands?: Transport
  scheduler: Scheduler
  account: string
  /** The account's home there. */
  home: string
  /** Refuses when people may not write more, because the console's own disk is nearly full. */
  requireRoom?: () => void
}
