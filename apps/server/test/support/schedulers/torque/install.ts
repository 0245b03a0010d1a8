import { spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

const replay = path.join(import.meta.dirname, 'replay.mjs')
const programs = ['qsub', 'qstat', 'qdel', 'qhold', 'qrls', 'pbsnodes', 'tracejob', 'id']

export interface ReplayedTorque {
  /** To be put on PATH, on this machine or on the one that SSH leads to. */
  bin: string
  /** As if the node's power failed, or it came back. */
  setNode(name: string, state: 'down' | 'up'): void
  /** How the site has set it up: whether accounts see the jobs of others, and whether it forgets jobs as they end. */
  setSite(site: { queryOtherJobs?: boolean; forgets?: boolean }): void
}

/** A Torque that answers from recordings: to root, or to an account without operator rights. */
export async function installTorque(folder: string, user = 'alice'): Promise<ReplayedTorque> {
  const state = path.join(folder, 'state')
  const bin = path.join(folder, `bin-${user}`)
  await mkdir(state, { recursive: true })
  await mkdir(bin, { recursive: true })
  // Whoever runs the commands writes there.
  await chmod(state, 0o777)
  // One at a time, as with a real server; the lock is released when its holder is killed.
  const alone = ['/usr/bin/flock', path.join(state, 'lock'), process.execPath, replay]
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  for (const program of programs) {
    // All it needs is in the script, as a fresh environment has neither node on its PATH nor our variables.
    const run = [...alone, program].map(quoted).join(' ')
    const prepared = `${quoted(path.join(state, `said ${user} ${program} `))}"$*"`
    const ask = `REPLAY_STATE=${quoted(state)} REPLAY_USER=${user} exec ${run} "$@"`
    const script = `#!/bin/sh\ncat ${prepared} 2>/dev/null && exit\n${ask}\n`
    await writeFile(path.join(bin, program), script, { mode: 0o755 })
  }
  const control = (...words: string[]) => {
    const [command = '', ...args] = [...alone, ...words]
    const { status, stderr } = spawnSync(command, args, {
      env: { PATH: process.env.PATH, REPLAY_STATE: state },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
  }
  return {
    bin,
    setNode: (name, to) => control('node', name, ...(to === 'down' ? ['down'] : [])),
    setSite: (site) => control('site', JSON.stringify(site)),
  }
}
