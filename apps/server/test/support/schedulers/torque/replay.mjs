/*
 * Replays Torque's commands: `node replay.mjs qsub -N x ...` prints what a real Torque 6.1 printed. The jobs are those
 * of recordings/, identified by the resources that they request; numbers, names, marks, paths and times are the
 * caller's. Commands that were not recorded are refused with exit code 2.
 *
 * There are two nodes of four cores, one with two GPUs. A job advances by one step each time it is listed:
 *   1 node, 2 cores          waits, runs, ends with 0
 *   1 node, 1 core           waits, ends with 3
 *   2 nodes, 2 cores, 30 s   runs and is killed when its wall time is over
 *   2 nodes, 2 cores         runs until it is deleted
 *   1 node, 1 core, 1 GPU    runs until it is deleted
 *   2 nodes, 4 cores         waits for nodes
 *   tasks 1-3                run until they are deleted
 */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { jobXml, nodeXml, recorded, serverText, template } from './recorded.mjs'

const [program = '', ...args] = process.argv.slice(2)
const folder = process.env.REPLAY_STATE ?? ''
const user = process.env.REPLAY_USER ?? 'alice'

let printed = ''
function print(text) {
  printed += text
  process.stdout.write(text)
}
function end(code, text = '') {
  const whole = !text || text.endsWith('\n') ? text : `${text}\n`
  if (code) process.stderr.write(whole)
  else print(whole)
  return code
}
const notRecorded = () => end(2, `replay: not recorded: ${program} ${args.join(' ')}`)
const asRecorded = (command, ...changes) => {
  const { code, text } = recorded(command)
  return end(
    code,
    changes.reduce((result, [from, to]) => result.replaceAll(from, to), text),
  )
}

const kinds = [
  { name: 'hello', resources: 'nodes=1:ppn=2', steps: ['Q', 'R', 'C'] },
  { name: 'fail', resources: 'nodes=1:ppn=1', steps: ['Q', 'C'] },
  { name: 'multi', resources: 'nodes=2:ppn=2', walltime: '00:00:30', steps: ['R', 'C'], overdue: true },
  { name: 'multi', resources: 'nodes=2:ppn=2', steps: ['R'] },
  { name: 'gpu', resources: 'nodes=1:ppn=1:gpus=1', steps: ['R'] },
  { name: 'toolarge', resources: 'nodes=2:ppn=4', steps: ['Q'] },
  { name: 'arr', resources: 'nodes=1:ppn=1', tasks: '1-3', steps: ['R'] },
]

/** Each option with its value; undefined if there is one that was not recorded. */
function options() {
  const found = { l: [] }
  for (let index = 0; index < args.length; index += 2) {
    const letter = /^-([NltqAdwoejkv])$/.exec(args[index])?.[1]
    const value = args[index + 1]
    if (!letter || value === undefined) return undefined
    if (letter === 'l') found.l.push(value)
    else found[letter] = value
  }
  return found
}

function qsub(state) {
  const given = options()
  const [nodes, walltime] = given?.l ?? []
  if (!given || !nodes || !walltime?.startsWith('walltime=') || !given.v?.startsWith('FLOTILLA_MARK='))
    return notRecorded()
  if (user === 'root') return asRecorded('qsub ok.sh')
  if (given.q === 'nope') return asRecorded('qsub -q nope ok.sh')
  if (nodes.startsWith('nodes=99')) return asRecorded('qsub -l nodes=99 ok.sh')
  const limit = walltime.slice('walltime='.length)
  const kind = kinds.find(
    (each) => each.resources === nodes && each.tasks === given.t && (each.walltime ?? limit) === limit,
  )
  if (!kind || (given.q ?? 'batch') !== 'batch') return notRecorded()
  const script = readFileSync(0, 'utf8')
  if (!script.startsWith('#!')) return end(2, 'replay: a script without an interpreter was not recorded')
  const number = state.next++
  const now = Math.floor(Date.now() / 1000)
  state.jobs.push({
    number,
    kind: kind.name,
    overdue: kind.overdue,
    owner: user,
    steps: kind.steps,
    step: 0,
    given,
    limit,
    submitted: now,
    held: false,
    deleted: false,
  })
  return end(0, `${number}${kind.tasks ? '[]' : ''}.head`)
}

/** The jobs with this id; an array also has the ids of its tasks. */
const jobsWithId = (state, id) => state.jobs.filter((job) => String(job.number) === /^\d+/.exec(id)?.[0])

/** Without operator rights, an account sees only its own jobs, unless the site allows more. */
const sees = (state, job) => user === 'root' || job.owner === user || state.site.queryOtherJobs

function qstat(state) {
  const [first, second, third, ...ids] = args
  if (args.join(' ') === '-B -f') return end(0, serverText(state.site))
  if ([first, second, third].join(' ') !== '-t -f -x') return notRecorded()
  const known = state.jobs.filter((job) => !(state.site.forgets && isOver(job)))
  const unknown = ids.filter((id) => !jobsWithId({ jobs: known }, id).length)
  const listed = ids.length
    ? known.filter((job) => ids.some((id) => jobsWithId({ jobs: known }, id).includes(job)))
    : known
  const visible = listed.filter((job) => sees(state, job))
  const empty = !ids.length && known.length
  if (visible.length || empty) print(`<?xml version="1.0"?>\n<Data>${visible.map(jobXml).join('')}</Data>\n`)
  for (const job of visible) if (!job.held) job.step = Math.min(job.step + 1, job.steps.length - 1)
  if (unknown.length) return asRecorded('qstat 999', ['999.head', unknown[0]])
  // The query named jobs of other accounts too.
  return ids.length && visible.length < listed.length ? asRecorded('qdel 43.head', ['qdel', 'qstat']) : 0
}
const isOver = (job) => !job.held && job.steps[job.step] === 'C'

function onJob(state, unknownAs, change) {
  const [id = '', ...more] = args
  if (more.length || !/^\d+(\[\d*\])?\.head$/.test(id)) return notRecorded()
  const [job] = jobsWithId(state, id)
  if (!job) return asRecorded(unknownAs, ['999.head', id], ['qdel', program])
  change(job)
  return 0
}

function pbsnodes(state) {
  const node = args.at(-1) ?? ''
  const command = args.slice(0, -1).join(' ')
  if (args.join(' ') === '-x') return end(0, nodeXml(state))
  if (!template.nodes.some(({ name }) => name === node)) return notRecorded()
  if (command === '-x') return end(0, nodeXml(state, node))
  if (!/^-o -N |^-c$/.test(command)) return notRecorded()
  // The recorded refusal without operator rights has exit code 0.
  if (user !== 'root') {
    process.stderr.write(recorded('pbsnodes -o tn02').text.replaceAll('tn02', node))
    return 0
  }
  state.nodes[node] = command === '-c' ? {} : { word: 'offline', note: args[2] }
  return 0
}

function tracejob(state) {
  const [id = ''] = args.slice(5)
  if (args.slice(0, 5).join(' ') !== '-q -w 0 -n 7') return notRecorded()
  const [job] = jobsWithId(state, id)
  return job?.kind === 'fail' ? end(0, template.trace.replaceAll('24.head', `${job.number}.head`)) : 0
}

/** A command only for tests: `node replay.mjs site '{"queryOtherJobs":true}'`. */
function setSite(state) {
  Object.assign(state.site, JSON.parse(args[0]))
  return 0
}

/** A command only for tests: `node replay.mjs node tn02 down`. */
function setNode(state) {
  const [name = '', word = ''] = args
  state.nodes[name] = word ? { word } : {}
  return 0
}

function remove(job) {
  const ran = !job.held && job.steps[job.step] === 'R'
  Object.assign(job, { deleted: true, ran, held: false, steps: ['C'], step: 0 })
}

const programs = {
  qsub,
  qstat,
  pbsnodes,
  tracejob,
  // `id -un` prints the calling account.
  id: () => (args.join() === '-un' ? end(0, user) : notRecorded()),
  node: setNode,
  site: setSite,
  qdel: (state) => onJob(state, 'qdel 999.head', remove),
  qhold: (state) => onJob(state, 'qdel 999.head', (job) => Object.assign(job, { held: true })),
  qrls: (state) => onJob(state, 'qdel 999.head', (job) => Object.assign(job, { held: false })),
}

const write = (name, text) => {
  const file = path.join(folder, name)
  // The write is atomic, as install.ts reads the files without a lock.
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
const PREPARED = 'said '

/**
 * Runs while the caller holds the lock. The output of a query that changed nothing is cached until the state changes:
 * pollers repeat their queries, and the script of install.ts then prints the output without starting Node.
 */
function withState(work) {
  const file = path.join(folder, 'state.json')
  let before = ''
  let state = { next: 18, jobs: [], nodes: {}, site: { queryOtherJobs: false, forgets: false } }
  try {
    before = readFileSync(file, 'utf8')
    state = JSON.parse(before)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  const code = work(state)
  const after = JSON.stringify(state)
  if (after !== before) {
    for (const name of readdirSync(folder)) if (name.startsWith(PREPARED)) rmSync(path.join(folder, name))
    write('state.json', after)
  } else if (code === 0 && queries.includes([program, ...args].join(' ')))
    write(PREPARED + [user, program, ...args].join(' '), printed)
  return code
}
const queries = ['qstat -t -f -x', 'qstat -B -f', 'pbsnodes -x', 'id -un']

process.exitCode = Object.hasOwn(programs, program) ? withState(programs[program]) : notRecorded()
