import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { writeDurably } from '@flotilla/system/durable-file'
import type { Timeouts } from '../process/cancel'
import { EngineError, type EngineProgram, type Following } from '../engine'
import { engineEnvironment, secretsOf } from '../process/environment'
import { failureOf } from './failure'
import { findDetached, startDetached, type EngineProcess } from '../process/process'
import { readFrom } from './read'
import { recover, type Recovery } from './recover'
import { redactor } from '../process/redact'
import {
  changesIn,
  outputsIn,
  redactedValues,
  resourcesIn,
  type ResourceChange,
  type StateResource,
} from './show'
import { clearLock, keepState, pushErrored } from './state-file'
import { passSecrets, textsIn } from './variables'
import { watchOver, type Watched } from './watch'

type Operation = 'init' | 'plan' | 'apply' | 'refresh' | 'forget'

export interface WorkspaceOptions {
  /** The workspace's own folder, which contains its module, state and plan. */
  folder: string
  /** The engine's cloud credentials, whose values are redacted from all texts. */
  environment: Record<string, string>
  /** Encrypts state and plan; it is random, and must not change during the life of the workspace. */
  passphrase: string
  /** Other values to redact from all texts. */
  secrets?: string[]
}

export interface WorkspaceFiles {
  module: Record<string, unknown>
  variables: Record<string, unknown>
  /** Passed to the engine without being written to disk. */
  secretVariables: Record<string, unknown>
}

interface PlanOptions {
  destroy?: boolean
  /** Limits the plan to these and their dependencies. */
  targets?: string[]
  /** Resources to recreate even if nothing has changed. */
  replace?: string[]
}

export interface Workspace {
  folder: string
  write(files: WorkspaceFiles): Promise<void>
  init(following: Following): Promise<void>
  /** Saves the plan, and replaces an older one. */
  plan(options: PlanOptions, following: Following): Promise<{ changes: boolean }>
  hasPlan(): boolean
  dropPlan(): Promise<void>
  showPlan(): Promise<ResourceChange[]>
  /** Applies the saved plan exactly as it was shown, and then discards it. */
  apply(following: Following): Promise<void>
  /** Updates the state to what exists in the cloud. */
  refresh(following: Following): Promise<void>
  outputs(): Promise<Record<string, unknown>>
  resources(): Promise<StateResource[]>
  /** Removes resources from the state, but not from the cloud. */
  forget(addresses: string[], following: Following): Promise<void>
  /** Removes an abandoned lock, and returns whether there was one. */
  forceUnlock(): Promise<boolean>
  /** The operation that is running, or that ended while it was not followed. */
  inProgress(): Promise<{ operation: string; startedAt: number; alive: boolean } | null>
  /** Recovers from a crash of the server or the engine; `from` is the last position that was seen. */
  recover(options: { from?: number }, following: Following): Promise<Recovery>
  /** Removes everything, including the state. */
  remove(): Promise<void>
}

export interface WorkspaceDeps {
  program: () => Promise<EngineProgram>
  pluginCache: string
  inTurn: <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>
  timeouts: Timeouts
}

const json = ['-json', '-input=false']
const PLAN = 'kept.plan'

export function openWorkspace(around: WorkspaceDeps, options: WorkspaceOptions): Workspace {
  const { folder } = options
  const file = (name: string) => path.join(folder, name)
  let written: WorkspaceFiles | undefined
  let redact = redactor([])
  const known = () => [
    ...secretsOf(options.environment),
    ...(options.secrets ?? []),
    options.passphrase,
    ...textsIn(written?.secretVariables),
  ]
  redact = redactor(known())

  const environment = async () => {
    const program = await around.program()
    return {
      program,
      environment: engineEnvironment({
        folder,
        program,
        pluginCache: around.pluginCache,
        credentials: options.environment,
        passphrase: options.passphrase,
      }),
    }
  }

  const watching = (running: EngineProcess, following: Following, from?: number) =>
    watchOver(running, { following, redact, timeouts: around.timeouts, from })

  /** Completes an operation whose engine has ended, even if that is only noticed after a crash. */
  const finish = async (running: EngineProcess, watched: Watched): Promise<void> => {
    const good = watched.exitCode === 0 || (running.name === 'plan' && watched.exitCode === 2)
    if (running.name === 'plan' && good && existsSync(file(`${PLAN}.new`))) {
      await rename(file(`${PLAN}.new`), file(PLAN))
    }
    if (running.name === 'apply') await rm(file(PLAN), { force: true })
    await running.discard()
    if (good) return
    const why = failureOf(watched.diagnostics, watched.exitCode)
    if (!watched.canceled) throw why
    throw new EngineError('canceled', 'Canceled.', { details: why.details })
  }

  /** Waits until an engine may start, unless the operation is canceled or detached. */
  const myTurn = async <T>({ cancel, detach }: Following, work: () => Promise<T>): Promise<T> => {
    const signal = AbortSignal.any([cancel, detach].filter((one) => one !== undefined))
    let begun = false
    try {
      return await around.inTurn(() => {
        begun = true
        return work()
      }, signal)
    } catch (error) {
      if (begun) throw error
      const message = 'Canceled before it started.'
      throw new EngineError(cancel?.aborted ? 'canceled' : 'detached', message)
    }
  }

  const run = async (
    operation: Operation,
    args: string[],
    following: Following,
    { secrets = false, writes = false } = {},
  ): Promise<Watched> => {
    const { program, environment: env } = await environment()
    const passed = secrets && written ? passSecrets(written.module, written.secretVariables) : undefined
    const input = passed?.input
    return myTurn(following, async () => {
      if (writes) await keepState(folder)
      await mkdir(around.pluginCache, { recursive: true, mode: 0o700 })
      const running = await startDetached({
        folder,
        name: operation,
        command: [...program.command, ...args, ...(input === undefined ? [] : ['-var-file=/dev/fd/3'])],
        environment: { ...env, ...passed?.environment },
        input,
      })
      const watched = await watching(running, following)
      // Before the state is read again.
      await pushErrored(folder)
      await finish(running, watched)
      return watched
    })
  }

  const query = async (...argv: string[]): Promise<string> => {
    const place = await environment()
    return around.inTurn(() => readFrom({ ...place, argv, folder, redact }))
  }

  const workspace: Workspace = {
    folder,
    async write(files) {
      await mkdir(file('home'), { recursive: true, mode: 0o700 })
      await writeDurably(file('main.tf.json'), JSON.stringify(files.module, undefined, 1))
      await writeDurably(file('cluster.auto.tfvars.json'), JSON.stringify(files.variables, undefined, 1))
      written = files
      redact = redactor(known())
    },
    async init(following) {
      const { program } = await environment()
      // The simulated engine has nothing to download.
      if (program.query) await query('init', ...json)
      else await run('init', ['init', ...json], following)
    },
    async plan({ destroy = false, targets = [], replace = [] }, following) {
      await workspace.dropPlan()
      const more = [
        // An image or another data source may no longer exist, which must not prevent a destroy.
        ...(destroy ? ['-destroy', '-refresh=false'] : []),
        ...targets.map((address) => `-target=${address}`),
        ...replace.map((address) => `-replace=${address}`),
      ]
      const args = ['plan', ...json, '-detailed-exitcode', `-out=${PLAN}.new`, ...more]
      const { exitCode } = await run('plan', args, following, { secrets: true })
      return { changes: exitCode === 2 }
    },
    hasPlan: () => existsSync(file(PLAN)),
    async dropPlan() {
      await rm(file(PLAN), { force: true })
      await rm(file(`${PLAN}.new`), { force: true })
    },
    async showPlan() {
      return redactedValues(changesIn(await query('show', '-json', PLAN)), redact)
    },
    async apply(following) {
      await run('apply', ['apply', ...json, PLAN], following, { writes: true })
    },
    async refresh(following) {
      const args = ['apply', '-refresh-only', '-auto-approve', ...json]
      await run('refresh', args, following, { secrets: true, writes: true })
    },
    async outputs() {
      return redactedValues(outputsIn(await query('output', '-json')), redact)
    },
    async resources() {
      return redactedValues(resourcesIn(await query('show', '-json')), redact)
    },
    async forget(addresses, following) {
      if (addresses.length > 0)
        await run('forget', ['state', 'rm', ...addresses], following, { writes: true })
    },
    async forceUnlock() {
      const running = await findDetached(folder, { takeBack: false })
      if (running?.alive())
        throw new EngineError('locked', 'Another operation on this cluster is still in progress.')
      return clearLock(folder)
    },
    async inProgress() {
      const running = await findDetached(folder, { takeBack: false })
      return running && { operation: running.name, startedAt: running.startedAt, alive: running.alive() }
    },
    recover: ({ from }, following) =>
      recover(
        { folder, find: () => findDetached(folder, { takeBack: true }), watching, finish, workspace },
        { from, following },
      ),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  return workspace
}
