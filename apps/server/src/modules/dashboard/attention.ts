import { countText } from '@flotilla/contract/count-text'
import type { Attention, ServiceStatus } from '@flotilla/contract/clusters/dashboard'
import type { AuditVerification } from '@flotilla/contract/people/activities'
import type { Database } from '../../db/database'
import type { Viewer } from '../../db/visible'
import type { ClustersApi } from '../clusters/open'
import type { LicenseCheck } from '../license/license'
import type { Settings } from '../settings/settings'
import { expiryText, makeExpiring } from './expiring'
import { pageOfService } from './services'
import * as store from './store'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Longer than a head node takes to restart. */
const UNREACHABLE_MS = 5 * MINUTE_MS
const BLOCKED_MS = 2 * HOUR_MS
const LICENSE_ENDS_MS = 30 * DAY_MS
const FULL = 0.9

type Options = {
  db: Database
  drifted: ClustersApi['drifted']
  license: LicenseCheck
  machineAccess: Settings['machineAccess']
  /** The last verification of the audit trail. */
  verification: () => Promise<AuditVerification>
  /** The problems in the operator's configuration files. */
  configProblems: () => Promise<string[]>
  now: () => number
}

const sentence = (...parts: (string | null)[]) => parts.filter(Boolean).join(': ')

/** A disk costs fractions of a cent per hour. */
const leftoverPrice = (perHour: number | null, unpriced: number): string =>
  perHour === null
    ? 'price unknown'
    : `${unpriced > 0 ? 'at least ' : ''}$${perHour.toFixed(perHour < 0.1 ? 3 : 2)} per hour`

/** Things that need attention, each with the page to resolve it. */
export function makeAttention(options: Options) {
  const { db, drifted, license, machineAccess, verification, configProblems, now } = options
  const expiring = makeExpiring({ db, now })
  const ofClusters = async (viewer: Viewer): Promise<Attention[]> => {
    const found = await store.troubledClusters(db.kysely, viewer, new Date(now() - UNREACHABLE_MS))
    return found.flatMap(({ id, name, state, cause, state_since, ...row }): Attention[] => {
      if (state === 'failed')
        return [
          {
            kind: 'cluster',
            text: sentence(`${name} failed`, cause),
            link: `/clusters/${id}`,
            since: state_since.getTime(),
          },
        ]
      if (row.poll_error)
        return [
          {
            kind: 'connection',
            text: sentence(`${name} cannot be reached`, row.poll_error),
            link: `/clusters/${id}/connection`,
            since: row.poll_error_since?.getTime() ?? null,
          },
        ]
      return [
        {
          kind: 'bursting',
          text: sentence(`Bursting is paused on ${name}`, row.burst_paused),
          link: `/clusters/${id}`,
          since: null,
        },
      ]
    })
  }
  const ofDrift = async (viewer: Viewer): Promise<Attention[]> =>
    (await drifted(viewer)).slice(0, store.MOST).flatMap(({ id, name, vanished, changes }) => {
      const entry = (text: string, tab: string): Attention => ({
        kind: 'drift',
        text,
        link: `/clusters/${id}/${tab}`,
        since: null,
      })
      const are = vanished.length === 1 ? 'is' : 'are'
      return [
        ...(vanished.length > 0
          ? [entry(`${vanished.join(', ')} in ${name} ${are} gone from the cloud`, 'machines')]
          : []),
        // A newer plan includes the missing machines, which have an entry of their own.
        ...(changes > vanished.length
          ? [entry(`${name} was changed in the cloud: ${countText(changes, 'difference')}`, 'plan')]
          : []),
      ]
    })
  const ofStacks = async (viewer: Viewer): Promise<Attention[]> =>
    (await store.failedStacks(db.kysely, viewer)).map(({ id, name, cause, state_since }) => ({
      kind: 'stack',
      text: sentence(`The build of ${name} failed`, cause),
      link: `/stacks/${id}`,
      since: state_since.getTime(),
    }))
  const ofJobs = async (viewer: Viewer): Promise<Attention[]> =>
    (await store.blockedJobs(db.kysely, viewer, new Date(now() - BLOCKED_MS))).map((row) => ({
      kind: 'jobs',
      text: sentence(`${row.job_name} is blocked on ${row.cluster_name}`, row.reason),
      link: `/jobs/${row.job_id}`,
      since: row.submitted_at.getTime(),
    }))

  const ofCredentials = async (): Promise<Attention[]> =>
    (await store.refusedCredentials(db.kysely)).map(({ name, message, at }) => ({
      kind: 'credential',
      text: sentence(`The credential ${name} failed its last test`, message),
      link: '/credentials',
      since: at,
    }))
  const ofLeftovers = async (): Promise<Attention[]> => {
    const { count, unpriced, perHour, since } = await store.leftovers(db.kysely)
    if (count === 0) return []
    return [
      {
        kind: 'leftovers',
        text: `${countText(count, 'cloud resource')} left over, ${leftoverPrice(perHour, unpriced)}`,
        link: '/settings/leftovers',
        since: since?.getTime() ?? null,
      },
    ]
  }
  const ofBackups = async (): Promise<Attention[]> => {
    const failed = await store.failedBackup(db.kysely)
    if (!failed) return []
    const text = sentence('The last backup failed', failed.cause)
    return [{ kind: 'backup', text, link: '/settings/backup', since: failed.endedAt?.getTime() ?? null }]
  }
  const ofAudit = async (): Promise<Attention[]> => {
    const { problem, checkedAt: since } = await verification()
    if (!problem) return []
    return [
      {
        kind: 'audit',
        text: `The audit trail was changed: ${problem.text}`,
        link: '/settings/audit',
        since,
      },
    ]
  }
  const ofApprovals = async (): Promise<Attention[]> => {
    const waiting = await machineAccess.waiting()
    const text = `${countText(waiting, 'new user')} ${waiting === 1 ? 'is' : 'are'} waiting for approval`
    return waiting === 0 ? [] : [{ kind: 'approval', text, link: '/settings', since: null }]
  }
  const ofConfig = async (): Promise<Attention[]> => {
    const [first, ...others] = await configProblems()
    if (first === undefined) return []
    const text = others.length === 0 ? first : `${first}, and ${countText(others.length, 'more problem')}`
    return [{ kind: 'config', text, link: '/settings/doctor', since: null }]
  }
  const ofLicense = async (): Promise<Attention[]> => {
    const link = '/settings/license'
    const found = await license.current().catch(() => null)
    if (!found) return [{ kind: 'license', text: 'The license is not valid', link, since: null }]
    const { validUntil } = found
    if (validUntil === null || validUntil - now() > LICENSE_ENDS_MS) return []
    return [{ kind: 'license', text: `The license ${expiryText(validUntil, now())}`, link, since: null }]
  }
  const ofServices = (services: ServiceStatus[]): Attention[] =>
    services.flatMap(({ service, running, message, disk }): Attention[] => {
      const link = pageOfService(service)
      if (!running) return [{ kind: 'service', text: sentence(service, message), link, since: null }]
      if (service !== 'Console' || !disk || disk.used / disk.total < FULL) return []
      const percent = Math.floor((100 * disk.used) / disk.total)
      return [{ kind: 'disk', text: `The console’s disk is ${percent}% full`, link, since: null }]
    })

  return {
    async of(viewer: Viewer, services: ServiceStatus[]): Promise<Attention[]> {
      const found = await Promise.all([
        ofClusters(viewer),
        ofDrift(viewer),
        ofStacks(viewer),
        ofJobs(viewer),
        expiring.of(viewer),
        ...(viewer.admin
          ? [ofCredentials(), ofLeftovers(), ofBackups(), ofAudit(), ofApprovals(), ofLicense(), ofConfig()]
          : []),
      ])
      return [...ofServices(services), ...found.flat()]
    },
  }
}
