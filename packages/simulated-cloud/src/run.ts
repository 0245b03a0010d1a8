import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { applyChanges } from './apply/apply'
import type { Arguments } from './arguments'
import { clouds, cloudOf } from './clouds/registry'
import { engineOf, type Engine, type MayHave } from './apply/engine'
import { bare, equal, hasSecret, isObject, ModuleError, opened, type Values } from './language/values'
import { lockState } from './state/lock'
import { loadModule, type Module } from './module/module'
import { makePlan, type Change } from './plan/plan'
import { readPlan, writePlan, type SavedPlan } from './plan/plan-file'
import { refresh } from './apply/refresh'
import type { Seal } from './state/encryption'
import type { Emit } from './emit'
import { emptyState, readState, stateFrom, stateText, writeState, type State } from './state/state'
import { givenVariables, readVariables } from './module/variables'

export interface CommandContext {
  folder: string
  env: NodeJS.ProcessEnv
  emit: Emit
  seals: { state: Seal; plan: Seal }
  stopping: () => boolean
  /** Checks the accounts' quotas; if omitted, there are none. */
  mayHave?: MayHave
}

export const STATE = 'terraform.tfstate'
/** The real engine's interval for writing the state during an apply. */
const writeEveryMs = 20_000
const slowness = 20

export const moduleJson = async (folder: string): Promise<unknown> =>
  JSON.parse(
    await readFile(path.join(folder, 'main.tf.json'), 'utf8').catch(() => {
      throw new ModuleError('No configuration files: main.tf.json not found')
    }),
  )

/** The cluster's id, for faults that are set for one cluster. */
function clusterIn(variables: Values): string | null {
  const tags = opened(variables.tags ?? null).value
  const id = isObject(tags) ? tags.flotilla_cluster : undefined
  return typeof id === 'string' ? id : null
}

async function begin(place: CommandContext, module: Module, clusterId: string | null): Promise<Engine> {
  const engine = engineOf({ ...place, clusterId })
  if (await engine.strikes('slow')) engine.pace = Math.max(engine.pace, 1) * slowness
  const first = module.blocks.find(({ type }) => cloudOf(type).name !== 'builtin')
  if (!first) return engine
  const { cloud, name } = cloudOf(first.type)
  if (!existsSync(path.join(place.folder, '.terraform', name))) {
    throw new ModuleError(
      'Inconsistent dependency lock file: required plugins are not installed; run "tofu init" first',
    )
  }
  if (await engine.strikes('badCredential')) throw new ModuleError(cloud.failures.badCredential)
  return engine
}

/** Records the plugins that the module needs; there is nothing to download. */
export async function initialize({ folder, emit }: CommandContext): Promise<void> {
  emit.info('Initializing the backend...')
  const { blocks } = loadModule(await moduleJson(folder))
  emit.info('Initializing provider plugins...')
  await mkdir(path.join(folder, '.terraform'), { recursive: true, mode: 0o700 })
  for (const name of new Set(blocks.map(({ type }) => cloudOf(type).name))) {
    emit.info(`- Using the simulated ${clouds[name].prefix.slice(0, -1)} provider`)
    await writeFile(path.join(folder, '.terraform', name), 'simulated\n', { mode: 0o600 })
  }
  emit.info('The simulated cloud has been successfully initialized!')
}

/** Everything that a plan is based on, with the refreshed state. */
async function prepare(place: CommandContext, { options, all }: Arguments) {
  const json = await moduleJson(place.folder)
  const module = loadModule(json)
  const variables = await readVariables(module, { ...place, files: all('var-file') })
  const clusterId = clusterIn(variables)
  const engine = await begin(place, module, clusterId)
  const prior = await readState(path.join(place.folder, STATE), place.seals.state)
  const state = prior ?? emptyState()
  if (options.refresh !== 'false') await refresh(engine, state)
  if (place.stopping()) throw new ModuleError('execution halted')
  return { json, module, variables, clusterId, engine, prior, state }
}

/** Evaluates the module and compares it with the state. */
async function planned(place: CommandContext, args: Arguments): Promise<{ kept: SavedPlan; engine: Engine }> {
  const { json, module, variables, clusterId, engine, prior, state } = await prepare(place, args)
  const destroy = args.options.destroy === 'true'
  const { changes, outputs } = makePlan(module, variables, state, {
    destroy,
    targets: args.all('target'),
    replace: args.all('replace'),
    env: place.env,
  })
  for (const [name, { value, sensitive }] of Object.entries(outputs)) {
    if (hasSecret(value) && !sensitive) {
      throw new ModuleError(`Output refers to sensitive values: output "${name}" is not marked as sensitive`)
    }
  }
  printPlan(place.emit, changes)
  const kept = {
    serial: prior?.serial ?? 0,
    lineage: prior?.lineage ?? '',
    module: json,
    variables,
    state: stateText(state),
    changes,
    destroy,
    clusterId,
  }
  return { kept, engine }
}

const counted = (changes: Change[], ...actions: string[]) =>
  changes.filter(({ mode, action }) => mode === 'managed' && actions.includes(action)).length

function printPlan(emit: Emit, changes: Change[]): void {
  for (const change of changes) {
    if (change.action === 'no-op') continue
    emit.change('planned_change', change, `Plan to ${change.action}`, change.action)
  }
  const add = counted(changes, 'create', 'replace')
  const altered = counted(changes, 'update')
  const remove = counted(changes, 'delete', 'replace')
  emit.info(`Plan: ${add} to add, ${altered} to change, ${remove} to destroy.`, {
    type: 'change_summary',
    changes: { add, change: altered, import: 0, remove, forget: 0, operation: 'plan' },
  })
}

const changesAnything = (changes: Change[]) => changes.some(({ action }) => action !== 'no-op')

export async function plan(place: CommandContext, args: Arguments): Promise<number> {
  const unlock = await lockState(place.folder, 'OperationTypePlan')
  try {
    const { kept } = await planned(place, args)
    const { out } = args.options
    if (out !== undefined) await writePlan(path.join(place.folder, out), kept, place.seals.plan)
    return args.options['detailed-exitcode'] && changesAnything(kept.changes) ? 2 : 0
  } finally {
    unlock()
  }
}

export async function apply(place: CommandContext, args: Arguments): Promise<number> {
  const unlock = await lockState(place.folder, 'OperationTypeApply')
  try {
    const [file] = args.rest
    if (file === undefined && args.options['auto-approve'] !== 'true') {
      throw new ModuleError('The simulated cloud cannot ask for approval: pass a plan, or -auto-approve')
    }
    if (args.options['refresh-only'] === 'true') return await refreshOnly(place, args)
    if (file !== undefined) return await applySavedPlan(place, file)
    const { kept, engine } = await planned(place, args)
    return await carryOut(engine, place, kept)
  } finally {
    unlock()
  }
}

async function refreshOnly(place: CommandContext, args: Arguments): Promise<number> {
  const { state } = await prepare(place, args)
  await save(place, state)
  return 0
}

async function applySavedPlan(place: CommandContext, file: string): Promise<number> {
  const kept = await readPlan(path.join(place.folder, file), place.seals.plan)
  const now = await readState(path.join(place.folder, STATE), place.seals.state)
  if ((now?.serial ?? 0) !== kept.serial || (now?.lineage ?? '') !== kept.lineage) {
    place.emit.diagnostic(
      'error',
      'Saved plan is stale',
      'The given plan file can no longer be applied because the state was changed by another operation after the plan was created.',
    )
    return 1
  }
  const module = loadModule(kept.module)
  await checkPlannedValues(place, module, kept)
  const engine = await begin(place, module, kept.clusterId)
  printPlan(place.emit, kept.changes)
  return carryOut(engine, place, kept)
}

/** Rejects a plan that was made with other values than the current ones. Secret values need not be passed again. */
async function checkPlannedValues(place: CommandContext, module: Module, kept: SavedPlan): Promise<void> {
  const given = await givenVariables(module, { ...place, files: [] })
  for (const [name, value] of Object.entries(given)) {
    const then = kept.variables[name]
    if (then !== undefined && !equal(bare(then), bare(value))) {
      throw new ModuleError(`Mismatch between input and plan variable value: var.${name} differs`)
    }
  }
}

async function carryOut(engine: Engine, place: CommandContext, kept: SavedPlan): Promise<number> {
  const { emit } = place
  const state = stateFrom(kept.state)
  state.serial = kept.serial
  if (existsSync(path.join(place.folder, STATE))) {
    await copyFile(path.join(place.folder, STATE), path.join(place.folder, `${STATE}.backup`))
  }
  let writtenAt = Date.now()
  const { failures, halted, counts } = await applyChanges(engine, {
    ...kept,
    module: loadModule(kept.module),
    state,
    async onChange() {
      if (Date.now() - writtenAt < writeEveryMs) return
      writtenAt = Date.now()
      await save(place, state)
    },
  })
  const lost = await engine.strikes('stateLost')
  if (lost) await saveElsewhere(place, state)
  else await save(place, state)
  for (const { address, message } of failures) emit.diagnostic('error', message, '', address)
  if (halted && engine.stopping()) emit.diagnostic('error', 'execution halted')
  if (failures.length > 0 || halted || lost) return 1
  emit.info(
    `Apply complete! Resources: ${counts.add} added, ${counts.change} changed, ${counts.remove} destroyed.`,
    { type: 'change_summary', changes: { ...counts, import: 0, forget: 0, operation: 'apply' } },
  )
  return 0
}

async function save(place: CommandContext, state: State): Promise<void> {
  state.serial += 1
  await writeState(place.folder, STATE, state, place.seals.state)
}

async function saveElsewhere(place: CommandContext, state: State): Promise<void> {
  state.serial += 1
  await writeState(place.folder, 'errored.tfstate', state, place.seals.state)
  place.emit.diagnostic('error', 'Failed to save state', 'Error saving state: no space left on device')
  place.emit.diagnostic(
    'error',
    'Failed to persist state to backend',
    'The state has been written to the file "errored.tfstate" in the current working directory.',
  )
}
