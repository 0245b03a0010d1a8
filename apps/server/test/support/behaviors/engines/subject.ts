import { randomBytes } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { testFolder } from '../../folder'
import { until } from '../../until'
import { birthIn } from '@flotilla/system/alive'
import type { EngineEvent, EngineProgram } from '../../../../src/engines/engine'
import { createTofu } from '../../../../src/engines/tofu/tofu'
import type { Workspace, WorkspaceOptions } from '../../../../src/engines/tofu/workspace'

/** An engine under test. */
export interface Subject {
  name: string
  /** With `slow`, the resource `slow` takes seconds. */
  program(options: { slow: boolean }): Promise<EngineProgram>
}

/** Three resources in sequence, followed by nodes. Needs no plugin. */
const module = {
  terraform: { required_version: '>= 1.7.0' },
  variable: {
    note: { type: 'string' },
    seconds: { type: 'number' },
    nodes: { type: 'map(object({size = string}))' },
    secret: { type: 'string', sensitive: true },
    texts: { type: 'map(string)', sensitive: true },
  },
  resource: {
    terraform_data: {
      first: { input: { note: '${var.note}', secret: '${var.secret}' } },
      slow: {
        input: '${terraform_data.first.id}',
        provisioner: [{ 'local-exec': { command: 'sleep ${var.seconds}', quiet: true } }],
      },
      node: {
        for_each: '${var.nodes}',
        input: { size: '${each.value.size}', text: '${var.texts[each.key]}' },
        depends_on: ['terraform_data.slow'],
      },
    },
  },
  output: {
    note: { value: '${terraform_data.first.output.note}' },
    nodes: { value: '${{for name, node in terraform_data.node : name => {size = node.output.size}}}' },
    texts: { value: '${var.texts}', sensitive: true },
  },
}

export const files = {
  module,
  variables: { note: 'hello', seconds: 0, nodes: { node1: { size: 'small' }, node2: { size: 'large' } } },
  secretVariables: { secret: 'a secret of the cluster', texts: { node1: 'one', node2: 'two' } },
}

export async function tofuOf(
  subject: Subject,
  { slow = false, atOnce = 4, timeouts = { interruptMs: 30_000, againMs: 10_000 } } = {},
) {
  const program = await subject.program({ slow })
  const pluginCache = await testFolder()
  return createTofu({ program: async () => program, pluginCache, atOnce, timeouts })
}

export interface Opened {
  workspace: Workspace
  options: WorkspaceOptions
  /** Opens the same workspace again, like a server that was just started. */
  again(): Promise<Workspace>
}

export async function openWorkspace(
  subject: Subject,
  given: { slow?: boolean; folder?: string; variables?: object; secretVariables?: object } = {},
): Promise<Opened> {
  const { slow = false, folder = await testFolder() } = given
  const options = {
    folder: path.join(folder, 'workspace'),
    environment: { CLOUD_ACCESS_KEY: 'the-key-of-a-credential', CLOUD_REGION: 'somewhere' },
    passphrase: randomBytes(24).toString('hex'),
  }
  const all = {
    module,
    variables: { ...files.variables, seconds: slow ? 4 : 0, ...given.variables },
    secretVariables: { ...files.secretVariables, ...given.secretVariables },
  }
  const open = async () => {
    const workspace = (await tofuOf(subject, { slow })).workspace(options)
    await workspace.write(all)
    return workspace
  }
  return { workspace: await open(), options, again: open }
}

/** A workspace that is ready to be applied. */
export async function planned(
  subject: Subject,
  given: Parameters<typeof openWorkspace>[1] = {},
): Promise<Opened> {
  const opened = await openWorkspace(subject, given)
  await opened.workspace.init({})
  await opened.workspace.plan({}, {})
  return opened
}

/** The process id of the engine that is running in a workspace. */
export async function enginePid(folder: string): Promise<number> {
  return until(() => {
    const [run] = readdirSync(path.join(folder, 'runs')).toSorted((a, b) => Number(b) - Number(a))
    try {
      const [, inner = '', boot = ''] = readFileSync(
        path.join(folder, 'runs', run ?? '', 'births'),
        'latin1',
      ).split('\n')
      return birthIn(inner, boot)?.pid
    } catch {
      return undefined
    }
  })
}

/** Collects events and waits for them. */
export function listener() {
  const events: EngineEvent[] = []
  return {
    events,
    onEvent: (event: EngineEvent) => void events.push(event),
    until: (is: (event: EngineEvent) => boolean) => until(() => events.find(is)),
    texts: () => events.map((event) => event.text).join('\n'),
  }
}

export const begins = (address: string) => (event: EngineEvent) =>
  event.change?.address === address && event.change.phase === 'start' && event.change.action === 'create'

/** The error with which work in progress fails. */
export const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it went well',
    (reason: unknown) => reason,
  )
