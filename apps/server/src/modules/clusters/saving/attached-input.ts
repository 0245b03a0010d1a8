import os from 'node:os'
import type * as z from 'zod/mini'
import { isAdmin } from '@flotilla/contract/access'
import { PATHS_BY_ADMIN, PRIVATE_HEAD_NODE, type LocalClusterInput } from '@flotilla/contract/clusters/inputs'
import { fail } from '../../../fail'
import type { Caller } from '../../../http/caller'
import { isPrivate } from '../../../network/outgoing'
import { sealContext } from '../../../secrets/sealed-values'
import type { Secrets } from '../../../secrets/secrets'
import { isReadableKey } from '../../../transports/ssh/login'
import type { ConnectionTarget } from '../connection/settings'
import { AttachedData, type AttachedCluster } from '../stored-cluster'

export type Input = z.output<typeof LocalClusterInput>
export type Columns = Pick<AttachedCluster, 'name' | 'description' | 'for_everyone' | 'data'> & {
  sealed_given_key?: string
  host_key?: null
  paths_confirmed?: true
  private_address_allowed?: boolean
}
export type InputContext = {
  id: string
  byAdmin: boolean
  /** An admin who is not acting through an access token. */
  choosesPrograms: boolean
  /** Whether people who are not admins may use private addresses too. */
  privateHeadNodes: boolean
  before?: AttachedCluster
}

/** Admins may change the path; for others the stored value stays, whether they send it back or leave it out. */
function adminsPath(field: string, given: string, before: string, choosesPrograms: boolean): string {
  if (choosesPrograms) return given
  if (given !== '' && given !== before)
    fail('forbidden', { message: PATHS_BY_ADMIN, fields: { [field]: PATHS_BY_ADMIN } })
  return before
}

/** The columns to store for the input, with secrets sealed. Fails with the invalid fields. */
export function toColumns(
  { name, description, forEveryone, data: given }: Input,
  { id, byAdmin, choosesPrograms, privateHeadNodes, before }: InputContext,
  secrets: Secrets,
): Columns {
  const old = before?.data
  // The commands of a local cluster run with the server's own privileges.
  const opens = old?.transport !== 'local' || old.manager !== given.manager
  if (given.transport === 'local' && opens && !choosesPrograms)
    fail('forbidden', {
      message: 'Only admins can attach the console’s own machine',
      fields: { 'data.transport': 'Only admins can choose this' },
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
      message: 'Only admins can share a cluster with everyone',
      fields: { forEveryone: 'Only admins can choose this' },
    })
  if (data.transport === 'ssh' && !head)
    fail('bad_input', { fields: { 'data.head': 'Enter how to connect to the head node' } })
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
        'data.head.privateKey':
          'The key cannot be read: it is damaged, of an unknown type, or protected by a passphrase',
      },
    })
  const own = { prefix: 'node', count: 1, cores: os.availableParallelism(), gpus: 0 }
  const kept = AttachedData.parse({
    ...data,
    head: head && data.transport === 'ssh' ? rest : null,
    virtualNodes: data.manager === 'none' ? (data.virtualNodes ?? own) : null,
  })
  // A different machine has a different host key.
  const moved = old && (old.head?.host !== kept.head?.host || old.head?.port !== kept.head?.port)
  const mayBePrivate = byAdmin || privateHeadNodes || (!moved && before?.private_address_allowed)
  if (kept.head && isPrivate(kept.head.host) && !mayBePrivate)
    fail('forbidden', { message: PRIVATE_HEAD_NODE, fields: { 'data.head.host': PRIVATE_HEAD_NODE } })
  return {
    name,
    description,
    for_everyone: forEveryone,
    data: kept,
    ...(privateKey && { sealed_given_key: secrets.seal(privateKey, sealContext.clusterGivenKey(id)) }),
    ...(moved && { host_key: null, private_address_allowed: false }),
    ...(choosesPrograms && { paths_confirmed: true }),
    ...(byAdmin && { private_address_allowed: true }),
  }
}

/** Whether this change requires reconnecting to the cluster or setting up its nodes again. */
export const changesConnection = ({ data, sealed_given_key }: Columns, before: AttachedCluster): boolean =>
  sealed_given_key !== undefined || JSON.stringify(data) !== JSON.stringify(before.data)

/** A cluster in use keeps its resource manager and transport: no other one knows its jobs. */
export function requireSameManager({ data }: Columns, { data: old }: AttachedCluster): void {
  const message = 'Destroy the cluster first: its jobs are tied to the current setting'
  if (data.manager !== old.manager) fail('wrong_state', { fields: { 'data.manager': message }, message })
  if (data.transport !== old.transport)
    fail('wrong_state', { fields: { 'data.transport': message }, message })
}

/** A cluster as it would be if it were saved, with only what a connection needs. */
export const draft = (
  columns: Columns,
  id: string,
  me: Caller,
  saved: AttachedCluster | undefined,
): ConnectionTarget => ({
  state: 'saved',
  provider: 'local',
  owner_is_admin: isAdmin(me),
  private_address_allowed: false,
  paths_confirmed: false,
  sealed_private_key: null,
  sealed_given_key: null,
  ...saved,
  ...columns,
  id,
})
