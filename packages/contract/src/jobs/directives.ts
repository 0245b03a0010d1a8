import { managerNames, type Manager } from '../clusters/inputs'
import { arrayTasks } from './array'
import type { JobData } from './jobs'

type WithDirectives = Exclude<Manager, 'none'>
export const directivePrefixes: Record<WithDirectives, string> = { slurm: '#SBATCH', torque: '#PBS' }
const readers = Object.keys(directivePrefixes) as WithDirectives[]

interface DirectiveLine {
  /** From 1, as in editors. */
  line: number
  text: string
  /** Whether it is below the first command, where resource managers no longer read directives. */
  tooLate: boolean
}

/** The directives of a script that are written for one resource manager. */
export function directiveLines(script: string, manager: WithDirectives): DirectiveLine[] {
  const lines = script.split(/\r\n?|\n/)
  const command = lines.findIndex((line) => /^\s*[^#\s]/.test(line))
  return lines.flatMap((text, index) =>
    text === directivePrefixes[manager] || new RegExp(`^${directivePrefixes[manager]}\\s`).test(text)
      ? [{ line: index + 1, text, tooLate: command !== -1 && index > command }]
      : [],
  )
}

/**
 * An option of a directive: `--time=5`, `-t 5` and `-t5` all have the name `time` or `t`; each resource of Torque's `-l
 * a=1,b=2` is an option of its own.
 */
interface Option {
  name: string
  text: string
}

const words = (text: string): string[] => {
  const all = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  const comment = all.findIndex((word) => word.startsWith('#'))
  return comment === -1 ? all : all.slice(0, comment)
}

function optionsOf({ text }: DirectiveLine, manager: WithDirectives): Option[] {
  const found: Option[] = []
  for (const word of words(text.slice(directivePrefixes[manager].length))) {
    const last = found.at(-1)
    // A word without a leading dash is the value of the preceding option.
    if (!word.startsWith('-')) {
      if (last) last.text += ` ${word}`
    } else if (word.startsWith('--')) found.push({ name: /^--([^=]*)/.exec(word)?.[1] ?? '', text: word })
    else found.push({ name: word.slice(1, 2), text: word })
  }
  return manager === 'torque' ? found.flatMap(resources) : found
}

function resources(option: Option): Option[] {
  if (option.name !== 'l') return [option]
  return option.text
    .replace(/^-l\s*/, '')
    .split(',')
    .map((part) => ({ name: `l ${/^[^=]*/.exec(part)?.[0] ?? ''}`, text: `-l ${part}` }))
}

/**
 * The values of a Torque option of one letter in the script's own directives, in order and without the outer quotes.
 */
export const torqueValues = (script: string, letter: string): string[] =>
  directiveLines(script, 'torque')
    .filter(({ tooLate }) => !tooLate)
    .flatMap((line) => optionsOf(line, 'torque'))
    .filter(({ name }) => name === letter)
    .map(({ text }) => unquoted(text.slice(2).trim()))

/** Removes quotes as qsub does: nested quotes remain, for example around a value with a comma. */
const unquoted = (text: string): string => text.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2')

const arrayOptions: Record<WithDirectives, string[]> = { slurm: ['array', 'a'], torque: ['t'] }
/**
 * The array tasks that the script's own directives set, for use if the form sets none; empty if there are none or they
 * cannot be parsed.
 */
export function scriptArray(script: string, manager: Manager): string {
  if (manager === 'none') return ''
  const directive = directiveLines(script, manager)
    .filter(({ tooLate }) => !tooLate)
    .flatMap((line) => optionsOf(line, manager))
    .findLast(({ name }) => arrayOptions[manager].includes(name))
  const text = unquoted(directive?.text.replace(/^(--array[=\s]?|-\w)\s*/, '') ?? '')
  return arrayTasks(text) ? text : ''
}

interface Filled {
  name: string
  data: Pick<JobData, 'nodes' | 'cores' | 'gpus' | 'walltime' | 'array'>
}
/** What applies instead of a directive, or null if the form leaves it to the script. */
type Instead = (job: Filled) => string | null

const name: Instead = (job) => `the form sets the name to ${job.name.trim() || 'job'}`
const nodes: Instead = ({ data }) => `the form sets the number of nodes to ${data.nodes}`
const cores: Instead = ({ data }) => `the form sets the number of cores per node to ${data.cores}`
const gpus: Instead = ({ data }) =>
  data.gpus ? `the form sets the number of GPUs per node to ${data.gpus}` : null
const places: Instead = ({ data }) =>
  `the form sets nodes=${data.nodes}:ppn=${data.cores}${data.gpus ? `:gpus=${data.gpus}` : ''}`
const walltime: Instead = ({ data }) => `the form sets the wall time to ${data.walltime}`
const array: Instead = ({ data }) => (data.array ? `the form sets the array tasks to ${data.array}` : null)
const folder: Instead = () => 'each submission gets its own folder'
const output: Instead = () => 'the output goes to the submission’s own file'
const errors: Instead = () => 'errors go to the same file as the output'
const mark: Instead = () => 'the console uses it to find the submission again'

/** Options that the console passes to the submit command, which override the script's directives. */
const overruling: Record<WithDirectives, Record<string, Instead>> = {
  slurm: {
    'job-name': name,
    J: name,
    nodes,
    N: nodes,
    'ntasks-per-node': cores,
    'gpus-per-node': gpus,
    time: walltime,
    t: walltime,
    array,
    a: array,
    chdir: folder,
    D: folder,
    output,
    o: output,
    'open-mode': output,
    comment: mark,
  },
  torque: {
    N: name,
    'l nodes': places,
    'l walltime': walltime,
    t: array,
    d: folder,
    w: folder,
    o: output,
    e: errors,
    j: errors,
    k: output,
  },
}
/** Set if the cluster was added with a partition or queue, otherwise left to the script. */
const ofCluster: Record<WithDirectives, Record<string, string>> = {
  slurm: { partition: 'partition', p: 'partition' },
  torque: { q: 'queue' },
}

/** Which of the directives written for this resource manager apply, and what applies instead of the others. */
function ownDirectives(job: Filled, script: string, manager: WithDirectives): string[] {
  const notes: string[] = []
  const counting: string[] = []
  for (const line of directiveLines(script, manager)) {
    const where = `Line ${line.line}`
    if (line.tooLate) {
      notes.push(`${where}, ${line.text.trim()}, has no effect: it comes after the first command.`)
      continue
    }
    for (const option of optionsOf(line, manager)) {
      const instead = overruling[manager][option.name]?.(job)
      const kind = ofCluster[manager][option.name]
      if (instead) notes.push(`${where}, ${option.text}, has no effect: ${instead}.`)
      else if (kind)
        notes.push(`${where}, ${option.text}, takes effect only on clusters without a default ${kind}.`)
      else counting.push(`${option.text} (line ${line.line})`)
    }
  }
  if (counting.length)
    notes.push(`Not set by the form, so it takes effect as written: ${counting.join(', ')}.`)
  return notes
}

/** All notes on the directives of a script that this resource manager runs. */
export function directiveNotes(job: Filled, script: string, manager: Manager): string[] {
  const foreign = readers.filter((each) => each !== manager).map((each) => ignored(script, each, manager))
  return [
    ...(manager === 'none' ? [] : ownDirectives(job, script, manager)),
    ...foreign.filter((note) => note !== null),
  ]
}

function ignored(script: string, writtenFor: WithDirectives, manager: Manager): string | null {
  const lines = directiveLines(script, writtenFor).map(({ line }) => String(line))
  if (!lines.length) return null
  const who = manager === 'none' ? 'the built-in executor' : managerNames[manager]
  const [only] = lines
  return lines.length === 1
    ? `Line ${only} is a ${directivePrefixes[writtenFor]} line, which ${who} ignores.`
    : `Lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)} are ${directivePrefixes[writtenFor]} lines, which ${who} ignores.`
}

/**
 * The notes if it is not known yet which resource manager runs the script: each kind of directives as its own manager
 * reads them.
 */
export const scriptNotes = (job: Filled, script: string): string[] =>
  readers.flatMap((manager) => {
    if (!directiveLines(script, manager).length) return []
    return [
      ...ownDirectives(job, script, manager),
      `Only ${managerNames[manager]} reads ${directivePrefixes[manager]} lines; other clusters ignore them.`,
    ]
  })
