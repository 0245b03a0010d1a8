import type { NodeConfig, Run, State } from './journal/state'

/** A node's free capacity. Negative if the node was made smaller while jobs ran on it. */
export interface Room {
  name: string
  cores: number
  gpus: number
}

/** What one run needs: a number of nodes, and cores and GPUs on each. */
export interface Need {
  nodes: number
  cores: number
  gpus: number
}

const fits = (room: Room, need: Need) => room.cores >= need.cores && room.gpus >= need.gpus

/**
 * The nodes for a job, or undefined if there are not enough. Nodes with the fewest free GPUs and then the fewest free
 * cores are preferred, so that GPU jobs and large jobs fit later. `also` has capacity in which the job must fit too.
 */
export function choose(
  rooms: readonly Room[],
  need: Need,
  also?: ReadonlyMap<string, Room>,
): Room[] | undefined {
  const fit = rooms.filter((room) => {
    const other = also && also.get(room.name)
    return fits(room, need) && (!also || (other !== undefined && fits(other, need)))
  })
  if (fit.length < need.nodes) return undefined
  if (fit.length === need.nodes) return fit
  const best = new Set(fit.toSorted((a, b) => a.gpus - b.gpus || a.cores - b.cores).slice(0, need.nodes))
  return fit.filter((room) => best.has(room))
}

export function take(room: Room, need: Need): void {
  room.cores -= need.cores
  room.gpus -= need.gpus
}

/** The nodes that may start jobs, with their free capacity. */
export function freeRooms(state: State): Map<string, Room> {
  const devices = freeDevices(state.config.nodes, state.running.values())
  const rooms = new Map(
    state.config.nodes
      .filter(({ name, off }) => !off && !state.drained.has(name))
      .map(({ name, cores }) => [name, { name, cores, gpus: devices.get(name)?.length ?? 0 }]),
  )
  for (const { job, task } of state.running.values())
    for (const { node } of task.places ?? []) {
      const room = rooms.get(node)
      if (room) room.cores -= job.cores
    }
  return rooms
}

export const copyRooms = (rooms: ReadonlyMap<string, Room>): Map<string, Room> =>
  new Map([...rooms].map(([name, room]) => [name, { ...room }]))

/**
 * The free GPUs of each node, as device numbers of the machine: the first node has the first ones. A GPU that a job
 * uses stays allocated to it when the nodes are reconfigured.
 */
export function freeDevices(nodes: readonly NodeConfig[], running: Iterable<Run>): Map<string, number[]> {
  const taken = new Set<number>()
  for (const { task } of running)
    for (const { gpus } of task.places ?? []) for (const gpu of gpus) taken.add(gpu)
  let first = 0
  return new Map(
    nodes.map(({ name, gpus }) => {
      const own = Array.from({ length: gpus }, (_, index) => first + index)
      first += gpus
      return [name, own.filter((gpu) => !taken.has(gpu))]
    }),
  )
}
