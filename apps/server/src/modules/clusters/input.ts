import os from 'node:os'
import type * as z from 'zod/mini'
import { PATHS_BY_ADMIN, PRIVATE_HEAD_NODE, type LocalClusterInput } from '@flotilla/contract/clusters/inputs'
import { fail } from '../../fail'
import type { Caller } from '../../http/caller'
import { isPrivate } from '../../outgoing'
import type { Secrets } from '../../secrets/secrets'
import { isReadableKey } from '../../transports/ssh/login'
import type { FoundCluster } from './store'
import { StoredData } from './connection/settings'

export type Input = z.output<typeof LocalClusterInput>
export type Columns = Pick<FoundCluster, 'name' | 'description' | 'for_everyone'> & {
  data: string
  sealed_given_key?: string
  host_key?: null
  paths_confirmed?: true
  private_address_allowed?: boolean
}
export type Given = {
  id: string
  byAdmin: boolean
  /** An admin without an access token in between. */
  choosesPrograms: boolean
  /** Whether people who are not admins may use private addresses too. */
  privateHeadNodes: boolean
  before?: Pick<FoundCluster, 'for_everyone' | 'data' | 'sealed_given_key' | 'private_address_allowed'>
}

/** One's own choice as an admin; otherwise what is there stays, whether it is sent back or left out. */
function adminsPath(field: string, given: string, before: string, choosesPrograms: boolean): string {
  if (choosesPrograms) return given
  if (given !== '' && given !== before)
    fail('forbidden', { message: PATHS_BY_ADMIN, fields: { [field]: PATHS_BY_ADMIN } })
  return before
}

/** What of the input is kept, with the secrets apart; or the fields that cannot be so. */
export function toColumns(
  { name, description, forEveryone, data: given }: Input,
  { id, byAdmin, choosesPrograms, privateHeadNodes, before }: Given,
  secrets: Secrets,
): Columns {
  const old = before && StoredData.parse(before.data)
  // Its commands run with the server's own rights.
  const opens = old?.transport !== 'local' || old.manager !== given.manager
  if (given.transport === 'local' && opens && !choosesPrograms)
    fail('forbidden', {
      message: "Only an admin attaches the console's own machine",
      fields: { 'data.transport': 'Only an admin chooses this' },
    })
  const head = given.head && {
    ...given.head,
    binFolder: adminsPath(
      'data.head.binFolder',
      given.head.binFolder,
      old?.head?.binFolder ?? '',
      choosesPrograms,
    ),
  }
  const data = {
    ...given,
    slurmConf: adminsPath('data.slurmConf', given.slurmConf, old?.slurmConf ?? '', choosesPrograms),
  }
  if (forEveryone !== (before?.for_everyone ?? false) && !byAdmin)
    fail('forbidden', {
      message: 'Only an admin opens a cluster to everyone',
      fields: { forEveryone: 'Only an admin chooses this' },
    })
  if (data.transport === 'ssh' && !head)
    fail('bad_input', { fields: { 'data.head': 'Say how the head node is reached' } })
  if (data.manager === 'none' && data.transport === 'ssh')
    fail('bad_input', {
      fields: {
        'data.manager': 'The built-in executor runs on this machine: choose Slurm or Torque for a head node',
      },
    })
  const { privateKey, ...rest } = head ?? {}
  if (head?.key === 'given' && !privateKey && !before?.sealed_given_key)
    fail('bad_input', { fields: { 'data.head.privateKey': 'Paste the private key' } })
  if (privateKey && !isReadableKey(privateKey))
    fail('bad_input', {
      fields: {
        'data.head.privateKey': 'It cannot be read: it is damaged, of an unknown kind, or has a passphrase',
      },
    })
  const own = { prefix: 'node', count: 1, cores: os.availableParallelism(), gpus: 0 }
  const kept = StoredData.parse({
    ...data,
    head: head && data.transport === 'ssh' ? rest : null,
    virtualNodes: data.manager === 'none' ? (data.virtualNodes ?? own) : null,
  })
  // Another machine has another host key.
  const moved = old && (old.head?.host !== kept.head?.host || old.head?.port !== kept.head?.port)
  const mayBePrivate = byAdmin || privateHeadNodes || (!moved && before?.private_address_allowed)
  if (kept.head && isPrivate(kept.head.host) && !mayBePrivate)
    fail('forbidden', { message: PRIVATE_HEAD_NODE, fields: { 'data.head.host': PRIVATE_HEAD_NODE } })
  return {
    name,
    description,
    for_everyone: forEveryone,
    data: JSON.stringify(kept),
    ...(privateKey && { sealed_given_key: secrets.seal(privateKey, `cluster-given-key ${id}`) }),
    ...(moved && { host_key: null, private_address_allowed: false }),
    ...(choosesPrograms && { paths_confirmed: true }),
    ...(byAdmin && { private_address_allowed: true }),
  }
}

/** Whether the cluster must be reached anew, or its nodes set up anew, after this change. */
export function changesWay(columns: Columns, before: FoundCluster): boolean {
  const now = StoredData.parse(JSON.parse(columns.data))
  return (
    columns.sealed_given_key !== undefined ||
    JSON.stringify(now) !== JSON.stringify(StoredData.parse(before.data))
  )
}

/** A cluster in use stays what it is: its jobs are known there and nowhere else. */
export function refuseOtherManager(columns: Columns, before: FoundCluster): void {
  const now = StoredData.parse(JSON.parse(columns.data))
  const old = StoredData.parse(before.data)
  const why = 'Destroy the cluster first: its jobs are on the one that it has now'
  if (now.manager !== old.manager) fail('wrong_state', { fields: { 'data.manager': why }, message: why })
  if (now.transport !== old.transport)
    fail('wrong_state', { fields: { 'data.transport': why }, message: why })
}

/** A cluster as it would be if it were saved: what was typed, over what is saved, over nothing at all. */
export function typed(
  { data, ...rest }: Columns,
  id: string,
  me: Caller,
  at: Date,
  saved: FoundCluster | undefined,
): FoundCluster {
  const nothing: Omit<FoundCluster, 'data' | 'name' | 'description' | 'for_everyone'> = {
    id,
    owner_id: me.id,
    owner: me.username,
    owner_is_admin: me.role.includes('admin'),
    paths_confirmed: false,
    private_address_allowed: false,
    provider: 'local',
    credential_id: null,
    state: 'saved',
    state_since: at,
    cause: null,
    collaborators: [],
    polled_at: null,
    poll_error: null,
    poll_error_since: null,
    queue_counts: {},
    node_counts: {},
    largest_node: {},
    node_totals: {},
    host_key: null,
    public_key: null,
    sealed_private_key: null,
    sealed_given_key: null,
    stack_id: null,
    info: {},
    up_nodes: [],
    deployed: null,
    plan: null,
    sealed_secrets: null,
    engine_position: 0,
    engine_died: false,
    burst_paused: null,
    burst_reset_at: null,
    fast_restore: [],
    kept_ids: [],
    kept_disks: 0,
    sealed_activation_key: null,
    name_round: 0,
    created_at: at,
  }
  return { ...nothing, ...saved, ...rest, id, data: JSON.parse(data) as unknown }
}
