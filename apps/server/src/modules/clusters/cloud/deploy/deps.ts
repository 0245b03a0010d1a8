import path from 'node:path'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { TorqueSource } from '../../../../cloud-init/input'
import { hasStateIn } from '../../../../engines/tofu/state-file'
import type { Tofu } from '../../../../engines/tofu/tofu'
import type { Workspace } from '../../../../engines/tofu/workspace'
import type { Catalogue, CredentialData, Driver, Infrastructure } from '../../../../providers/provider'
import { cloudProviders, isProviderId } from '../../../../providers/registry'
import type { Secrets } from '../../../../secrets/secrets'
import type { FoundCluster } from '../../store'
import { deploymentOf, openSecrets, type Image } from './deployment'
import { dataOf } from '../stored'

/** All that the work on clusters in clouds needs from elsewhere. */
export type Surroundings = {
  secrets: Secrets
  tofu: Tofu
  dataDir: string
  /** Whether clouds are simulated now. */
  simulated: boolean
  credential(id: string): Promise<{ provider: ProviderId; data: CredentialData }>
  /** Sizes and prices, as they are known for a region. */
  catalogue(provider: ProviderId, region: string): Promise<Catalogue | null>
  infrastructure(provider: ProviderId): Promise<Infrastructure>
  driver(provider: ProviderId, credential: CredentialData, region: string): Promise<Driver>
  /** The image of a stack; null when the cluster starts from the public one. */
  image(stackId: string | null): Promise<Image | null>
  torqueSource(): Promise<TorqueSource | null>
}

export type OpenedCluster = {
  workspace: Workspace
  driver: Driver
  catalogue: Catalogue | null
  holdsDisks: string | undefined
}

export const providerOf = ({ provider }: FoundCluster): ProviderId => {
  if (!isProviderId(provider)) throw new Error(`${provider} is no cloud`)
  return provider
}

export type PartsFrom = Pick<Surroundings, 'secrets' | 'catalogue' | 'image' | 'torqueSource'>

/** Everything about a cluster from which its module's variables are made. */
export async function partsOf(around: PartsFrom, cluster: FoundCluster) {
  const provider = providerOf(cluster)
  const [catalogue, image, torqueSource] = await Promise.all([
    around.catalogue(provider, dataOf(cluster).network.region_id),
    around.image(cluster.stack_id),
    around.torqueSource(),
  ])
  return { cluster, catalogue, image, torqueSource, secrets: openSecrets(around.secrets, cluster) }
}

const workspaceFolder = (dataDir: string, clusterId: string) =>
  path.join(dataDir, 'clusters', clusterId, 'engine')

/** Whether the engine may have made something of the cluster that is not removed yet. */
export const hasState = (dataDir: string, clusterId: string): boolean =>
  hasStateIn(workspaceFolder(dataDir, clusterId))

/** The way to a cluster's cloud: the engine in its workspace, with the files as the cluster is now, and the driver. */
export async function openCluster(
  around: Surroundings,
  cluster: FoundCluster,
  { onlyLook = false } = {},
): Promise<OpenedCluster> {
  const provider = providerOf(cluster)
  if (!cluster.credential_id) throw new Error('The cluster has no credential: edit it and choose one')
  const credential = await around.credential(cluster.credential_id)
  const parts = await partsOf(around, cluster)
  const infrastructure = await around.infrastructure(provider)
  const deployment = deploymentOf(parts)
  const workspace = around.tofu.workspace({
    folder: workspaceFolder(around.dataDir, cluster.id),
    environment: infrastructure.environment(credential.data),
    passphrase: parts.secrets.passphrase,
    secrets: [
      parts.secrets.joinKey,
      parts.secrets.rhelActivationKey,
      // Some clouds take all of them in one text.
      ...cloudProviders[provider].authentications
        .filter(({ type }) => type === 'password')
        .map(({ id }) => credential.data[id] ?? ''),
    ].filter((one) => one !== ''),
  })
  // A run may be at work there with what it wrote itself.
  if (!onlyLook)
    await workspace.write({
      module: infrastructure.module,
      variables: infrastructure.variables(deployment),
      secretVariables: infrastructure.secretVariables(deployment),
    })
  const driver = await around.driver(provider, credential.data, deployment.data.network.region_id)
  return { workspace, driver, catalogue: parts.catalogue, holdsDisks: infrastructure.holdsDisks }
}
