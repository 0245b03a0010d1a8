import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { writeDurably } from '@flotilla/system/durable-file'
import { withLock } from './mutex'

/** The faults that can be injected. */
const names = [
  'quota',
  'capacity',
  'badCredential',
  'bootTimeout',
  /** The engine kills itself between creating a resource and recording it in the state. */
  'crash',
  /** A machine is removed outside the engine. */
  'drift',
  /** A disk remains although the cloud reports it as deleted. */
  'leakedVolume',
  'slow',
  /** The state cannot be written to its file. */
  'stateLost',
] as const
export type FaultName = (typeof names)[number]

/** The fault and how often it occurs, by cluster id or `*` for all clusters; without a number, it always occurs. */
const Faults = z.record(z.string(), z.object({ fault: z.enum(names), times: z.optional(z.number()) }))
export type Faults = z.infer<typeof Faults>

const fileOf = (dir: string) => path.join(dir, 'faults.json')

async function read(dir: string): Promise<Faults> {
  const text = await readFile(fileOf(dir), 'utf8').catch(() => '{}')
  return Faults.parse(JSON.parse(text))
}

/** Whether the fault occurs now, which counts as one occurrence. */
export async function strikes(dir: string, clusterId: string | null, fault: FaultName): Promise<boolean> {
  const keys = [clusterId, '*'].filter((key) => key !== null)
  const find = (all: Faults) => keys.find((key) => all[key]?.fault === fault && all[key].times !== 0)
  // Usually no fault is set, and then the lock is not needed.
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

/** Replaces all faults. */
export async function setFaults(dir: string, faults: Faults): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await writeDurably(fileOf(dir), JSON.stringify(faults))
}
