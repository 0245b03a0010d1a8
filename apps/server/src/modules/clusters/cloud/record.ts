import { isAdmin } from '@flotilla/contract/access'
import type { CloudClusterInput, Disk } from '@flotilla/contract/clusters/cloud'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { withStack, type StackChoices } from '@flotilla/contract/stacks/stack-choices'
import type { Database, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { AuditSource, Caller, RequestContext } from '../../../http/caller'
import type { Clusters } from '../clusters'
import type { Saving } from '../saving/saving'
import * as clusterStore from '../store'
import { requireCloud, type CloudCluster } from '../stored-cluster'
import { sealNewSecrets } from './workspace/deployment'
import { fixedOnExisting, othersDisks, refuseInvalid, smallerDisks, smallerRoots } from './input'
import { withSealedKey } from './workspace/rhel-key'
import { hasState, type CloudDeps } from './workspace/deps'

type DesktopDefaults = Pick<CloudCluster['info'], 'vncTokenAuthentication' | 'vncRemoteClient'>

export type RecordOptions = CloudDeps & {
  db: Database
  clusters: Clusters
  saving: Saving
  mayUseCredential(me: Caller, id: string): Promise<boolean>
  /** Fails if the owner of the cluster may no longer use its credential. */
  requireCredential(cluster: CloudCluster): Promise<void>
  /** What a stack determines for its clusters. */
  stackChoices(stackId: string): Promise<StackChoices | null>
  mayUseStack(me: Caller, id: string, provider: string): Promise<boolean>
  providersFor(me: Caller): Promise<string[]>
  /** How people connect to desktops if a new cluster does not specify it. */
  desktopDefaults(): Promise<DesktopDefaults>
}

/** Where a cluster is: moving it would mean recreating all of it. On Oracle, either field has the zone. */
const regionOf = ({ region_id }: CloudCluster['data']['network']) => region_id
const zoneOf = ({ availability_domain, zone_id }: CloudCluster['data']['network']) =>
  availability_domain || zone_id
const places = { region_id: regionOf, zone_id: zoneOf, availability_domain: zoneOf }

/** Stores the desired state of a cluster in a cloud: this creates nothing and costs nothing. */
export function makeCloudRecord(options: RecordOptions) {
  const { db, clusters, saving, secrets } = options

  const foreignDisks = async (me: Caller, provider: string, disks: Disk[], before?: CloudCluster) =>
    disks.some(({ id }) => id !== '')
      ? othersDisks(me, disks, await clusterStore.withDisks(db.kysely, provider), before)
      : {}

  /** Allows only what this person may use and what the provider supports. */
  const check = async (me: Caller, input: CloudClusterInput, before?: CloudCluster): Promise<void> => {
    const catalog = await options.catalog(input.provider, input.data.network.region_id)
    refuseInvalid(input, catalog, before)
    const fields: Record<string, string> = {}
    if (!(await options.providersFor(me)).includes(input.provider))
      fields['cluster.provider'] = 'This provider is not available to you'
    const credential = input.credential_id
    // Someone who edits a cluster shared with them does not need access to its credential.
    if (credential !== before?.credential_id) {
      if (!(await options.mayUseCredential(me, credential)))
        fields['cluster.credential_id'] = 'No such credential, or it is not shared with you'
      else if ((await options.credential(credential)).provider !== input.provider)
        fields['cluster.credential_id'] = 'This credential belongs to another provider'
    }
    if (input.stack_id !== null && input.stack_id !== before?.stack_id)
      if (!(await options.mayUseStack(me, input.stack_id, input.provider)))
        fields['cluster.stack_id'] = 'No such stack for this provider, or it is not shared with you'
    if (input.forEveryone !== (before?.for_everyone ?? false) && !isAdmin(me))
      fields['cluster.forEveryone'] = 'Only admins can share a cluster with everyone'
    const smaller = before && smallerDisks(input, before)
    if (smaller) fields['cluster.data.disks'] = smaller
    if (before) Object.assign(fields, fixedOnExisting(input, before))
    for (const [path, message] of before ? smallerRoots(input, before) : [])
      fields[`cluster.${path}`] = message
    const others = await foreignDisks(me, input.provider, input.data.disks, before)
    for (const [path, reason] of Object.entries(others)) fields[`cluster.data.${path}`] = reason
    if (Object.keys(fields).length > 0) fail('bad_input', { fields })
  }
  /** Applies what the chosen stack determines. Existing machines keep theirs. */
  const withStackChoices = async <Input extends CloudClusterInput>(
    input: Input,
    before?: CloudCluster,
  ): Promise<Input> => {
    if (input.stack_id === null || (before?.deployed && before.stack_id === input.stack_id)) return input
    const choices = await options.stackChoices(input.stack_id)
    return choices ? withStack(input, choices) : input
  }
  const columns = (
    input: CloudClusterInput,
    id: string,
    desktop: DesktopDefaults,
    before?: CloudCluster,
  ) => ({
    name: input.name,
    description: input.description,
    for_everyone: input.forEveryone,
    credential_id: input.credential_id,
    stack_id: input.stack_id,
    info: {
      ...input.info,
      vncTokenAuthentication: input.info.vncTokenAuthentication ?? desktop.vncTokenAuthentication,
      vncRemoteClient: input.info.vncRemoteClient ?? desktop.vncRemoteClient,
    },
    ...withSealedKey(secrets, input.data, id, before),
  })

  const cloudOnly = async (me: Caller, id: string, context: RequestContext): Promise<CloudCluster> =>
    requireCloud(await clusters.mine(me, id, context))

  return {
    cloudOnly,
    foreignDisks,

    /** `also` is done in the same transaction. */
    async create(
      me: Caller,
      given: CloudClusterInput,
      context: Pick<RequestContext, 'transaction'> & AuditSource,
      also?: (tx: Transaction, id: string) => Promise<void>,
    ): Promise<Cluster> {
      await check(me, given)
      const input = await withStackChoices(given)
      const desktop = await options.desktopDefaults()
      const rowOf = (id: string) => ({
        provider: input.provider,
        sealed_secrets: sealNewSecrets(secrets, id),
        ...columns(input, id, desktop),
      })
      return clusters.view(me, await saving.create(me, input, context, rowOf, also))
    },

    async update(
      me: Caller,
      given: CloudClusterInput & { id: string },
      deletedPkgs: string[],
      context: RequestContext,
    ): Promise<Cluster> {
      const found = await cloudOnly(me, given.id, context)
      await check(me, given, found)
      const input = await withStackChoices(given, found)
      if (input.provider !== found.provider)
        fail('bad_input', {
          fields: {
            'cluster.provider': 'The provider of a cluster cannot be changed: create a new cluster from it',
          },
        })
      const removed = new Set(deletedPkgs)
      const packages = input.data.packages.filter((name) => !removed.has(name))
      await saving.edit(me, found, input, context, (locked) => {
        const before = requireCloud(locked)
        const moved = {
          credential_id: input.credential_id !== before.credential_id,
          ...Object.fromEntries(
            Object.entries(places).map(([place, of]) => [
              `data.network.${place}`,
              of(input.data.network) !== of(before.data.network),
            ]),
          ),
        }
        const fields = Object.entries(moved).filter(([, differs]) => differs)
        // This also applies after a deploy that failed halfway: its resources would be searched for in the wrong place.
        if (fields.length > 0 && (before.deployed !== null || hasState(options.dataDir, input.id)))
          fail('wrong_state', {
            message:
              'The existing resources were created with the current credential and region: destroy the cluster first',
            fields: Object.fromEntries(
              fields.map(([field]) => [
                `cluster.${field}`,
                'Not possible while resources of the cluster are in the cloud',
              ]),
            ),
          })
        const wanted = { ...input, data: { ...input.data, packages } }
        return columns(wanted, input.id, before.info, before)
      })
      return clusters.view(me, input.id)
    },
  }
}
