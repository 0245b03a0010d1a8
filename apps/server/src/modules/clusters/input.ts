import os from 'node:os'
import type * as z from 'zod/mini'
import { PATHS_BY_ADMIN, PRIVATE_HEAD_NODE, type LocalClusterInput } from '@flotilla/contract/clusters/inputs'
import { fail } from '../../fail'
import type { Caller } from '../../http/caller'
import { isPrivate } from '../../outgoing'
import type { Secrets } from '../../secrets/secrets'
import { isReadableKey } from '../../transports/ssh/login'
import type { ConnectionTarget } from './connection/settings'
import { AttachedData, type AttachedCluster } from './stored-cluster'

export type Input = z.output<typeof LocalClusterInput>
export type Columns = Pick<AttachedCluster, 'name' | 'description' | 'for_everyone' | 'data'> & {
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
  before?: AttachedCluster
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
  const old = before?.data
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
  const kept = AttachedData.parse({
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
    data: kept,
    ...(privateKey && { sealed_given_key: secrets.seal(privateKey, `cluster-given-key ${id}`) }),
    ...(moved && { host_key: null, private_address_allowed: false }),
    ...(choosesPrograms && { paths_confirmed: true }),
    ...(byAdmin && { private_address_allowed: true }),
  }
}

/** Whether the cluster must be connected to again, or its nodes set up again, after this change. */
export const changesConnection = ({ data, sealed_given_key }: Columns, before: AttachedCluster): boolean =>
  sealed_given_key !== undefined || JSON.stringify(data) !== JSON.stringify(before.data)

/** A cluster in use stays what it is: its jobs are known there and nowhere else. */
export function refuseOtherManager({ data }: Columns, { data: old }: AttachedCluster): void {
  const message = 'Destroy the cluster first: its jobs are on the one that it has now'
  if (data.manager !== old.manager) fail('wrong_state', { fields: { 'data.manager': message }, message })
  if (data.transport !== old.transport)
    fail('wrong_state', { fields: { 'data.transport': message }, message })
}

/** A cluster as it would be if it were saved, as far as connecting to it needs it. */
export const draft = (
  columns: Columns,
  id: string,
  me: Caller,
  saved: AttachedCluster | undefined,
): ConnectionTarget => ({
  state: 'saved',
  provider: 'local',
  owner_is_admin: me.role.includes('admin'),
  private_address_allowed: false,
  paths_confirmed: false,
  sealed_private_key: null,
  sealed_given_key: null,
  ...saved,
  ...columns,
  id,
})
