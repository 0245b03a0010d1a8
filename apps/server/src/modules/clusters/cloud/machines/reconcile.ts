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
 * Reconciles running machines with the desired state of the cluster, which the engine cannot do, through the commands
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
    addLine: AddLogLine,
  ) => {
    const wanted = cluster.data.packages
    const add = wanted.filter((name) => !deployed.packages.includes(name))
    const remove = deployed.packages.filter((name) => !wanted.includes(name))
    if (add.length === 0 && remove.length === 0) return
    if (remove.length > 0) addLine(`Removing packages: ${remove.join(', ')}`)
    if (add.length > 0) addLine(`Installing packages: ${add.join(', ')}`)
    await runOn(connection, editPackages(add, remove), LONG_MS)
    addLine('The head node is done; running nodes apply the change on their own')
    await store.update(db.kysely, cluster.id, { deployed: { ...deployed, packages: wanted } })
  }

  const disks = async (
    { disks: found }: Deployed,
    cluster: CloudCluster,
    connection: ClusterConnection,
    addLine: AddLogLine,
  ) => {
    for (const { name, size } of cluster.data.disks) {
      const disk = found[name]
      if (!disk) continue
      await runOn(connection, attachDisk({ name, size, hints: disk.hints }), LONG_MS)
      addLine(`The disk ${name} is mounted at /mnt/${name}`)
    }
  }

  return {
    /** Unmounts disks before the cloud detaches them. */
    async before(
      cluster: CloudCluster,
      deployed: Deployed,
      connection: () => Promise<ClusterConnection>,
      addLine: AddLogLine,
    ): Promise<void> {
      const wanted = new Set(cluster.data.disks.map(({ name }) => name))
      for (const name of Object.keys(deployed.disks).filter((one) => !wanted.has(one))) {
        addLine(`Unmounting the disk ${name}`)
        await runOn(await connection(), detachDisk(name), LONG_MS)
      }
    },

    /** Runs after the machines are up. On the first deploy, failures are only logged: the cluster works anyway. */
    async after(
      cluster: CloudCluster,
      deployed: Deployed,
      before: Deployed | null,
      connection: ClusterConnection,
      addLine: AddLogLine,
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
      await attempt('Disks', () => disks(deployed, cluster, connection, addLine))
      await attempt('Packages', () => packages(cluster, deployed, connection, addLine))
      await attempt('OpenVPN', async () => {
        const turned = await vpn.reconcile(cluster, deployed, run, {
          again: head(before) !== head(deployed),
        })
        if (turned) addLine(`OpenVPN is ${turned}`)
      })
      // This is retried after every poll, so a failure does not keep the cluster from running.
      await revokeAccess(options, { cluster, deployed, connection }).catch((error: unknown) =>
        addLine(explain(error), 'warning'),
      )
      for (const text of failed) addLine(text, 'warning')
      if (failed.length > 0 && before !== null) throw new Error(failed.join('. '))
    },

    /**
     * Applies changes that need no run: who may use the cluster, and the burst mode, which Slurm has to know. Never
     * fails: it is retried.
     */
    async maintain(cluster: CloudCluster, deployed: Deployed, connection: ClusterConnection): Promise<void> {
      const addLine = (text: string) => store.addLine(db.kysely, cluster.id, 'change', new Date(now()), text)
      try {
        await revokeAccess(options, { cluster, deployed, connection })
        const last = known.get(cluster.id)
        if (last && now() - last.at < CHECK_MS && last.at > (cluster.burst_reset_at?.getTime() ?? 0)) return
        known.set(cluster.id, { slurm: last?.slurm ?? '', at: now() })
        // An edit is applied only on request.
        const edited = isEdited(cluster)
        if (!edited && (await slurm(cluster, connection)))
          await addLine('Slurm is using the new configuration')
        const run = (command: MachineCommand) => runOn(connection, command, LONG_MS)
        const turned = await vpn.reconcile(cluster, deployed, run, { edited })
        if (turned) await addLine(`OpenVPN is ${turned}`)
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
