import type { Manager } from '@flotilla/contract/clusters/inputs'
import { previewBuiltin } from './builtin'
import type { Scheduler } from './scheduler'
import { slurm } from './slurm'
import { torque } from './torque'

/** The resource managers that are used through their commands. The built-in executor is created per spool. */
export const schedulers: Record<Exclude<Manager, 'none'>, Scheduler> = { slurm, torque }

export const schedulerFor = (manager: Manager): Pick<Scheduler, 'preview'> =>
  manager === 'none' ? { preview: previewBuiltin } : schedulers[manager]
