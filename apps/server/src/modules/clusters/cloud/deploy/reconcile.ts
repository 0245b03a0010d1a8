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
import type { Reach } from '../../connection/connection'
import type { FoundCluster } from '../../store'
import * as store from '../../store'
import { forgetAccounts } from '../../accounts/accounts'
import { runOn } from '../machines/commands'
import { slurmConfOf } from './deployment'
import { dataOf, deployedOf, machinesOf, madeFrom, type Deployed } from '../stored'
import { partsOf, type PartsFrom } from './deps'
import { shutOut } from '../withdraw'

const MINUTE = 60_000
/** Packages come over the network, and disks are looked for for a while. */
const LONG_MS = 20 * MINUTE
/** How often a head node that should be right is looked at. */
const LOOK_MS = MINUTE

type Say = (text: string, level?: LogLevel) => void
type Options = PartsFrom & { db: Database; vpn: Vpn; log: Logger; now: () => number }

export type Settling = ReturnType<typeof makeSettling>
/**
 * What the engine cannot do: machines that run already are brought to what the cluster is to be, by the commands that
 * cloud-init left there. Each may be done twice.
 */
export function makeSettling(options: Options) {
  const { db, vpn, log, now } = options
  /** What the head nodes were last told, and when they were last looked at. */
  const known = new Map<string, { slurm: string; at: number }>()

  const slurm = async (cluster: FoundCluster, reach: Reach): Promise<boolean> => {
    if (dataOf(cluster).manager !== 'slurm') return false
    const conf = slurmConfOf(await partsOf(options, cluster))
    const before = known.get(cluster.id)?.slurm
    if (before !== conf) await runOn(reach, configureSlurm(conf), LONG_MS)
    known.set(cluster.id, { slurm: conf, at: now() })
    return Boolean(before) && before !== conf
  }

  const packages = async (cluster: FoundCluster, deployed: Deployed, reach: Reach, say: Say) => {
    const wanted = dataOf(cluster).packages
    const add = wanted.filter((name) => !deployed.packages.includes(name))
    const remove = deployed.packages.filter((name) => !wanted.includes(name))
    if (add.length === 0 && remove.length === 0) return
    if (remove.length > 0) say(`Removing packages: ${remove.join(', ')}`)
    if (add.length > 0) say(`Installing packages: ${add.join(', ')}`)
    await runOn(reach, editPackages(add, remove), LONG_MS)
    say('The head node has them; nodes that are up follow by themselves')
    await store.update(db.kysely, cluster.id, { deployed: JSON.stringify({ ...deployed, packages: wanted }) })
  }

  const disks = async ({ disks: found }: Deployed, cluster: FoundCluster, reach: Reach, say: Say) => {
    for (const { name, size } of dataOf(cluster).disks) {
      const disk = found[name]
      if (!disk) continue
      await runOn(reach, attachDisk({ name, size, hints: disk.hints }), LONG_MS)
      say(`The disk ${name} is mounted at /mnt/${name}`)
    }
  }

  return {
    /** Before the cloud takes disks away, they are let go. */
    async before(cluster: FoundCluster, reach: () => Promise<Reach>, say: Say): Promise<void> {
      const deployed = machinesOf(cluster)
      if (!deployed || deployed.simulated) return
      const wanted = new Set(dataOf(cluster).disks.map(({ name }) => name))
      for (const name of Object.keys(deployed.disks).filter((one) => !wanted.has(one))) {
        say(`Letting go of the disk ${name}`)
        await runOn(await reach(), detachDisk(name), LONG_MS)
      }
    },

    /** After the machines are up. At the first time what fails is only told: the cluster runs all the same. */
    async after(cluster: FoundCluster, before: Deployed | null, reach: Reach, say: Say): Promise<void> {
      const deployed = deployedOf(cluster)
      if (!deployed) return
      const head = (one: Deployed | null) => one?.machines.find(({ role }) => role === 'head')?.id
      const failed: string[] = []
      const tell = (command: MachineCommand) => runOn(reach, command, LONG_MS)
      const attempt = async (what: string, work: () => Promise<unknown>) => {
        try {
          await work()
        } catch (error) {
          failed.push(`${what}: ${explain(error)}`)
        }
      }
      await attempt('The configuration of Slurm', () => slurm(cluster, reach))
      await attempt('Disks', () => disks(deployed, cluster, reach, say))
      await attempt('Packages', () => packages(cluster, deployed, reach, say))
      await attempt('OpenVPN', async () => {
        const turned = await vpn.settle(cluster, deployed, tell, { anew: head(before) !== head(deployed) })
        if (turned) say(`OpenVPN is ${turned}`)
      })
      // Tried again at every look: no reason for the cluster not to run.
      await shutOut(options, { cluster, deployed, reach }).catch((error: unknown) =>
        say(explain(error), 'warning'),
      )
      for (const words of failed) say(words, 'warning')
      if (failed.length > 0 && before !== null) throw new Error(failed.join('. '))
    },

    /**
     * What changes without a run: who may use the cluster, and the burst mode, which Slurm has to know of. Never fails: it
     * is tried again.
     */
    async keep({ cluster, reach }: { cluster: FoundCluster; reach: Reach }): Promise<void> {
      const deployed = cluster.provider === 'local' ? null : deployedOf(cluster)
      if (!deployed || deployed.simulated || cluster.state !== 'available') return
      const say = (text: string) => store.addLine(db.kysely, cluster.id, 'change', new Date(now()), text)
      try {
        await shutOut(options, { cluster, deployed, reach })
        const last = known.get(cluster.id)
        if (last && now() - last.at < LOOK_MS && last.at > (cluster.burst_reset_at?.getTime() ?? 0)) return
        known.set(cluster.id, { slurm: last?.slurm ?? '', at: now() })
        // An edit that nobody has asked to carry out is not.
        const edited = deployed.madeFrom !== madeFrom(cluster)
        if (!edited && (await slurm(cluster, reach))) await say('Slurm has its new configuration')
        const tell = (command: MachineCommand) => runOn(reach, command, LONG_MS)
        const turned = await vpn.settle(cluster, deployed, tell, { edited })
        if (turned) await say(`OpenVPN is ${turned}`)
      } catch (error) {
        const reason = explain(error)
        log.warn({ cluster: cluster.id, reason }, 'a head node could not be brought up to date')
      }
    },

    async forget(clusterId: string): Promise<void> {
      known.delete(clusterId)
      await forgetAccounts(db.kysely, clusterId)
      await vpn.forget(clusterId)
    },
  }
}
