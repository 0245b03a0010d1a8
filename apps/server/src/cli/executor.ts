import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { command, enterSpool, versionOf } from '../executor/daemon/client'
import { COMMANDS } from '../executor/daemon/wire'
import { messageOf } from '../explain'

const usage = `The built-in executor: runs jobs on this machine.

  node executor.js COMMAND --spool DIR
      submit              submits a job, read as JSON from stdin; prints its id
      find MARK           prints the id of the job with this mark, if any
      cancel | hold | release | job ID
      extend ID SECONDS   lets a job run this long in total
      process ID          prints a process id in the network namespace of a running job
      cancel-all          cancels all queued and running jobs
      history ID...       prints how these jobs ended, as JSON
      ended FROM TO       prints the jobs that ended between these times (ms), as JSON
      drain NODE REASON | resume NODE
      configure           sets the nodes, read as JSON from stdin
      ensure              starts the daemon if it is not running
      stop                stops the daemon; jobs keep running
`

const withInput = new Set(['submit', 'configure'])

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { spool: { type: 'string' }, idle: { type: 'string', default: '60' } },
  })
  const [name = '', ...args] = positionals
  const idleMs = Number(values.idle) * 1000
  const known: readonly string[] = [...COMMANDS, 'ensure', 'daemon']
  if (!values.spool || !known.includes(name) || !(idleMs > 0)) {
    process.stderr.write(usage)
    return 2
  }
  enterSpool(values.spool)
  const program = fileURLToPath(import.meta.url)
  if (name === 'daemon') {
    const { runDaemon } = await import('../executor/daemon/daemon')
    await runDaemon({ version: versionOf(program), idleMs })
    return 0
  }
  const input: unknown = withInput.has(name) ? JSON.parse(await text(process.stdin)) : undefined
  const answer = await command(
    { command: name === 'ensure' ? 'hello' : name, args, input },
    { program, idleMs },
  )
  if ('error' in answer) {
    process.stderr.write(`${JSON.stringify(answer.error)}\n`)
    return 1
  }
  const { ok } = answer
  if (name === 'ensure' || ok === null) return 0
  process.stdout.write(`${typeof ok === 'string' ? ok : JSON.stringify(ok)}\n`)
  return 0
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`)
    process.exit(1)
  },
)
