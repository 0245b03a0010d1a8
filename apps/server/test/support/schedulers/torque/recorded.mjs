/* The recorded output of a real Torque 6.1, adapted to the jobs of the caller. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

const read = (name) => readFileSync(path.join(import.meta.dirname, 'recordings', name), 'utf8')

const commands = read('commands-and-errors.txt') + read('second-site/commands-and-errors.txt')

/** The output and exit code of a recorded command line. */
export function recorded(command) {
  const [, text = '', code = ''] =
    new RegExp(`^\\w+[$#] ${command.replace(/[.[\]]/g, '\\$&')}\\n([\\s\\S]*?)\\[rc=(\\d+)\\]$`, 'm').exec(
      commands,
    ) ?? []
  if (!code) throw new Error(`not among the recordings: ${command}`)
  return { code: Number(code), text }
}

/** The last recorded state of each job by name, running or ended. */
const jobs = {}
for (const file of ['qstat-f-x.xml', 'qstat-f-x-after.xml', 'qstat-f-x-canceled.xml', 'qstat-f-x-exit3.xml'])
  for (const [xml] of read(file).matchAll(/<Job>.*?<\/Job>/gs))
    jobs[/<Job_Name>(.*?)</.exec(xml)?.[1] ?? ''] = xml

export const template = {
  trace: read('tracejob.txt'),
  nodes: Array.from(
    read('pbsnodes-x.xml').matchAll(/<Node><name>(.*?)<\/name>.*?<\/Node>/gs),
    ([xml, name]) => ({ xml, name }),
  ),
}

/** The output of `qstat -B -f`. */
export const serverText = ({ queryOtherJobs }) =>
  queryOtherJobs
    ? read('qstat-B-f.txt').replace('    default_queue', '    query_other_jobs = True\n    default_queue')
    : read('qstat-B-f.txt')

const set = (xml, name, value) => {
  const element = new RegExp(`<${name}>.*?</${name}>`, 's')
  if (value === undefined) return xml.replace(element, '')
  const text = value.replace(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[sign],
  )
  const made = `<${name}>${text}</${name}>`
  // A replacement function, as the text may contain a $.
  return element.test(xml) ? xml.replace(element, () => made) : xml.replace('</Job>', () => `${made}</Job>`)
}

/** Elements that a job has only once it has started or ended, according to the recordings. */
const fromStart = ['exec_host', 'exec_gpus', 'session_id', 'start_time', 'resources_used', 'start_count']
const fromEnd = ['exit_status', 'comp_time', 'total_runtime']

function oneJob(job, task) {
  const state = job.held ? 'H' : job.steps[job.step]
  const id = `${job.number}${task ? `[${task}]` : ''}.head`
  let xml = jobs[job.kind]
  const put = (name, value) => (xml = set(xml, name, value))
  put('Job_Id', id)
  put('Job_Owner', `${job.owner}@head`)
  put('euser', job.owner)
  put('Job_Name', task ? `${job.given.N}-${task}` : job.given.N)
  put('job_state', state)
  if (task) {
    put('job_array_request', undefined)
    put('job_array_id', task)
    put('exec_host', ['', 'tn02/2', 'tn02/3', 'tn01/1'][Number(task)])
  }
  const waits = state === 'Q' || state === 'H'
  const neverRan = waits || (job.deleted && !job.ran)
  if (neverRan) for (const name of [...fromStart, ...fromEnd]) put(name, undefined)
  if (state === 'R') for (const name of fromEnd) put(name, undefined)
  if (state !== 'R') put('Walltime', undefined)
  put('Hold_Types', state === 'H' ? 'u' : 'n')
  put(
    'comment',
    waits
      ? 'Not Running: Not enough of the right type of nodes are available'
      : 'Job started on Sun Nov 15 at 03:08',
  )
  xml = xml.replace(/(<Resource_List>.*?<walltime>)[^<]*/s, `$1${job.limit}`)
  for (const name of ['ctime', 'qtime', 'etime', 'mtime']) put(name, String(job.submitted))
  if (!neverRan) put('start_time', String(job.submitted))
  if (state === 'C') {
    put('comp_time', String(job.submitted + 1))
    // A job deleted before it ran has no exit status; deleted while it ran, that of the signal; timed out, -11.
    if (job.deleted) put('exit_status', job.ran ? '271' : undefined)
    else if (job.overdue) put('exit_status', '-11')
  }
  const { d, o, e, j, v } = job.given
  put('Output_Path', `head:${o}${task ? `-${task}` : ''}`)
  put('Error_Path', `head:${e ?? o}${task ? `-${task}` : ''}`)
  put('Join_Path', j ?? 'n')
  put('init_work_dir', d)
  return xml.replace('<Variable_List>', () => `<Variable_List>${v},`)
}

export const jobXml = (job) =>
  job.given.t ? ['1', '2', '3'].map((task) => oneJob(job, task)).join('') : oneJob(job)

/** The number of slots, such as two for `0-1/18.head`. */
const countSlots = (slots) =>
  slots.reduce((sum, slot) => {
    const [first, last = first] = slot.split('/')[0].split('-').map(Number)
    return sum + last - first + 1
  }, 0)

/** The recorded nodes with the caller's jobs on them. */
export function nodeXml(state, only) {
  const running = state.jobs
    .filter((job) => !job.held && job.steps[job.step] === 'R')
    .map(jobXml)
    .join('')
  const nodes = template.nodes
    .filter(({ name }) => !only || name === only)
    .map(({ name, xml }) => {
      const slots = Array.from(running.matchAll(/<Job_Id>(.*?)<.*?<exec_host>(.*?)</gs)).flatMap(
        ([, id, hosts]) =>
          hosts
            .split('+')
            .flatMap((host) => (host.startsWith(`${name}/`) ? [`${host.slice(name.length + 1)}/${id}`] : [])),
      )
      const { word, note } = state.nodes[name] ?? {}
      // A node with free cores is `free` even if jobs run on it.
      const full = countSlots(slots) >= Number(/<np>(\d+)</.exec(xml)?.[1])
      const states = [word, full ? 'job-exclusive' : word ? '' : 'free'].filter(Boolean).join()
      const made = xml
        .replace(/<state>[^<]*<\/state>/, `<state>${states}</state>`)
        .replace(/<jobs>[^<]*<\/jobs>/, slots.length ? `<jobs>${slots.join()}</jobs>` : '')
        .replace(/<note>[^<]*<\/note>/, '')
      return note === undefined
        ? made
        : made.replace('</Node>', () => `${set('<note></note>', 'note', note)}</Node>`)
    })
  return `<Data>${nodes.join('')}</Data>`
}
