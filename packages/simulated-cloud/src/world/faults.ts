import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { writeDurably } from '@flotilla/system/durable-file'
import { withLock } from './mutex'

/** What can go wrong on purpose. */
const names = [
  'quota',
  'capacity',
  'badCredential',
  'bootTimeout',
  /** The engine kills itself between making something and noting it. */
  'crash',
  /** Someone removes a machine behind our back. */
  'drift',
  /** A disk stays although the cloud says that it is gone. */
  'leakedVolume',
  'slow',
  /** The state cannot be written where it belongs. */
  'stateLost',
] as const
export type FaultName = (typeof names)[number]

/** By cluster, or `*` for all: the fault, and how often; without a number, forever. */
const Faults = z.record(z.string(), z.object({ fault: z.enum(names), times: z.optional(z.number()) }))
export type Faults = z.infer<typeof Faults>

const fileOf = (dir: string) => path.join(dir, 'faults.json')

async function read(dir: string): Promise<Faults> {
  const text = await readFile(fileOf(dir), 'utf8').catch(() => '{}')
  return Faults.parse(JSON.parse(text))
}

/** Whether this goes wrong now; counted as one time. */
export async function strikes(dir: string, clusterId: string | null, fault: FaultName): Promise<boolean> {
  const keys = [clusterId, '*'].filter((key) => key !== null)
  const find = (all: Faults) => keys.find((key) => all[key]?.fault === fault && all[key].times !== 0)
  // Nearly always there is none, and then no one has to wait.
  if (find(await read(dir)) === undefined) return false
  return withLock(path.join(dir, 'faults.lock'), async () => {
    const all = await read(dir)
    const key = find(all)
    const entry = key === undefined ? undefined : all[key]
    if (key === undefined || !entry) return false
    const { times } = entry
    if (times !== undefined) {
      await writeDurably(fileOf(dir), JSON.stringify({ ...all, [key]: { ...entry, times: times - 1 } }))
    }
    return true
  })
}

/** What is to go wrong from now on; everything else goes well again. */
export async function setFaults(dir: string, faults: Faults): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await writeDurably(fileOf(dir), JSON.stringify(faults))
}
