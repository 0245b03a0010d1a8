import { spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

const replay = path.join(import.meta.dirname, 'replay.mjs')
const programs = ['qsub', 'qstat', 'qdel', 'qhold', 'qrls', 'pbsnodes', 'tracejob', 'id']

export interface ReplayedTorque {
  /** The folder of the commands, to be added to PATH. */
  bin: string
  /** Marks a node as failed or recovered. */
  setNode(name: string, state: 'down' | 'up'): void
  /** Configures whether accounts see the jobs of others, and whether ended jobs disappear at once. */
  setSite(site: { queryOtherJobs?: boolean; forgets?: boolean }): void
}

/** A Torque replayed from recordings, as root or as an account without operator rights sees it. */
export async function installTorque(folder: string, user = 'alice'): Promise<ReplayedTorque> {
  const state = path.join(folder, 'state')
  const bin = path.join(folder, `bin-${user}`)
  await mkdir(state, { recursive: true })
  await mkdir(bin, { recursive: true })
  // Every account that runs the commands writes there.
  await chmod(state, 0o777)
  // Commands run one at a time, as on a real server; the lock is released even when its holder is killed.
  const alone = ['/usr/bin/flock', path.join(state, 'lock'), process.execPath, replay]
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  for (const program of programs) {
    // The script contains all settings, as a fresh environment has neither node on its PATH nor our variables.
    const run = [...alone, program].map(quoted).join(' ')
    const prepared = `${quoted(path.join(state, `said ${user} ${program} `))}"$*"`
    const runReplay = `REPLAY_STATE=${quoted(state)} REPLAY_USER=${user} exec ${run} "$@"`
    const script = `#!/bin/sh\ncat ${prepared} 2>/dev/null && exit\n${runReplay}\n`
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
