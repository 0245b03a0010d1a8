import { LocalClusterInput } from '@flotilla/contract/clusters/inputs'
import type { LocalCluster } from '@flotilla/contract/clusters/entity'
import type { Manager } from '@flotilla/contract/clusters/inputs'
import type { LdapCollaborators } from '@flotilla/contract/ldap-entry'
import * as z from 'zod/mini'
import { copyName } from '../cluster-text'

/** The form's values: every field, including those of the other transport, so that switching back loses nothing. */
export interface ClusterValues {
  name: string
  description: string
  collaborators: string[]
  ldapCollaborators?: z.input<typeof LdapCollaborators> | undefined
  forEveryone: boolean
  data: {
    manager: Manager
    transport: 'local' | 'ssh'
    head: {
      host: string
      port: number
      username: string
      key: 'cluster' | 'given'
      privateKey: string
      accounts: 'key' | 'sudo'
      binFolder: string
    }
    virtualNodes: { prefix: string; count: number; cores: number; gpus: number }
    partition: string
    slurmConf: string
  }
}

export const newCluster: ClusterValues = {
  name: '',
  description: '',
  collaborators: [],
  forEveryone: false,
  data: {
    manager: 'none',
    transport: 'local',
    head: {
      host: '',
      port: 22,
      username: '',
      key: 'cluster',
      privateKey: '',
      accounts: 'key',
      binFolder: '',
    },
    virtualNodes: { prefix: 'node', count: 2, cores: 1, gpus: 0 },
    partition: '',
    slurmConf: '',
  },
}

/** The defaults for users who are not admins, who can only attach other machines. */
export const newAttached: ClusterValues = {
  ...newCluster,
  data: { ...newCluster.data, manager: 'slurm', transport: 'ssh' },
}

/** The fields that a stored cluster and a file have in common. */
type Known = Pick<
  ClusterValues,
  'name' | 'description' | 'collaborators' | 'ldapCollaborators' | 'forEveryone'
> & {
  data: Pick<ClusterValues['data'], 'manager' | 'transport' | 'partition' | 'slurmConf'> & {
    head?: Partial<ClusterValues['data']['head']> | null | undefined
    virtualNodes?: Partial<ClusterValues['data']['virtualNodes']> | null | undefined
  }
}

/** The form's values of a stored cluster or a file. The server never returns a key; an empty field keeps the key. */
export const valuesOf = ({
  name,
  description,
  collaborators,
  ldapCollaborators,
  forEveryone,
  data,
}: Known): ClusterValues => ({
  name,
  description,
  collaborators: [...collaborators],
  ...(ldapCollaborators && { ldapCollaborators }),
  forEveryone,
  data: {
    manager: data.manager,
    transport: data.transport,
    head: { ...newCluster.data.head, ...data.head },
    virtualNodes: { ...newCluster.data.virtualNodes, ...data.virtualNodes },
    partition: data.partition,
    slurmConf: data.slurmConf,
  },
})

/** The values of a copy. A private key is not copied and has to be pasted again. */
export const copyOf = (cluster: LocalCluster): ClusterValues => ({
  ...valuesOf(cluster),
  name: copyName(cluster.name),
})

export const hasPaths = ({ data }: ClusterValues): boolean =>
  data.slurmConf !== '' || data.head.binFolder !== ''

/** Drops the paths of a copy or a file, because only admins can set paths. */
export const withoutPaths = (values: ClusterValues): ClusterValues => ({
  ...values,
  data: { ...values.data, slurmConf: '', head: { ...values.data.head, binFolder: '' } },
})

/** The request body, which has only the fields of the chosen transport. */
export function inputOf({ data, ...rest }: ClusterValues): z.input<typeof LocalClusterInput> {
  const { manager, transport, head, virtualNodes, partition, slurmConf } = data
  const { privateKey, ...headSettings } = head
  const given = headSettings.key === 'given' && privateKey.trim() !== ''
  return {
    ...rest,
    data: {
      manager,
      transport,
      ...(transport === 'ssh' && {
        head: { ...headSettings, ...(given && { privateKey: `${privateKey.trim()}\n` }) },
      }),
      ...(manager === 'none' && { virtualNodes }),
      partition: manager === 'none' ? '' : partition,
      slurmConf: manager === 'slurm' ? slurmConf : '',
    },
  }
}

/** The contract's schema for the form's fields. With `keyStored`, an empty private key keeps the stored one. */
export const clusterSchema = (keyStored: boolean) =>
  z
    .pipe(
      z.transform((values: ClusterValues) => inputOf(values)),
      LocalClusterInput,
    )
    .check(
      z.superRefine(({ data: { head } }, context) => {
        if (head?.key === 'given' && !head.privateKey && !keyStored)
          context.addIssue({
            code: 'custom',
            message: 'Paste the private key',
            path: ['data', 'head', 'privateKey'],
            input: undefined,
          })
      }),
    )
