import { cloudOf } from '../clouds/registry'
import { describe, placeOf, undecided } from './describe'
import { differences, ignoring } from './diff'
import { evaluationOf, type Evaluation } from '../module/evaluation'
import { hasUnknown, isObject, unknown, type Value, type Values } from '../language/values'
import type { Block, Module } from '../module/module'
import { addressOf, type Instance, type State } from '../state/state'

export type Action = 'no-op' | 'create' | 'update' | 'delete' | 'replace' | 'read'

/** A planned change of one resource. */
export interface Change {
  address: string
  block: string
  mode: 'managed' | 'data'
  type: string
  name: string
  key: string | number | null
  action: Action
  before: Values | null
  after: Value
  because: string[]
  /** Blocks that it depends on, and that therefore must not be deleted before it. */
  dependencies: string[]
}

export interface Plan {
  changes: Change[]
  outputs: Record<string, { value: Value; sensitive: boolean }>
}

export interface PlanOptions {
  destroy: boolean
  targets: string[]
  replace: string[]
  env: NodeJS.ProcessEnv
}

const lifecycleOf = ({ body }: Block): Values => (isObject(body.lifecycle) ? body.lifecycle : {})

/** Compares the configuration with the state, which must have been refreshed. */
export function makePlan(module: Module, variables: Values, state: State, options: PlanOptions): Plan {
  const evaluation = evaluationOf(module, variables)
  if (options.destroy)
    return { changes: limited([...removals(state, new Set())], options.targets), outputs: {} }
  const wanted = module.blocks.flatMap((block) =>
    evaluation.keysOf(block).map((instance) => {
      const change = planOne(block, instance, { evaluation, state, options })
      evaluation.set(block, instance.key, change.after)
      return change
    }),
  )
  const addresses = new Set(wanted.map((change) => change.address))
  const changes = [...wanted, ...removals(state, addresses)]
  return { changes: limited(changes, options.targets), outputs: evaluation.outputs() }
}

function planOne(
  block: Block,
  instance: { key: string | number | null; each: Value },
  { evaluation, state, options }: { evaluation: Evaluation; state: State; options: PlanOptions },
): Change {
  const address = addressOf(block.address, instance.key)
  const config = evaluation.config(block, instance)
  const place = placeOf(block.type, config, { providers: evaluation.providers, env: options.env })
  const prior = state.instances.get(address)
  const change = (action: Action, after: Value, because: string[] = []): Change => ({
    address,
    block: block.address,
    mode: block.mode,
    type: block.type,
    name: block.name,
    key: instance.key,
    action,
    before: prior?.attributes ?? null,
    after,
    because,
    dependencies: block.needs,
  })

  if (block.mode === 'data') {
    if (hasUnknown(config)) return change('read', unknown)
    return change('no-op', readData(block.type, config, place))
  }
  if (!prior) return change('create', describe(block.type, config, undecided, place))
  const planned = ignoring(config, prior.config, lifecycleOf(block).ignore_changes)
  const changed = differences(prior.config, planned)
  const fixed = cloudOf(block.type).kind.fixed ?? []
  const because = changed.filter((name) => fixed.includes(name))
  if (prior.tainted || because.length > 0 || options.replace.includes(address)) {
    return change('replace', describe(block.type, planned, undecided, place), because)
  }
  if (changed.length === 0) return change('no-op', prior.attributes)
  return change('update', describe(block.type, planned, prior.seed ?? undecided, place))
}

export function readData(type: string, config: Values, place: { region: string; account: string }): Values {
  const { cloud } = cloudOf(type)
  const read = cloud.data[type]
  return { ...config, ...(read ? read({ config, ...place }) : { id: config.id ?? config.name ?? type }) }
}

function* removals(state: State, wanted: Set<string>): Generator<Change> {
  for (const one of state.instances.values()) {
    if (one.mode === 'managed' && !wanted.has(one.address)) yield removal(one)
  }
}

const removal = (one: Instance): Change => ({
  address: one.address,
  block: `${one.type}.${one.name}`,
  mode: one.mode,
  type: one.type,
  name: one.name,
  key: one.key,
  action: 'delete',
  before: one.attributes,
  after: null,
  because: [],
  dependencies: one.dependencies,
})

/** Limits changes to the targets and their dependencies; for deletions, to the targets and their dependents. */
function limited(changes: Change[], targets: string[]): Change[] {
  if (targets.length === 0) return changes
  const hit = (change: Change) =>
    targets.some((target) => target === change.address || target === change.block)
  const kept = new Set(changes.filter(hit))
  for (let before = -1; before !== kept.size;) {
    before = kept.size
    const needed = new Set([...kept].flatMap((change) => change.dependencies))
    const going = new Set([...kept].filter(({ action }) => action === 'delete').map(({ block }) => block))
    for (const change of changes) {
      const isNeeded = change.action !== 'delete' && needed.has(change.block)
      const needsGone = change.action === 'delete' && change.dependencies.some((block) => going.has(block))
      if (isNeeded || needsGone) kept.add(change)
    }
  }
  return changes.map((change) => (kept.has(change) ? change : { ...change, action: 'no-op' as const }))
}
