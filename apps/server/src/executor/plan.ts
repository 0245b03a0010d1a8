import { choose, copyRooms, freeDevices, freeRooms, take, type Room } from './room'
import type { Job, Place, Run, State } from './journal/state'
import { waitsForRoom, never, outOfService, turn, type Wait } from './waits'

export interface Plan {
  starts: (Run & { places: Place[] })[]
  /** Why the waiting tasks of each job wait, by the job's id. */
  waits: Map<number, Wait>
}

/** The reservation of the first job in the queue. */
interface Promised {
  at: number
  /** The free capacity at that time, without what the job itself will use. */
  rooms: Map<string, Room>
}

/**
 * First come, first served, with backfill: when the first job in line does not fit, the time at which it will is
 * computed from the wall times of the running jobs, and later jobs may start now only if they do not delay it.
 */
export function plan(state: State, now: number): Plan {
  const rooms = freeRooms(state)
  const running = [...state.running.values()]
  const devices = freeDevices(state.config.nodes, running)
  const starts: Plan['starts'] = []
  const waits = new Map<number, Wait>()
  let promised: Promised | undefined
  // Free capacity only shrinks during this pass, so a shape that did not fit once cannot fit later.
  const refused = new Map<string, Wait>()

  for (const job of state.open.values()) {
    let active = 0
    if (job.array?.limit) for (const task of job.tasks) if (task.state === 'running') active++
    const shape = `${job.nodes} ${job.cores} ${job.gpus} ${job.limitS}`
    for (const task of job.tasks) {
      if (task.state !== 'waiting' || task.held) continue
      if (job.array?.limit && active >= job.array.limit) {
        waits.set(job.id, turn.array(job.array.limit))
        break
      }
      const known = refused.get(shape)
      if (known) {
        waits.set(job.id, known)
        break
      }
      const impossible = never(state.config.nodes, job) ?? outOfService(state, job)
      if (impossible) {
        waits.set(job.id, impossible)
        refused.set(shape, impossible)
        break
      }
      const short = promised && now + job.limitS * 1000 <= promised.at
      const chosen = choose([...rooms.values()], job, promised && !short ? promised.rooms : undefined)
      if (!chosen) {
        const first = !promised
        promised ??= promise(rooms, running, job, now)
        const wouldFit = !first && choose([...rooms.values()], job)
        waits.set(
          job.id,
          first
            ? waitsForRoom([...rooms.values()], job, running.length, promised.at)
            : wouldFit
              ? turn.delay
              : turn.later,
        )
        refused.set(shape, wouldFit ? turn.delay : turn.later)
        break
      }
      const places = chosen.map(({ name }) => ({
        node: name,
        gpus: job.gpus > 0 ? (devices.get(name)?.splice(0, job.gpus) ?? []) : [],
      }))
      for (const room of chosen) {
        take(room, job)
        const later = promised && !short && promised.rooms.get(room.name)
        if (later) take(later, job)
      }
      starts.push({ job, task, places })
      running.push({ job, task: { ...task, places, start: now } })
      active++
    }
  }
  return { starts, waits }
}

/** The time at which the job will fit if every running job uses all of its wall time. */
function promise(rooms: ReadonlyMap<string, Room>, running: readonly Run[], job: Job, now: number): Promised {
  const later = copyRooms(rooms)
  const ends = running
    .map((run) => ({ run, at: Math.max(now, (run.task.start ?? now) + run.job.limitS * 1000) }))
    .toSorted((a, b) => a.at - b.at)
  let at = now
  let chosen: Room[] | undefined
  for (const { run, at: end } of ends) {
    for (const { node } of run.task.places ?? []) {
      const room = later.get(node)
      if (!room) continue
      room.cores += run.job.cores
      room.gpus += run.job.gpus
    }
    at = end
    chosen = choose([...later.values()], job)
    if (chosen) break
  }
  for (const room of chosen ?? []) take(room, job)
  return { at, rooms: later }
}
