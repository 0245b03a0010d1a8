import { countText } from '@flotilla/contract/count-text'
import { arrayTasks } from '@flotilla/contract/jobs/array'
import { limitText } from '@flotilla/contract/durations'
import { walltimeSeconds, type JobData } from '@flotilla/contract/jobs/jobs'

type Resources = Pick<JobData, 'nodes' | 'cores' | 'gpus' | 'walltime' | 'array'>

/** '2 × 8 cores', plus GPUs if any: the number of nodes and the resources per node. */
export function nodesText({ nodes, cores, gpus }: Pick<Resources, 'nodes' | 'cores' | 'gpus'>): string {
  const each = gpus > 0 ? `${countText(cores, 'core')} + ${countText(gpus, 'GPU')}` : countText(cores, 'core')
  return nodes === 1 ? each : `${nodes} × ${each}`
}

/** A wall time without zeros: '1 h', '30 min', '2 d 12 h'. */
export const walltimeText = (walltime: string): string => limitText(walltimeSeconds(walltime))

/** The total resources in one sentence. */
export function totalText(data: Resources): string {
  const tasks = arrayTasks(data.array) ?? 0
  const cores = countText(data.nodes * data.cores, 'core')
  const gpus = data.gpus > 0 ? ` and ${countText(data.nodes * data.gpus, 'GPU')}` : ''
  const where = data.nodes === 1 ? 'on one node' : `on ${data.nodes} nodes`
  const each = tasks > 0 ? `${countText(tasks, 'task')}, each with ` : ''
  return `${each}${cores}${gpus} ${where} for at most ${walltimeText(data.walltime)}`
}
