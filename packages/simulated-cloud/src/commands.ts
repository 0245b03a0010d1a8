import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArguments, type Arguments } from './arguments'
import { ModuleError } from './language/values'
import { LockedError, lockState } from './state/lock'
import { loadModule } from './module/module'
import { readPlan } from './plan/plan-file'
import { apply, initialize, moduleJson, plan, STATE, type CommandContext } from './run'
import { sealFrom } from './state/encryption'
import { shownOutputs, shownPlan, shownState } from './plan/show'
import { LABEL, makeEmit, type EmitOptions } from './emit'
import { readState, stateFrom, stateText, writeState, type State } from './state/state'

const print = (place: CommandContext, json: unknown) => place.emit.raw(`${JSON.stringify(json)}\n`)

const stateOf = (place: CommandContext) => readState(path.join(place.folder, STATE), place.seals.state)

async function readRequiredState(place: CommandContext): Promise<State> {
  const state = await stateOf(place)
  if (!state) throw new ModuleError('No state file was found')
  return state
}

/** `state list|rm|push|pull`. */
async function stateCommand(
  place: CommandContext,
  { rest: [what = '', ...names] }: Arguments,
): Promise<number> {
  const matches = (address: string) =>
    names.some((name) => address === name || address.startsWith(`${name}[`))
  if (what === 'list') {
    for (const address of (await readRequiredState(place)).instances.keys()) place.emit.raw(`${address}\n`)
    return 0
  }
  if (what === 'pull') {
    place.emit.raw(`${stateText(await readRequiredState(place))}\n`)
    return 0
  }
  const unlock = await lockState(place.folder, `OperationTypeState${what}`)
  try {
    if (what === 'rm') return await forget(place, matches)
    if (what === 'push') return await push(place, names[0] ?? '')
    throw new ModuleError(`The simulated cloud does not support “state ${what}”`)
  } finally {
    unlock()
  }
}

async function forget(place: CommandContext, matches: (address: string) => boolean): Promise<number> {
  const state = await readRequiredState(place)
  const gone = [...state.instances.keys()].filter(matches)
  if (gone.length === 0) throw new ModuleError('Invalid target address: no matching objects found')
  for (const address of gone) {
    state.instances.delete(address)
    place.emit.info(`Removed ${address}`)
  }
  state.serial += 1
  await writeState(place.folder, STATE, state, place.seals.state)
  place.emit.info(`Successfully removed ${gone.length} resource instance(s).`)
  return 0
}

async function push(place: CommandContext, file: string): Promise<number> {
  const seal = place.seals.state
  const given = stateFrom(await seal.open(await readFile(path.join(place.folder, file), 'utf8')))
  const now = await stateOf(place)
  if (now && (now.lineage !== given.lineage || now.serial > given.serial)) {
    throw new ModuleError(
      'Failed to write state: cannot import state over one of another lineage or a newer serial',
    )
  }
  await writeState(place.folder, STATE, given, seal)
  return 0
}

async function show(place: CommandContext, { rest: [file] }: Arguments): Promise<number> {
  if (file === undefined) print(place, shownState(await stateOf(place)))
  else {
    const kept = await readPlan(path.join(place.folder, file), place.seals.plan)
    print(place, shownPlan(kept.changes))
  }
  return 0
}

function perform(place: CommandContext, args: Arguments): Promise<number> {
  switch (args.command) {
    case 'plan':
      return plan(place, args)
    case 'destroy':
      return apply(place, { ...args, options: { ...args.options, destroy: 'true' } })
    case 'apply':
      return apply(place, args)
    case 'show':
      return show(place, args)
    case 'state':
      return stateCommand(place, args)
    default:
      return small(place, args)
  }
}

async function small(place: CommandContext, { command }: Arguments): Promise<number> {
  const { emit } = place
  if (command === 'init') await initialize(place)
  if (command === 'validate') {
    loadModule(await moduleJson(place.folder))
    print(place, { format_version: '1.0', simulated: true, valid: true, error_count: 0, diagnostics: [] })
  }
  if (command === 'output') {
    const state = await stateOf(place)
    print(place, state ? shownOutputs(state) : {})
  }
  if (command === 'version') {
    const platform = `${process.platform}_${process.arch}`
    print(place, { terraform_version: '1.12.6', simulated: true, platform, provider_selections: {} })
  }
  if (command === 'force-unlock') {
    // As with the real engine, a file lock is released when its holder ends.
    await lockState(place.folder, 'force-unlock').then((unlock) => unlock())
    emit.info('The state was not locked.')
  }
  return 0
}

type Given = Omit<CommandContext, 'emit' | 'seals'> & Pick<EmitOptions, 'print'>

/** Runs one command and returns its exit code. */
export async function run(argv: string[], { print: printed, ...given }: Given): Promise<number> {
  const json = argv.includes('-json')
  const emit = makeEmit({ json, print: printed })
  try {
    const setting = given.env.TF_ENCRYPTION
    const seals = { state: sealFrom(setting, 'state'), plan: sealFrom(setting, 'plan') }
    const place = { ...given, emit, seals }
    const args = parseArguments(argv)
    const streams = ['init', 'plan', 'apply', 'destroy'].includes(args.command)
    if (json && streams) emit.info('Simulated cloud', { type: 'version', tofu: 'simulated', ui: '1.2' })
    return await perform(place, args)
  } catch (error) {
    if (error instanceof LockedError) {
      const { ID, Operation, Who, Created } = error.held
      const detail = `Error message: ${error.message}\nLock Info:\n  ID: ${ID}\n  Operation: ${Operation}\n  Who: ${Who}\n  Created: ${Created}`
      emit.diagnostic('error', 'Error acquiring the state lock', detail)
    } else if (error instanceof ModuleError) emit.diagnostic('error', error.message)
    else {
      // A bug in the simulated cloud; a real engine would panic.
      emit.diagnostic(
        'error',
        'The simulated cloud has failed',
        error instanceof Error ? String(error.stack) : '',
      )
    }
    if (!json) process.stderr.write(`${LABEL} failed\n`)
    return 1
  }
}

/**
 * Runs a query in this process and returns its output, because starting a process usually takes longer than the query.
 */
export async function query(
  argv: string[],
  given: Pick<CommandContext, 'folder' | 'env'>,
): Promise<{ exitCode: number; text: string }> {
  let text = ''
  const exitCode = await run(argv, { ...given, stopping: () => false, print: (more) => void (text += more) })
  return { exitCode, text }
}
