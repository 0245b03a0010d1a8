import { cloudOf } from '../clouds/registry'
import { placeOf } from '../plan/describe'
import { ignoring } from '../plan/diff'
import type { Engine } from './engine'
import { evaluationOf, type Evaluation } from '../module/evaluation'
import { isObject, ModuleError, type Values } from '../language/values'
import { alter, CloudError, make, unmake } from './make'
import type { Block, Module } from '../module/module'
import { readData, type Change } from '../plan/plan'
import type { Instance, State } from '../state/state'
import { stepsOf, type Step } from '../plan/steps'

interface Failure {
  address: string
  message: string
}

export interface Applied {
  failures: Failure[]
  /** Whether it was interrupted before it was done. */
  halted: boolean
  counts: { add: number; change: number; remove: number }
}

const texts = {
  make: { doing: 'Creating', done: 'Creation', progress: 'creating', action: 'create' },
  alter: { doing: 'Modifying', done: 'Modifications', progress: 'modifying', action: 'update' },
  unmake: { doing: 'Destroying', done: 'Destruction', progress: 'destroying', action: 'delete' },
  read: { doing: 'Reading', done: 'Read', progress: 'reading', action: 'read' },
} as const

const atOnce = 10
const progressEveryMs = 1_000

export interface ApplyInput {
  module: Module
  variables: Values
  changes: Change[]
  destroy: boolean
  state: State
  /** Called whenever the state changes. */
  onChange(): Promise<void>
}

/** Carries out the changes of a plan, several at a time, each after those it depends on. */
export async function applyChanges(engine: Engine, input: ApplyInput): Promise<Applied> {
  const { module, variables, changes, state, onChange } = input
  const evaluation = evaluationOf(module, variables)
  const blocks = new Map(module.blocks.map((block) => [block.address, block]))
  for (const change of changes) setKnownValues(evaluation, blocks.get(change.block), change, state)

  const steps = stepsOf(changes)
  const waiting = new Set(steps)
  const running = new Map<Step, Promise<void>>()
  const done = new Set<Step>()
  const failed = new Set<Step>()
  const applied: Applied = { failures: [], halted: false, counts: { add: 0, change: 0, remove: 0 } }
  const keyed = changes.some((one) => one.key !== null && one.action !== 'delete' && isMachine(one))

  const perform = async (step: Step): Promise<void> => {
    const { change } = step
    try {
      await withEvents(engine, step, () =>
        carryOut(engine, step, { evaluation, blocks, state, keyed, destroy: input.destroy }),
      )
      // The resource exists but is not in the state yet: a kill here leaves one that the state does not know.
      if (done.size >= Math.floor(steps.length / 2) && (await engine.strikes('crash'))) {
        process.kill(process.pid, 'SIGKILL')
      }
      note(step, state, evaluation, blocks.get(change.block))
      count(applied, step)
      done.add(step)
    } catch (error) {
      if (error instanceof CloudError && error.made) state.instances.set(change.address, error.made)
      failed.add(step)
      applied.failures.push({ address: change.address, message: messageOf(error) })
    }
    await onChange()
  }

  while (waiting.size > 0 || running.size > 0) {
    for (const step of waiting) {
      if (running.size >= atOnce || engine.stopping()) break
      const needs = [...step.after]
      if (needs.some((one) => failed.has(one))) {
        waiting.delete(step)
        failed.add(step)
      } else if (needs.every((one) => done.has(one))) {
        waiting.delete(step)
        running.set(
          step,
          perform(step).finally(() => running.delete(step)),
        )
      }
    }
    if (running.size === 0) break
    await Promise.race(running.values())
  }
  applied.halted = waiting.size > 0
  if (applied.failures.length === 0 && !applied.halted)
    state.outputs = input.destroy ? {} : evaluation.outputs()
  return applied
}

const isMachine = ({ type, mode }: Change) => mode === 'managed' && cloudOf(type).kind.kind === 'machine'
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Before anything changes, references evaluate to existing resources. */
function setKnownValues(
  evaluation: Evaluation,
  block: Block | undefined,
  change: Change,
  state: State,
): void {
  if (!block || change.action === 'delete') return
  if (change.mode === 'data' && change.action === 'no-op') evaluation.set(block, change.key, change.after)
  const known = state.instances.get(change.address)
  if (change.mode === 'managed' && known && change.action !== 'replace') {
    evaluation.set(block, change.key, known.attributes)
  }
}

interface Situation {
  evaluation: Evaluation
  blocks: Map<string, Block>
  state: State
  keyed: boolean
  destroy: boolean
}

async function carryOut(engine: Engine, step: Step, situation: Situation) {
  const { evaluation, blocks, state, keyed, destroy } = situation
  const { change, what } = step
  const prior = state.instances.get(change.address)
  if (what === 'unmake') {
    if (prior) await unmake(engine, prior, { destroy })
    return
  }
  const block = blocks.get(change.block)
  const instance = block && evaluation.keysOf(block).find(({ key }) => key === change.key)
  if (!block || !instance) throw new ModuleError(`${change.address} is not in the module`)
  const planned = evaluation.config(block, instance)
  const place = placeOf(change.type, planned, { providers: evaluation.providers, env: engine.env })
  if (what === 'read') {
    step.result = dataInstance(change, readData(change.type, planned, place))
    return
  }
  const lifecycle = isObject(block.body.lifecycle) ? block.body.lifecycle : {}
  const config = prior ? ignoring(planned, prior.config, lifecycle.ignore_changes) : planned
  // If there are nodes, only a node can fail, never the head node.
  const mayFail = change.key !== null || !keyed
  step.result =
    what === 'alter' && prior
      ? await alter(engine, change, config, prior, place)
      : await make(engine, change, config, place, { mayFail })
}

const dataInstance = (change: Change, attributes: Values): Instance => ({
  mode: 'data',
  type: change.type,
  name: change.name,
  key: change.key,
  address: change.address,
  attributes,
  config: {},
  dependencies: change.dependencies,
  seed: null,
  tainted: false,
})

function note({ change, what, result }: Step, state: State, evaluation: Evaluation, block?: Block): void {
  if (what === 'unmake') {
    state.instances.delete(change.address)
    return
  }
  if (!result) return
  if (result.mode === 'managed') state.instances.set(change.address, result)
  if (block) evaluation.set(block, change.key, result.attributes)
}

function count({ counts }: Applied, { what }: Step): void {
  if (what === 'make') counts.add += 1
  if (what === 'alter') counts.change += 1
  if (what === 'unmake') counts.remove += 1
}

/** Reports the start, the progress and the end of a step. */
async function withEvents(engine: Engine, step: Step, work: () => Promise<void>): Promise<void> {
  const { change, what } = step
  const { doing, done, progress, action } = texts[what]
  const begun = Date.now()
  const seconds = () => Math.round((Date.now() - begun) / 1000)
  const oldId = change.before?.id
  const before = what !== 'make' && typeof oldId === 'string' ? ` [id=${oldId}]` : ''
  engine.emit.hook('apply_start', change, `${doing}...${before}`, { action })
  const timer = setInterval(() => {
    const elapsed = seconds()
    const text = `Still ${progress}... [${elapsed}s elapsed]`
    engine.emit.hook('apply_progress', change, text, { action, elapsed_seconds: elapsed })
  }, progressEveryMs)
  try {
    await work()
  } catch (error) {
    const text = `${done} errored after ${seconds()}s`
    engine.emit.hook('apply_errored', change, text, { action, elapsed_seconds: seconds() })
    throw error
  } finally {
    clearInterval(timer)
  }
  const id = step.result?.seed?.id
  const named = id === undefined ? {} : { id_key: 'id', id_value: id }
  const text = `${done} complete after ${seconds()}s${id === undefined ? '' : ` [id=${id}]`}`
  engine.emit.hook('apply_complete', change, text, { action, ...named, elapsed_seconds: seconds() })
}
