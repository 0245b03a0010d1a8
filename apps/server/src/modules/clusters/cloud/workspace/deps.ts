import path from 'node:path'
import type { ImageTerms } from '@flotilla/contract/clusters/terms'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { TorqueSource } from '../../../../cloud-init/input'
import { hasStateIn } from '../../../../engines/tofu/state-file'
import type { Tofu } from '../../../../engines/tofu/tofu'
import type { Workspace } from '../../../../engines/tofu/workspace'
import type { CredentialData } from '../../../../providers/fields/credential-data'
import { secretVariables } from '../../../../providers/module/module-parts'
import type { Catalog, Driver, Infrastructure } from '../../../../providers/provider'
import { cloudProviders } from '../../../../providers/registry'
import type { Secrets } from '../../../../secrets/secrets'
import type { Clouds } from '../../../clouds/clouds'
import type { CloudCluster } from '../../stored-cluster'
import { deploymentOf, openSecrets, type Image } from './deployment'
import { fetchImagePlans, NOT_LOOKED_UP } from './image-plans'

/** Everything that clusters in clouds need from other modules. */
export type CloudDeps = {
  secrets: Secrets
  tofu: Tofu
  dataDir: string
  mode: Pick<Clouds, 'priceNote' | 'listsDeletedMs' | 'capacityWaitMs'>
  credential(id: string): Promise<{ provider: ProviderId; data: CredentialData }>
  /** The known sizes and prices of a region. */
  catalog(provider: ProviderId, region: string): Promise<Catalog | null>
  infrastructure(provider: ProviderId): Promise<Infrastructure>
  driver(provider: ProviderId, credential: CredentialData, region: string): Promise<Driver>
  /** The image of a stack; null if the cluster starts from the public one. */
  image(stackId: string | null): Promise<Image | null>
  torqueSource(): Promise<TorqueSource | null>
}

export type OpenedCluster = {
  workspace: Workspace
  driver: Driver
  credential: CredentialData
  catalog: Catalog | null
  holdsDisks: string | undefined
  /** Terms of marketplace images that have not been accepted. */
  terms: ImageTerms[]
}

export type PartsDeps = Pick<CloudDeps, 'secrets' | 'catalog' | 'image' | 'torqueSource'>

/** Everything that the module's variables of a cluster are built from. */
export async function partsOf(deps: PartsDeps, cluster: CloudCluster) {
  const [catalog, image, torqueSource] = await Promise.all([
    deps.catalog(cluster.provider, cluster.data.network.region_id),
    deps.image(cluster.stack_id),
    deps.torqueSource(),
  ])
  return { cluster, catalog, image, torqueSource, secrets: openSecrets(deps.secrets, cluster) }
}

/**
 * If the zone is left to the cloud, chooses one that offers every size: the cloud's own choice may not. An existing
 * cluster stays where it is.
 */
async function inZone(cluster: CloudCluster, { zoneFor }: Driver): Promise<CloudCluster> {
  const { network, server, node } = cluster.data
  if (!zoneFor || cluster.deployed || network.zone_id || network.subnet_id) return cluster
  const groups = node.group.filter(({ count }) => count > 0)
  const sizes = [server, ...groups].map(({ instance_id }) => instance_id).filter(Boolean)
  const zone_id = sizes.length > 0 ? await zoneFor(sizes) : ''
  return { ...cluster, data: { ...cluster.data, network: { ...network, zone_id } } }
}

const workspaceFolder = (dataDir: string, clusterId: string) =>
  path.join(dataDir, 'clusters', clusterId, 'engine')

/** Whether the engine may have created resources of the cluster that still exist. */
export const hasState = (dataDir: string, clusterId: string): boolean =>
  hasStateIn(workspaceFolder(dataDir, clusterId))

/** The engine in the cluster's workspace, with files for the cluster as it is now, and the cloud's driver. */
export async function openCluster(
  deps: CloudDeps,
  cluster: CloudCluster,
  // A destroy does not query the cloud: what it would look up may be gone.
  { readOnly = false, queryCloud = false } = {},
): Promise<OpenedCluster> {
  const { provider } = cluster
  if (!cluster.credential_id) throw new Error('The cluster has no credential: edit it and choose one')
  const credential = await deps.credential(cluster.credential_id)
  const parts = await partsOf(deps, cluster)
  const infrastructure = await deps.infrastructure(provider)
  const driver = await deps.driver(provider, credential.data, cluster.data.network.region_id)
  const initial = deploymentOf({ ...parts, cluster: queryCloud ? await inZone(cluster, driver) : cluster })
  const images = queryCloud ? await fetchImagePlans(infrastructure, initial, driver) : NOT_LOOKED_UP
  const deployment = { ...initial, imagePlans: images.plans }
  const workspace = deps.tofu.workspace({
    folder: workspaceFolder(deps.dataDir, cluster.id),
    environment: infrastructure.environment(credential.data),
    passphrase: parts.secrets.passphrase,
    secrets: [
      parts.secrets.joinKey,
      parts.secrets.rhelActivationKey,
      // Some clouds take the whole credential as one text.
      ...cloudProviders[provider].authentications
        .filter(({ type }) => type === 'password')
        .map(({ id }) => credential.data[id] ?? ''),
    ].filter((one) => one !== ''),
  })
  // A run may be working there with the files it wrote itself.
  if (!readOnly)
    await workspace.write({
      module: infrastructure.module,
      variables: infrastructure.variables(deployment),
      secretVariables: secretVariables(deployment),
    })
  const { catalog } = parts
  const { holdsDisks } = infrastructure
  return { workspace, driver, credential: credential.data, catalog, holdsDisks, terms: images.terms }
}
