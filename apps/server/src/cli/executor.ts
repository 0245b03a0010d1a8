import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { command, enterSpool, versionOf } from '../executor/daemon/client'
import { COMMANDS } from '../executor/daemon/wire'

const usage = `The built-in executor: runs jobs on this machine.

  node executor.js COMMAND --spool DIR
      submit              a job as JSON by stdin; prints its id
      find MARK           the id of the job with this mark, or nothing
      cancel | hold | release | job ID
      extend ID SECONDS   lets a job run this long in total
      process ID          a process in the network of a running job
      cancel-all          ends everything that waits or runs
      history ID...       how these jobs ended, as JSON
      ended FROM TO       what ended between these times (ms), as JSON
      drain NODE REASON | resume NODE
      configure           the nodes as JSON by stdin
      ensure              starts the daemon if it does not run
      stop                ends the daemon; jobs go on
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
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  },
)
