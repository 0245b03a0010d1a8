import { bounded, readBounded, tooMany } from '../bounds'
import { SchedulerError } from '../error'
import type { NodeInfo } from '../scheduler'
import { nodeState } from './nodes-state'
import { gpus, text } from './values'

/*
 * Slurm's JSON of all versions since 22.05: later versions have lists of words and objects `{ set, infinite, number }`
 * where 22.05 has single words and numbers.
 */

/** Three characters of JSON can be an object, which takes twenty times as much memory. */
const LONGEST = 16 * 1024 * 1024

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isJson = (output: string): boolean => output.trimStart().startsWith('{')

const words = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((word) => typeof word === 'string')

const word = (value: unknown): string => words(value).join()

/** Slurm's largest numbers mean that there is no value. */
function number(value: unknown): number | undefined {
  const given = isObject(value)
    ? value.set === false || value.infinite === true
      ? undefined
      : value.number
    : value
  return typeof given === 'number' && given >= 0 && given < 0xffff_fffd ? given : undefined
}

function list(output: string, key: 'jobs' | 'nodes'): Json[] {
  try {
    if (output.length > LONGEST) throw tooMany(key)
    const all: unknown = JSON.parse(output)
    const found = isObject(all) ? all[key] : undefined
    if (Array.isArray(found)) return [...bounded(key, found.filter(isObject))]
  } catch (error) {
    if (error instanceof SchedulerError) throw error
    // Invalid JSON is reported below.
  }
  throw new SchedulerError(
    'unknown',
    `Slurm’s output contains no list of ${key}. Check its version.`,
    output.slice(0, 500),
  )
}

/** Each job in the fields of `squeue -O`, for the same parser. */
export const jobsAsFields = (output: string): string[][] =>
  list(output, 'jobs').map((job) => {
    const [array, task, tasks] = [
      number(job.array_job_id),
      number(job.array_task_id),
      word(job.array_task_string),
    ]
    const seconds = (value: unknown) => String(number(value) ?? '')
    return [
      array ? `${array}_${tasks ? `[${tasks}]` : task}` : String(number(job.job_id)),
      word(job.job_state),
      word(job.state_reason),
      exit(job.exit_code),
      word(job.user_name),
      word(job.partition),
      word(job.account),
      seconds(job.node_count),
      seconds(job.cpus),
      seconds(job.tasks),
      word(job.tres_per_node),
      word(job.tres_per_job),
      word(job.tres_per_task),
      word(job.nodes),
      seconds(job.submit_time),
      seconds(job.start_time),
      seconds(job.end_time),
      minutes(number(job.time_limit)),
      word(job.name),
      word(job.comment),
      word(job.current_working_directory),
    ]
  })

const minutes = (limit: number | undefined) => (limit === undefined ? 'UNLIMITED' : `${limit}:00`)

function exit(value: unknown): string {
  if (!isObject(value) || !isObject(value.signal)) return String(number(value) ?? 0)
  return `${number(value.return_code) ?? 0}:${number(value.signal.id) ?? 0}`
}

export const nodesFromJson = (output: string): NodeInfo[] =>
  readBounded('nodes', list(output, 'nodes'), (node) => {
    const native = [...words(node.state), ...words(node.state_flags)].map((each) => each.toUpperCase())
    const load = number(node.cpu_load)
    return {
      name: word(node.name),
      ...nodeState(native),
      nativeState: native.join('+'),
      cores: number(node.cpus) ?? 0,
      coresUsed: number(node.alloc_cpus) ?? 0,
      gpus: gpus(word(node.gres)),
      gpusUsed: gpus(word(node.gres_used)),
      memoryMb: number(node.real_memory) ?? 0,
      memoryFreeMb: number(node.free_mem ?? node.free_memory),
      load: load === undefined ? undefined : load / 100,
      partitions: words(node.partitions),
      reason: text(word(node.reason)) ?? '',
    }
  })
