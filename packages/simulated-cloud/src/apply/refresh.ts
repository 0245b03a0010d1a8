import { setTimeout as sleep } from 'node:timers/promises'
import { cloudOf } from '../clouds/registry'
import type { Engine } from './engine'
import { bare, equal, hasSecret, type Values } from '../language/values'
import type { Instance, State } from '../state/state'

/** Updates the state to what exists, and reports external changes. */
export async function refresh(engine: Engine, state: State): Promise<void> {
  if (await engine.strikes('drift')) await removeMachine(engine, state)
  await Promise.all(
    [...state.instances.values()].map(async (one) => {
      if (one.mode === 'data' || one.seed === null) return
      if (cloudOf(one.type).name === 'builtin') return
      const id = { id_key: 'id', id_value: one.seed.id }
      engine.emit.hook('refresh_start', one, `Refreshing state... [id=${one.seed.id}]`, id)
      await sleep(5 * engine.pace)
      const found = await engine.worldOf(one.type).get(one.seed.id)
      engine.emit.hook('refresh_complete', one, `Refresh complete [id=${one.seed.id}]`, id)
      if (!found) {
        state.instances.delete(one.address)
        engine.emit.change('resource_drift', one, 'Drift detected (delete)', 'delete')
      } else if (takeOver(one, found.attributes)) {
        engine.emit.change('resource_drift', one, 'Drift detected (update)', 'update')
      }
    }),
  )
}

/** The world does not store secret values, so those in the state are kept. */
function takeOver(one: Instance, found: Values): boolean {
  const changed = Object.entries(found).filter(([name, value]) => {
    const known = one.attributes[name]
    return known !== undefined && !hasSecret(known) && !equal(bare(known), value)
  })
  for (const [name, value] of changed) {
    one.attributes[name] = value
    if (name in one.config) one.config[name] = value
  }
  return changed.length > 0
}

/** Removes a machine, preferably a node, as if someone had done so manually. */
async function removeMachine(engine: Engine, state: State): Promise<void> {
  const machines = [...state.instances.values()]
    .filter((one) => one.mode === 'managed' && cloudOf(one.type).kind.kind === 'machine')
    .toSorted((a, b) => (a.address < b.address ? -1 : 1))
  const victim = machines.find((one) => one.key !== null) ?? machines[0]
  const world = victim && engine.worldOf(victim.type)
  const item = await world?.get(victim?.seed?.id ?? '')
  if (item) await world?.remove(item)
}
