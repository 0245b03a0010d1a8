import {
  attachDisk,
  configureSlurm,
  detachDisk,
  editPackages,
  type MachineCommand,
} from '../../../../cloud-init/commands'
import type { Logger } from 'pino'
import type { LogLevel } from '@flotilla/contract/clusters/entity'
import type { Database } from '../../../../db/database'
import { explain } from '../../../../explain'
import type { Vpn } from '../../vpn/vpn'
import type { ClusterConnection } from '../../commands/connection'
import * as store from '../../store'
import type { CloudCluster, Deployed } from '../../stored-cluster'
import { forgetAccounts } from '../../accounts/accounts'
import { runOn } from '../../commands/run-on'
import { slurmConfOf } from '../workspace/deployment'
import { isEdited } from '../../wanted-nodes'
import { partsOf, type PartsDeps } from '../workspace/deps'
import { revokeAccess } from './revoke-access'

const MINUTE = 60_000
/** Packages come over the network, and disks take a while to appear. */
const LONG_MS = 20 * MINUTE
/** How often a head node that should be up to date is checked. */
const CHECK_MS = MINUTE

type AddLogLine = (text: string, level?: LogLevel) => void
type Options = PartsDeps & { db: Database; vpn: Vpn; log: Logger; now: () => number }

export type Reconciler = ReturnType<typeof makeReconciler>
/**
 * What the engine cannot do: reconciles running machines with the desired state of the cluster, through the commands
 * that cloud-init installed there. Every command is idempotent.
 */
export function makeReconciler(options: Options) {
  const { db, vpn, log, now } = options
  /** What was last applied to the head nodes, and when they were last checked. */
  const known = new Map<string, { slurm: string; at: number }>()

  const slurm = async (cluster: CloudCluster, connection: ClusterConnection): Promise<boolean> => {
    if (cluster.data.manager !== 'slurm') return false
    const conf = slurmConfOf(await partsOf(options, cluster))
    const before = known.get(cluster.id)?.slurm
    if (before !== conf) await runOn(connection, configureSlurm(conf), LONG_MS)
    known.set(cluster.id, { slurm: conf, at: now() })
    return Boolean(before) && before !== conf
  }

  const packages = async (
    cluster: CloudCluster,
    deployed: Deployed,
    connection: ClusterConnection,
    say: AddLogLine,
  ) => {
    const wanted = cluster.data.packages
    const add = wanted.filter((name) => !deployed.packages.includes(name))
    const remove = deployed.packages.filter((name) => !wanted.includes(name))
    if (add.length === 0 && remove.length === 0) return
    if (remove.length > 0) say(`Removing packages: ${remove.join(', ')}`)
    if (add.length > 0) say(`Installing packages: ${add.join(', ')}`)
    await runOn(connection, editPackages(add, remove), LONG_MS)
    say('The head node is done; running nodes apply the change on their own')
    await store.update(db.kysely, cluster.id, { deployed: { ...deployed, packages: wanted } })
  }

  const disks = async (
    { disks: found }: Deployed,
    cluster: CloudCluster,
    connection: ClusterConnection,
    say: AddLogLine,
  ) => {
    for (const { name, size } of cluster.data.disks) {
      const disk = found[name]
      if (!disk) continue
      await runOn(connection, attachDisk({ name, size, hints: disk.hints }), LONG_MS)
      say(`The disk ${name} is mounted at /mnt/${name}`)
    }
  }

  return {
    /** Unmounts disks before the cloud detaches them. */
    async before(
      cluster: CloudCluster,
      deployed: Deployed,
      connection: () => Promise<ClusterConnection>,
      say: AddLogLine,
    ): Promise<void> {
      const wanted = new Set(cluster.data.disks.map(({ name }) => name))
      for (const name of Object.keys(deployed.disks).filter((one) => !wanted.has(one))) {
        say(`Unmounting the disk ${name}`)
        await runOn(await connection(), detachDisk(name), LONG_MS)
      }
    },

    /** After the machines are up. On the first deploy, failures are only logged: the cluster works all the same. */
    async after(
      cluster: CloudCluster,
      deployed: Deployed,
      before: Deployed | null,
      connection: ClusterConnection,
      say: AddLogLine,
    ): Promise<void> {
      const head = (one: Deployed | null) => one?.machines.find(({ role }) => role === 'head')?.id
      const failed: string[] = []
      const run = (command: MachineCommand) => runOn(connection, command, LONG_MS)
      const attempt = async (what: string, work: () => Promise<unknown>) => {
        try {
          await work()
        } catch (error) {
          failed.push(`${what}: ${explain(error)}`)
        }
      }
      await attempt('The configuration of Slurm', () => slurm(cluster, connection))
      await attempt('Disks', () => disks(deployed, cluster, connection, say))
      await attempt('Packages', () => packages(cluster, deployed, connection, say))
      await attempt('OpenVPN', async () => {
        const turned = await vpn.reconcile(cluster, deployed, run, {
          again: head(before) !== head(deployed),
        })
        if (turned) say(`OpenVPN is ${turned}`)
      })
      // Retried after every poll: no reason for the cluster not to run.
      await revokeAccess(options, { cluster, deployed, connection }).catch((error: unknown) =>
        say(explain(error), 'warning'),
      )
      for (const text of failed) say(text, 'warning')
      if (failed.length > 0 && before !== null) throw new Error(failed.join('. '))
    },

    /**
     * Applies changes that need no run: who may use the cluster, and the burst mode, which Slurm has to know. Never
     * fails: it is retried.
     */
    async maintain(cluster: CloudCluster, deployed: Deployed, connection: ClusterConnection): Promise<void> {
      const say = (text: string) => store.addLine(db.kysely, cluster.id, 'change', new Date(now()), text)
      try {
        await revokeAccess(options, { cluster, deployed, connection })
        const last = known.get(cluster.id)
        if (last && now() - last.at < CHECK_MS && last.at > (cluster.burst_reset_at?.getTime() ?? 0)) return
        known.set(cluster.id, { slurm: last?.slurm ?? '', at: now() })
        // An edit is applied only on request.
        const edited = isEdited(cluster)
        if (!edited && (await slurm(cluster, connection))) await say('Slurm is using the new configuration')
        const run = (command: MachineCommand) => runOn(connection, command, LONG_MS)
        const turned = await vpn.reconcile(cluster, deployed, run, { edited })
        if (turned) await say(`OpenVPN is ${turned}`)
      } catch (error) {
        const reason = explain(error)
        log.warn({ cluster: cluster.id, reason }, 'a head node could not be reconciled')
      }
    },

    async forget(clusterId: string): Promise<void> {
      known.delete(clusterId)
      await forgetAccounts(db.kysely, clusterId)
      await vpn.forget(clusterId)
    },
  }
}
