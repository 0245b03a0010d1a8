import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { inject } from 'vitest'
import type { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import type { ProviderId } from '@flotilla/contract/site/config'
import { simulatedProgram } from '../../../src/engines/tofu/find'
import { createTofu } from '../../../src/engines/tofu/tofu'
import type { Workspace } from '../../../src/engines/tofu/workspace'
import { secretVariables } from '../../../src/providers/module/module-parts'
import { cloudProviders } from '../../../src/providers/registry'
import { listWorld, simulatedDriver } from '../../../src/simulated/driver'
import { setFaults, type Faults } from '@flotilla/simulated-cloud/world/faults'
import { clusterOf, deploymentOf } from './deployment'
import { testFolder } from '../folder'
import { infrastructures } from './infrastructures'

export const simulatedCloudFile = () => path.join(inject('consoleFolder'), 'cli/simulated-cloud.js')

/** The module of a provider in a workspace, with a simulated cloud of its own. */
export async function simulatedCluster(provider: ProviderId, { pace = '0' } = {}) {
  const dir = await testFolder()
  const env = { PATH: process.env.PATH, SIMULATED_CLOUD_PACE: pace }
  const tofu = createTofu({
    program: async () => simulatedProgram({ file: simulatedCloudFile(), dir, env }),
    pluginCache: path.join(dir, 'plugins'),
    atOnce: 4,
  })
  const infrastructure = infrastructures[provider]
  const fields = cloudProviders[provider].authentications
  const credential = Object.fromEntries(fields.map(({ id }) => [id, `${id}-of-a-test`]))
  const workspace = tofu.workspace({
    folder: path.join(dir, 'workspace'),
    environment: infrastructure.environment(credential),
    passphrase: randomBytes(24).toString('hex'),
  })
  const driver = simulatedDriver({ dir, provider, pace: 0 })
  const world = () => listWorld(dir, provider)
  return {
    dir,
    workspace,
    driver,
    world,
    /** Destroys the cluster. Machines are stopped first, as mounted disks cannot be detached. */
    async destroy(): Promise<void> {
      const machines = (await world()).filter(({ kind }) => kind === 'machine').map(({ id }) => id)
      await driver.stop(machines, AbortSignal.timeout(10_000))
      await carriedOut(workspace, { destroy: true })
    },
    faults: (faults: Faults) => setFaults(dir, faults),
    /** Writes the workspace for the edited cluster. */
    async write(edit: (input: CloudClusterInput) => void = () => undefined): Promise<void> {
      const input = clusterOf(provider)
      edit(input)
      const deployment = deploymentOf(input)
      await workspace.write({
        module: infrastructure.module,
        variables: infrastructure.variables(deployment),
        secretVariables: secretVariables(deployment),
      })
    },
  }
}

/** Plans and applies, and returns the changes. */
export async function carriedOut(
  workspace: Workspace,
  options: { destroy?: boolean } = {},
): Promise<string[]> {
  await workspace.plan(options, {})
  const changes = (await workspace.showPlan()).filter((one) => one.action !== 'none')
  await workspace.apply({})
  return changes.map(({ action, address }) => `${action} ${address}`)
}
