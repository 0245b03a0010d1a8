import { isAdmin } from '@flotilla/contract/access'
import type { Page } from '@flotilla/contract/lists'
import {
  CURRENCY,
  type AccountUsage,
  type ClusterUsage,
  type JobUsage,
  type NodeJob,
  type NodeUsage,
  type UsagePeriod,
  type UsageSummary,
} from '@flotilla/contract/site/usage'
import { readPage } from '../../db/cursors'
import type { Database } from '../../db/database'
import { usersNamed } from '../../db/people'
import { fail } from '../../fail'
import type { Caller } from '../../http/caller'
import { GAP_MS } from './feed'
import * as jobFigures from './job-figures/store'
import * as machineFigures from './machine-figures/store'
import type { Range } from './ranges'
import * as reads from './records/store'
import { asClusterUsage, asJobUsage, figuresOf, inHours, rounded, sum } from './usage-rows'

/** Follows the name of a Unix account that equals a username but is not known to belong to that user. */
const UNLINKED = ' (not linked)'

const KINDS = new Set(['machine', 'disk', 'other'])

type JobsPage = Page & { cluster?: string | undefined }

export type Usage = ReturnType<typeof makeUsage>
/** Admins see everyone's usage. Other users see their own jobs and the sums of their own clusters. */
export function makeUsage(db: Database, now: () => number) {
  const ownerFilter = (me: Caller) => (isAdmin(me) ? {} : { ownerId: me.id })
  const requireCluster = async (clusterId: string): Promise<void> => {
    const known = await reads.clusters(db.kysely, {})
    if (!known.some(({ cluster_id }) => cluster_id === clusterId)) fail('not_found')
  }

  /** The filter for a name from the list of accounts. */
  const accountFilter = async (name: string): Promise<jobFigures.JobFilter> => {
    const [person] = await usersNamed(db.kysely, [name])
    if (person) return { userId: person.id }
    return { userId: '', account: name.endsWith(UNLINKED) ? name.slice(0, -UNLINKED.length) : name }
  }

  /** Returns a function for the names under which accounts are listed. */
  const accountNames = async (rows: { user_id: string; account: string }[]) => {
    const ids = rows.map(({ user_id }) => user_id).filter((id) => id !== '')
    const unknown = rows.filter(({ user_id }) => user_id === '').map(({ account }) => account)
    const [people, named] = await Promise.all([reads.people(db.kysely, ids), usersNamed(db.kysely, unknown)])
    const taken = new Set(named.map(({ username }) => username))
    const known = new Map(people.map((person) => [person.id, person]))
    return ({ user_id, account }: { user_id: string; account: string }) => {
      const person = known.get(user_id)
      const removed = user_id === '' ? account : 'removed user'
      const userAccount = person?.username ?? (taken.has(removed) ? removed + UNLINKED : removed)
      return { userAccount, name: person?.name ?? '' }
    }
  }

  const readJobs = (range: Range, filter: Parameters<typeof reads.jobs>[2], page: Page) =>
    readPage(
      page,
      (limit, after) => reads.jobs(db.kysely, range, filter, limit, after),
      ({ started_at, key }) => ({ at: started_at, id: key }),
    )

  const jobsOf = async (
    account: jobFigures.JobFilter,
    range: Range,
    page: JobsPage,
  ): Promise<{ items: JobUsage[]; next: string | null }> => {
    const filter = { ...account, clusterId: page.cluster }
    const { items, next } = await readJobs(range, filter, page)
    return { items: items.map(asJobUsage), next }
  }

  const clusterNames = async (): Promise<Map<string, string>> =>
    new Map((await reads.clusters(db.kysely, {})).map(({ cluster_id, name }) => [cluster_id, name]))

  return {
    async accounts(range: Range, clusterId?: string): Promise<AccountUsage[]> {
      const rows = await jobFigures.jobsByAccount(db.kysely, range, { clusterId })
      const nameOf = await accountNames(rows)
      return rows
        .map((row) => ({ ...nameOf(row), ...figuresOf(row), currency: CURRENCY }))
        .toSorted((a, b) => b.coreHours - a.coreHours || a.userAccount.localeCompare(b.userAccount))
    },

    async own(me: Caller, range: Range): Promise<AccountUsage> {
      const rows = await jobFigures.jobsByAccount(db.kysely, range, { userId: me.id })
      // The user's jobs may have run under several accounts.
      const total = (of: (row: jobFigures.JobFigures) => number) =>
        rows.reduce((all, row) => all + of(row), 0)
      const [person] = await reads.people(db.kysely, [me.id])
      return {
        userAccount: me.username,
        name: person?.name ?? '',
        jobs: total((row) => row.jobs),
        coreHours: total((row) => row.core_hours),
        gpuHours: total((row) => row.gpu_hours),
        nodeHours: total((row) => row.node_hours),
        price: rounded(sum(rows.map((row) => row.price))),
        unpricedCoreHours: total((row) => row.unpriced_core_hours),
        currency: CURRENCY,
      }
    },

    async jobs(userAccount: string, range: Range, page: JobsPage) {
      return jobsOf(await accountFilter(userAccount), range, page)
    },

    ownJobs: (me: Caller, range: Range, page: JobsPage) => jobsOf({ userId: me.id }, range, page),

    async clusters(me: Caller, range: Range): Promise<ClusterUsage[]> {
      const filter = ownerFilter(me)
      const at = new Date(now())
      const [known, jobs, machines] = await Promise.all([
        reads.clusters(db.kysely, filter),
        jobFigures.jobsByCluster(db.kysely, range, {}),
        machineFigures.machinesByCluster(db.kysely, range, filter, at),
      ])
      const figures = new Map(jobs.map((row) => [row.cluster_id, row]))
      return known
        .map(({ cluster_id, name, provider }) => {
          const rows = machines.filter((row) => row.cluster_id === cluster_id)
          const job = figures.get(cluster_id)
          return rows.length === 0 && !job ? null : asClusterUsage({ cluster_id, name, provider }, job, rows)
        })
        .filter((row) => row !== null)
        .toSorted((a, b) => (b.price ?? 0) - (a.price ?? 0) || a.name.localeCompare(b.name))
    },

    /** The cost of the machines and disks of these clusters. Callers check the access. */
    async clusterCosts(
      ids: string[],
      range: Range,
    ): Promise<Map<string, { price: number | null; unpricedHours: number }>> {
      const [only] = ids
      const filter = ids.length === 1 ? { clusterId: only } : {}
      const rows = await machineFigures.machinesByCluster(db.kysely, range, filter, new Date(now()))
      return new Map(
        ids.map((id) => {
          const own = rows.filter((row) => row.cluster_id === id)
          const { price, unpricedHours } = asClusterUsage(
            { cluster_id: id, name: '', provider: '' },
            undefined,
            own,
          )
          return [id, { price, unpricedHours }]
        }),
      )
    },

    async nodes(clusterId: string, range: Range): Promise<NodeUsage[]> {
      await requireCluster(clusterId)
      const rows = await machineFigures.machinesByName(db.kysely, range, { clusterId }, new Date(now()))
      return rows.map(({ kind, name, busy_ms, idle_ms, stopped_ms, unpriced_ms, price }) => ({
        node: name,
        kind,
        upHours: inHours(busy_ms + idle_ms),
        busyHours: inHours(busy_ms),
        idleHours: kind === 'machine' ? inHours(idle_ms) : 0,
        stoppedHours: inHours(stopped_ms),
        price: rounded(price),
        unpricedHours: inHours(unpriced_ms),
      }))
    },

    async periods(
      machine: { clusterId: string; kind: string; name: string },
      range: Range,
      page: Page,
    ): Promise<{ items: UsagePeriod[]; next: string | null }> {
      if (!KINDS.has(machine.kind)) fail('bad_input', { fields: { kind: 'Must be machine, disk or other' } })
      await requireCluster(machine.clusterId)
      const { items, next } = await readPage(
        page,
        (limit, after) => reads.periods(db.kysely, range, machine, new Date(now()), limit, after),
        ({ from_at }) => ({ at: from_at, id: 'period' }),
      )
      return {
        items: items.map(({ state, from_at, to_at, per_hour, ms }) => ({
          state,
          from: from_at.getTime(),
          to: to_at?.getTime() ?? null,
          hours: inHours(ms),
          perHour: per_hour,
          price: rounded(per_hour === null ? null : inHours(ms) * per_hour),
        })),
        next,
      }
    },

    async nodeJobs(
      clusterId: string,
      node: string,
      range: Range,
      page: Page,
    ): Promise<{ items: NodeJob[]; next: string | null }> {
      await requireCluster(clusterId)
      const filter = { clusterId, node }
      const { items, next } = await readJobs(range, filter, page)
      const nameOf = await accountNames(items)
      return {
        items: items.map((row) => ({ ...asJobUsage(row), userAccount: nameOf(row).userAccount })),
        next,
      }
    },

    async summary(
      me: Caller,
      range: Range,
      { account, cluster }: { account?: string | undefined; cluster?: string | undefined },
    ): Promise<UsageSummary> {
      if (cluster !== undefined) await requireCluster(cluster)
      const at = new Date(now())
      const named = account === undefined ? {} : await accountFilter(account)
      const jobs = { ...(isAdmin(me) ? named : { userId: me.id }), clusterId: cluster }
      const machines = { ...ownerFilter(me), clusterId: cluster }
      const [days, costs, clusters, gaps, names] = await Promise.all([
        jobFigures.jobsByDay(db.kysely, range, jobs),
        account === undefined ? machineFigures.machinesByDay(db.kysely, range, machines, at) : [],
        jobFigures.jobsByCluster(db.kysely, range, jobs),
        reads.gaps(db.kysely, range, isAdmin(me) ? { clusterId: cluster } : machines, at, GAP_MS),
        clusterNames(),
      ])
      const byDay = new Map<number, UsageSummary['days'][number]>()
      const dayOf = (day: number) => {
        const found = byDay.get(day) ?? { day, coreHours: 0, gpuHours: 0, jobPrice: null, machinePrice: null }
        byDay.set(day, found)
        return found
      }
      for (const { day, ...row } of days) {
        const { coreHours, gpuHours, price } = figuresOf(row)
        Object.assign(dayOf(day.getTime()), { coreHours, gpuHours, jobPrice: price })
      }
      for (const { day, price } of costs) dayOf(day.getTime()).machinePrice = rounded(price)
      return {
        days: [...byDay.values()].toSorted((a, b) => a.day - b.day),
        clusters: clusters
          .map(({ cluster_id, ...row }) => ({
            clusterId: cluster_id,
            name: names.get(cluster_id) ?? cluster_id,
            ...figuresOf(row),
          }))
          .toSorted((a, b) => b.coreHours - a.coreHours),
        gaps: gaps.map((gap) => ({
          clusterId: gap.cluster_id,
          cluster: gap.cluster,
          from: gap.from_at.getTime(),
          to: gap.to_at.getTime(),
          reason: gap.reason,
        })),
      }
    },
  }
}
