import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../error'

interface Process {
  pid: number
  parent: number
  session: number
  /** In ticks since the machine started: distinguishes a reused pid. */
  started: string
  zombie: boolean
}

async function processes(): Promise<Process[]> {
  const names = await readdir('/proc').catch(() => [])
  const all = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name): Promise<Process | undefined> => {
        const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
        // The name in parentheses may contain anything, even parentheses; the fields follow the last one.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        const [state, parent, , session] = fields
        if (!parent || !session) return undefined
        return {
          pid: Number(name),
          parent: Number(parent),
          session: Number(session),
          started: fields[19] ?? '',
          zombie: state === 'Z',
        }
      }),
  )
  return all.filter((one) => one !== undefined)
}

/** The living processes among the leader, its descendants and the session that it leads. */
function treeIn(all: Process[], leader: number, known: Map<number, string>): Process[] {
  const members = new Set([leader, ...known.keys()])
  for (let before = -1; before !== members.size;) {
    before = members.size
    for (const one of all) if (members.has(one.parent) || one.session === leader) members.add(one.pid)
  }
  return all.filter(
    (one) => members.has(one.pid) && !one.zombie && (known.get(one.pid) ?? one.started) === one.started,
  )
}

const send = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error
  }
}

/**
 * Ends a session leader and everything under it: first gracefully, and after a while with SIGKILL. Processes that left
 * the session are found by ancestry, and are remembered if their parents die first. A process that has lost both ties
 * before (a daemon) is not found, so other users' programs require stronger containment.
 */
export async function killTree(
  leader: number,
  { firstSignal = 'SIGTERM', graceMs = 2_000 }: { firstSignal?: NodeJS.Signals; graceMs?: number } = {},
): Promise<void> {
  // pid 0 and 1 would mean "everyone".
  if (!Number.isSafeInteger(leader) || leader < 2) return
  if (process.platform !== 'linux') {
    send(-leader, firstSignal)
    await sleep(graceMs)
    return send(-leader, 'SIGKILL')
  }
  const known = new Map<number, string>()
  const deadline = Date.now() + graceMs
  const signaled = new Set<number>()
  // Uninterruptible processes can outlive SIGKILL, so waiting ends here.
  const giveUp = deadline + 2_000
  for (let rest = 10; Date.now() < giveUp; rest = Math.min(rest * 2, 100)) {
    const alive = treeIn(await processes(), leader, known)
    if (alive.length === 0) return
    const forGood = Date.now() >= deadline
    for (const one of alive) {
      known.set(one.pid, one.started)
      if (forGood) send(one.pid, 'SIGKILL')
      else if (!signaled.has(one.pid)) send(one.pid, firstSignal)
      signaled.add(one.pid)
    }
    await sleep(rest)
  }
}
