import type { ServerConfig } from '../../../../config'
import type { EngineProgram } from '../../../../engines/engine'
import { findTofu, simulatedProgram } from '../../../../engines/tofu/find'
import { NOT_BILLED } from '../../../../providers/price'
import { simulatedFolder } from '../../../clouds/clouds'

/** How a server that works in real clouds and one that simulates them differ. */
export type CloudMode = {
  engine(): Promise<EngineProgram>
  /** Shown with every price. */
  priceNote: string | null
  /** How long clouds keep listing deleted resources. */
  listsDeletedMs: number
  /** How long to wait before asking again for a machine that the cloud does not have; longer each time. */
  capacityWaitMs: number
}

/** `simulatedCloud` is the program that implements the simulated cloud. */
export function cloudMode(config: ServerConfig, simulatedCloud: string): CloudMode {
  const { env } = process
  const dir = simulatedFolder(config.dataDir)
  return config.simulated
    ? {
        engine: async () => simulatedProgram({ file: simulatedCloud, dir, env }),
        priceNote: NOT_BILLED,
        listsDeletedMs: 0,
        capacityWaitMs: 2000 * Number(env.SIMULATED_CLOUD_PACE ?? 1),
      }
    : {
        engine: () => findTofu({ tofuBin: config.tofuBin, env }),
        priceNote: null,
        listsDeletedMs: 60_000,
        capacityWaitMs: 30_000,
      }
}
