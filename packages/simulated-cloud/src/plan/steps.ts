import type { Change } from './plan'
import type { Instance } from '../state/state'

/** A single operation on one resource. */
export interface Step {
  change: Change
  what: 'make' | 'alter' | 'unmake' | 'read'
  after: Set<Step>
  result?: Instance
}

/** Splits changes into steps with their dependencies. */
export function stepsOf(changes: Change[]): Step[] {
  const building = new Map<string, Step[]>()
  const removing = new Map<string, Step[]>()
  const add = (to: Map<string, Step[]>, step: Step) => {
    const before = to.get(step.change.block)
    if (before) before.push(step)
    else to.set(step.change.block, [step])
  }
  const step = (change: Change, what: Step['what']): Step => ({ change, what, after: new Set() })
  const steps: Step[] = []
  for (const change of changes) {
    const { action } = change
    if (action === 'create') add(building, step(change, 'make'))
    if (action === 'update') add(building, step(change, 'alter'))
    if (action === 'read') add(building, step(change, 'read'))
    if (action === 'delete') add(removing, step(change, 'unmake'))
    if (action === 'replace') {
      const make = step(change, 'make')
      const unmake = step(change, 'unmake')
      make.after.add(unmake)
      add(building, make)
      add(removing, unmake)
    }
  }
  steps.push(...[...building.values(), ...removing.values()].flat())
  for (const one of [...building.values()].flat()) {
    for (const block of one.change.dependencies)
      for (const need of building.get(block) ?? []) one.after.add(need)
  }
  // A dependent resource is deleted before those it depends on.
  for (const one of [...removing.values()].flat()) {
    for (const block of one.change.dependencies)
      for (const base of removing.get(block) ?? []) base.after.add(one)
  }
  return steps
}
