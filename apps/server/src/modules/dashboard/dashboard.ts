import { CURRENCY } from '@flotilla/contract/site/usage'
import type { AuditVerification } from '@flotilla/contract/people/activities'
import { NodeCounts, QueueCounts } from '@flotilla/contract/clusters/entity'
import type { Dashboard, FirstRun, FirstStep } from '@flotilla/contract/clusters/dashboard'
import type { ServerConfig } from '../../config'
import type { Database } from '../../db/database'
import type { Engines } from '../../doctor/engine'
import type { Caller } from '../../http/caller'
import type { ClustersApi } from '../clusters/open'
import type { LicenseCheck } from '../license/license'
import type { Settings } from '../settings/settings'
import type { Usage } from '../usage/usage'
import { viewerOf } from '../sharing/sharing'
import { makeAttention } from './attention'
import { makeServices } from './services'
import * as store from './store'

/** A user who has been inactive for longer counts as offline. */
const ONLINE_MS = 5 * 60_000

export type Options = {
  db: Database
  config: ServerConfig
  engines: Engines
  drifted: ClustersApi['drifted']
  settings: Settings
  license: LicenseCheck
  usage: Usage
  verification: () => Promise<AuditVerification>
  /** The status of each active LDAP server. */
  ldapStatuses: () => Promise<{ name: string; running: boolean; message: string }[]>
  configProblems: () => Promise<string[]>
  /** The address of the mail server; undefined if there is none. */
  mailAddress: () => Promise<string | undefined>
  now: () => number
}

/** Adds up the counts with each name. */
function sum<Name extends string>(names: Name[], all: Record<string, number>[]): Record<Name, number> {
  const entries = names.map((name) => [name, all.reduce((total, one) => total + (one[name] ?? 0), 0)])
  // Border: `fromEntries` loses the type of the keys.
  return Object.fromEntries(entries) as Record<Name, number>
}
const namesOf = <Name extends string>({ shape }: { shape: Record<Name, unknown> }) =>
  Object.keys(shape) as Name[]

/** The total is unknown if no price is known. */
function priceOf(rows: { price: number | null }[]): number | null {
  const known = rows.flatMap(({ price }) => price ?? [])
  return known.length === 0 && rows.length > 0 ? null : known.reduce((all, one) => all + one, 0)
}

export function makeDashboard(options: Options) {
  const { db, settings, usage, now } = options
  const services = makeServices(options)
  const attention = makeAttention({ ...options, machineAccess: settings.machineAccess })

  const firstSteps = async (): Promise<FirstStep[]> => {
    const { job, cluster, people } = await store.firstSteps(db.kysely)
    const steps: FirstStep[] = [
      { step: 'job', done: job },
      { step: 'cluster', done: cluster },
      { step: 'people', done: people },
      { step: 'mail', done: (await options.mailAddress()) !== undefined },
    ]
    return steps.every(({ done }) => done) ? [] : steps
  }

  /**
   * The cost of machines and disks, by UTC days as in Accounting. For users it includes their jobs on other users'
   * clusters. Without any usage, the cost is zero and not unknown.
   */
  const spend = async (me: Caller): Promise<Dashboard['spend']> => {
    const at = new Date(now())
    const day = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate())
    const month = Date.UTC(at.getUTCFullYear(), at.getUTCMonth())
    const since = async (from: number) => {
      // The end of a range is exclusive.
      const range = { from: new Date(from), to: new Date(now() + 1) }
      const machines = await usage.clusters(me, range)
      if (viewerOf(me).admin) return priceOf(machines)
      const own = new Set(machines.map(({ clusterId }) => clusterId))
      const jobs = await usage.summary(me, range, {})
      return priceOf([...machines, ...jobs.clusters.filter(({ clusterId }) => !own.has(clusterId))])
    }
    const [today, thisMonth] = await Promise.all([since(day), since(month)])
    return { today, month: thisMonth, currency: CURRENCY }
  }

  return {
    async firstRun({ id }: Caller): Promise<FirstRun> {
      const [first, terminalOpened] = await Promise.all([
        store.firstJob(db.kysely, id),
        store.hasOpenedTerminal(db.kysely, id),
      ])
      return {
        firstJob: first
          ? {
              jobId: first.job_id,
              submissionId: first.id,
              name: first.job_name,
              ended: first.ended_at !== null,
              submittedAt: first.submitted_at.getTime(),
            }
          : null,
        terminalOpened,
      }
    },
    async view(me: Caller): Promise<Dashboard> {
      const viewer = viewerOf(me)
      const parts = viewer.admin ? await services.all() : []
      const [totals, own, people, todo, { announcement }, steps, spent] = await Promise.all([
        store.clusterTotals(db.kysely, viewer),
        viewer.admin ? null : store.ownQueue(db.kysely, me.id),
        viewer.admin ? store.people(db.kysely, new Date(now() - ONLINE_MS)) : null,
        attention.of(viewer, parts),
        settings.announcements.current(),
        viewer.admin ? firstSteps() : [],
        spend(me),
      ])
      return {
        services: parts,
        clusters: Object.fromEntries(totals.map(({ state, count }) => [state, count])),
        queue: sum(namesOf(QueueCounts), own ? [own] : totals.map(({ queue }) => queue)),
        nodes: sum(
          namesOf(NodeCounts),
          totals.map(({ nodes }) => nodes),
        ),
        people,
        spend: spent,
        attention: todo,
        announcement,
        firstSteps: steps,
      }
    },
  }
}
