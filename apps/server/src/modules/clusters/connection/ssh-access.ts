import type { Logger } from 'pino'
import type { Database } from '../../../db/database'
import { schedulers } from '../../../schedulers/registry'
import { sealContext } from '../../../secrets/sealed-values'
import type { Secrets } from '../../../secrets/secrets'
import { sshTransport, type SshOptions } from '../../../transports/ssh/ssh'
import type { Transport } from '../../../transports/transport'
import type { HeadNodePolicy } from './head-node-policy'
import type { ClusterConnection } from '../commands/connection'
import * as store from '../store'
import type { ConnectionSettings } from './platform'
import { connectionSettings, type ConnectionTarget } from './settings'

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin'
export const environment = (slurmConf: string, folders: string | undefined): Record<string, string> => ({
  ...(slurmConf && { SLURM_CONF: slurmConf }),
  ...(folders && { PATH: `${folders}:${DEFAULT_PATH}` }),
})

/** The home directory, where commands run by default. If this fails, the connection is closed again. */
export async function homeOf(transport: Transport): Promise<string> {
  try {
    const { stdout } = await transport.exec(['pwd'], { timeoutMs: 15_000 })
    return stdout.trim()
  } catch (error) {
    await transport.close()
    throw error
  }
}

export type Head = NonNullable<ConnectionSettings['head']>
export type Login = Pick<SshOptions, 'username' | 'auth' | 'sudoAs'> &
  Partial<Pick<SshOptions, 'knownHostKey'>>
export const sameHost = (cluster: ConnectionTarget, { host, port }: Pick<Head, 'host' | 'port'>): boolean => {
  const saved = connectionSettings(cluster).head
  return saved?.host === host && saved.port === port
}
type Options = { db: Database; secrets: Secrets; headNodePolicy: HeadNodePolicy; log: Logger }

/** SSH connections to head nodes. */
export function makeSshAccess({ db, secrets, headNodePolicy, log }: Options) {
  const optionsOf = (cluster: ConnectionTarget, head: Head, slurmConf: string, login: Login): SshOptions => ({
    host: head.host,
    port: head.port,
    env: environment(slurmConf, head.binFolder),
    mayBePrivate: () => headNodePolicy.mayBePrivate(cluster),
    knownHostKey: async () => {
      const saved = await store.findAny(db.kysely, cluster.id)
      return saved && sameHost(saved, head) ? saved.host_key : null
    },
    // Nothing is stored for a cluster that is only being tested.
    pinHostKey: async (key) => {
      const saved = await store.findAny(db.kysely, cluster.id)
      if (saved && sameHost(saved, head)) await store.update(db.kysely, cluster.id, { host_key: key })
    },
    ...login,
  })
  const connect = async (cluster: ConnectionTarget, login: Login): Promise<ClusterConnection> => {
    const { head, manager, slurmConf } = connectionSettings(cluster)
    if (!head || manager === 'none')
      throw new Error('an SSH cluster needs a head node and a resource manager')
    const transport = sshTransport(optionsOf(cluster, head, slurmConf, login), log)
    return {
      transport,
      scheduler: schedulers[manager],
      account: login.sudoAs ?? login.username,
      home: await homeOf(transport),
    }
  }

  /** An unsaved cluster has no key of its own yet: the step that needs the key reports this. */
  const clusterAuth = (cluster: ConnectionTarget): SshOptions['auth'] => {
    const { head } = connectionSettings(cluster)
    const given = head?.key === 'given'
    const sealed = given ? cluster.sealed_given_key : cluster.sealed_private_key
    const place = `~${head?.username}/.ssh/authorized_keys on ${head?.host}`
    if (!sealed)
      return {
        missing: `The cluster gets its own key when it is saved. Save it, add its public key to ${place}, and test again.`,
      }
    const context = given ? sealContext.clusterGivenKey : sealContext.clusterKey
    return { privateKey: secrets.open(sealed, context(cluster.id)).toString() }
  }

  return { options: optionsOf, connect, clusterAuth }
}
