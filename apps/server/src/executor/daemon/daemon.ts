import {
  existsSync,
  fstatSync,
  ftruncateSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { isDiskFull, LOW_DISK } from '../../disk/disk-room'
import { messageOf } from '../../explain'
import { Executor } from '../executor'
import { guard } from '../guard'
import { processOf } from '../processes'
import { Refused } from './requests'
import { Watch } from '../watch'
import { FILES, firstLine, SOCKET, type Answer, type Call } from './wire'

const TURN_MS = 1_000
const SAMPLE_MS = 2_000
const ALIVE_MS = 5_000
/** The minimum interval between two writes of the queue's file, and the share of time that may be spent on them. */
const PUBLISH = { ms: 200, share: 0.05 }
const MOST_LOG = 1024 * 1024

interface DaemonOptions {
  version: string
  /** The executor exits after this time without a waiting or running job and without a request. */
  idleMs: number
}

/**
 * The process that owns the spool: the spool is its current directory, and it holds the spool's lock. It may be killed
 * at any moment; the next one continues from the spool.
 */
export async function runDaemon({ version, idleMs }: DaemonOptions): Promise<void> {
  const spool = process.cwd()
  process.umask(0o077)
  // On a full disk, writing to the log fails too.
  process.stderr.on('error', () => undefined)
  keepFile('guard.sh', guard)
  let scheduled: NodeJS.Immediate | undefined
  const tick = () => {
    scheduled ??= setImmediate(turn)
  }
  const executor = new Executor(spool, tick, log)
  let busyAt = Date.now()
  let changed = true
  let publishedAt = 0
  let publishCost = 0
  const written: Record<string, string> = {}

  function turn(): void {
    scheduled = undefined
    // The spool was removed: the cluster is gone.
    if (!existsSync(path.join(spool, 'journal'))) process.exit(0)
    try {
      executor.turn()
    } catch (error) {
      // Most likely the disk is full. Nothing has changed, and the next turn tries again.
      log(error)
    }
    changed = true
    publish()
  }

  function publish(force = false): void {
    const now = Date.now()
    const rest = publishedAt + Math.max(PUBLISH.ms, publishCost / PUBLISH.share) - now
    if (!changed || (rest > 0 && !force)) return
    changed = false
    const began = performance.now()
    for (const [file, rows] of [
      [FILES.queue, executor.queue(now)],
      [FILES.nodes, executor.nodes()],
    ] as const) {
      const text = `${JSON.stringify(rows)}\n`
      if (written[file] === text) continue
      try {
        replaceFile(file, text)
        written[file] = text
      } catch (error) {
        changed = true
        log(error)
      }
    }
    publishCost = performance.now() - began
    publishedAt = Date.now()
  }

  function answer({ command, args, input }: Call): unknown {
    const [first = '', second = ''] = args
    switch (command) {
      case 'find':
        return executor.findByMark(first)
      case 'cancel':
        return executor.cancel(first)
      case 'cancel-all':
        return executor.cancelAll()
      case 'hold':
        return executor.hold(first, true)
      case 'release':
        return executor.hold(first, false)
      case 'extend':
        return executor.extend(first, second)
      case 'process':
        return executor.process(first)
      case 'drain':
        return executor.drain(first, second)
      case 'resume':
        return executor.resume(first)
      case 'configure': {
        const done = executor.configure(input)
        // A new node must show up in the very next query.
        changed = true
        publish(true)
        return done
      }
      case 'job':
        return executor.job(first)
      case 'history':
        return executor.history(args)
      case 'ended':
        return executor.ended(Number(first), Number(second))
      case 'hello':
        return { version }
      case 'stop':
        setImmediate(() => leave())
        return undefined
      default:
        throw new Refused('invalid', `Unknown command ${command}.`)
    }
  }

  const readOnly = new Set(['find', 'process', 'job', 'history', 'ended', 'hello'])
  type Waiting = { call: Call; reply: (answer: Answer) => void }
  let inbox: Waiting[] = []

  /** All submissions that arrived together are recorded with one write to disk. */
  function serve(): void {
    const calls = inbox
    inbox = []
    const submits = calls.filter(({ call }) => call.command === 'submit')
    reply(submits, () => executor.submit(submits.map(({ call }) => call.input)))
    for (const one of calls) if (one.call.command !== 'submit') reply([one], () => [answer(one.call)])
    busyAt = Date.now()
    if (calls.some(({ call }) => !readOnly.has(call.command))) turn()
  }

  function reply(to: Waiting[], work: () => unknown[]): void {
    if (to.length === 0) return
    try {
      const results = work()
      to.forEach((one, index) => {
        const result = results[index]
        one.reply(result instanceof Refused ? refusal(result) : { ok: result ?? null })
      })
    } catch (error) {
      for (const one of to) one.reply(refusal(error))
    }
  }

  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy())
    firstLine(socket, (line) => {
      // Only our own command-line program can connect to the socket.
      const call = JSON.parse(line) as Call
      if (inbox.length === 0) setImmediate(serve)
      inbox.push({ call, reply: (given) => socket.end(`${JSON.stringify(given)}\n`) })
    })
  })

  function leave(): void {
    publish(true)
    // If this file is missing, clients know that the state cannot change, and start no executor to read it.
    if (executor.idle) rmSync(FILES.pid, { force: true })
    process.exit(0)
  }

  function beat(): void {
    try {
      replaceFile(FILES.alive, `${JSON.stringify({ at: Date.now() })}\n`)
      keepFile(FILES.pid, `${process.pid} ${processOf(process.pid)?.born}\n`)
      trimLog()
    } catch (error) {
      log(error)
    }
    if (executor.idle && Date.now() - busyAt > idleMs) leave()
    if (!executor.idle) busyAt = Date.now()
  }

  turn()
  publish(true)
  rmSync(SOCKET, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(SOCKET, resolve)
  })
  beat()

  try {
    watch('ended', () => {
      scheduled ??= setImmediate(turn)
    }).on('error', log)
  } catch (error) {
    // The machine's limit of file watches is reached; the periodic turns notice ended jobs a little later.
    log(error)
  }
  setInterval(turn, TURN_MS)
  setInterval(() => publish(), PUBLISH.ms)
  setInterval(beat, Math.min(ALIVE_MS, idleMs))
  setInterval(() => {
    if (executor.idle) return
    executor.sample()
    changed = true
  }, SAMPLE_MS)
  new Watch(spool, () => executor.watched()).start()
  process.on('SIGTERM', leave)
}

function refusal(error: unknown): Answer {
  if (error instanceof Refused) return { error: { code: error.code, message: error.message } }
  log(error)
  if (isDiskFull(error)) return { error: { code: 'disk_full', message: LOW_DISK } }
  const message = `The executor failed: ${messageOf(error)}`
  return { error: { code: 'unknown', message } }
}

/** Writes the file only if its content differs, so that the executor can start on a full disk. */
function keepFile(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) replaceFile(file, text)
}

/** Replaces the file atomically. It need not survive a power failure. */
function replaceFile(file: string, text: string): void {
  // A leftover file of a previous executor may not be writable.
  rmSync(`${file}.new`, { force: true })
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

function log(error: unknown): void {
  process.stderr.write(
    `${new Date().toISOString()} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
}

/** The log is opened in append mode, so it can be truncated safely. */
function trimLog(): void {
  if (fstatSync(2).size > MOST_LOG) ftruncateSync(2, 0)
}
