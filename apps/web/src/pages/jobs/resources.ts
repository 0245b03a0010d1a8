import { walltimeSeconds, type JobData } from '@flotilla/contract/jobs'

type Resources = Pick<JobData, 'nodes' | 'cores' | 'gpus' | 'walltime' | 'array'>

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`

/** '2 × 8 cores', with GPUs where there are any: nodes first, then what each gives. */
export function nodesText({ nodes, cores, gpus }: Pick<Resources, 'nodes' | 'cores' | 'gpus'>): string {
  const each = gpus > 0 ? `${count(cores, 'core')} + ${count(gpus, 'GPU')}` : count(cores, 'core')
  return nodes === 1 ? each : `${nodes} × ${each}`
}

/** '1 h', '30 min', '2 d 12 h': a wall time without its zeros. */
export function walltimeText(walltime: string): string {
  const seconds = walltimeSeconds(walltime)
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  return parts
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ')
}

/** How many tasks an array such as 1-10,15 has; 0 for a single job. */
export const arrayTasks = (array: string): number =>
  array === ''
    ? 0
    : array.split(',').reduce((sum, part) => {
        const [first = 0, last = first] = part.split('-').map(Number)
        return sum + Math.max(0, last - first + 1)
      }, 0)

/** All of it in a sentence. */
export function totalText(data: Resources): string {
  const tasks = arrayTasks(data.array)
  const cores = count(data.nodes * data.cores, 'core')
  const gpus = data.gpus > 0 ? ` and ${count(data.nodes * data.gpus, 'GPU')}` : ''
  const where = data.nodes === 1 ? 'on one node' : `on ${data.nodes} nodes`
  const each = tasks > 0 ? `${count(tasks, 'task')}, each with ` : ''
  return `${each}${cores}${gpus} ${where} for at most ${walltimeText(data.walltime) || data.walltime}`
}
