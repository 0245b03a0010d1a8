import { isInCloud } from '@flotilla/contract/clusters/entity'
import { countText } from '@flotilla/contract/count-text'
import { quotaState } from '@flotilla/contract/clusters/quota'
import type { MailTest } from '@flotilla/contract/site/mail'
import type { PreflightStep } from '@flotilla/contract/trainings/entity'
import type { Caller, RequestContext } from '../../../http/caller'
import { explain } from '../../../explain'
import type { ClustersApi } from '../../clusters/open'
import type { Credentials } from '../../credentials/credentials'
import type { Users } from '../../users/users'
import type { FoundTraining } from '../store'

type StoredCluster = Awaited<ReturnType<ClustersApi['find']>>
type Step = PreflightStep

type Options = {
  clusters: Pick<ClustersApi, 'find' | 'copies' | 'prices' | 'quotas'>
  /** The number of seats that have no cluster of their own yet. */
  seatsWithout(training: FoundTraining): Promise<number>
  credentials: Pick<Credentials, 'probe'>
  users: Pick<Users, 'get'>
  testMail(me: Caller, to: string, context: RequestContext): Promise<MailTest>
  needsMail(training: FoundTraining): Promise<boolean>
  /** Starts a desktop. Returns what the cluster lacks for desktops, or null. */
  tryDesktop(me: Caller, clusterId: string, context: RequestContext): Promise<string | null>
  checkApps(
    me: Caller,
    clusterId: string,
    appIds: string[],
    context: RequestContext,
  ): Promise<Omit<Step, 'step'>>
}

const stepStates = { short: 'failed', later: 'warning', unknown: 'not-checked' } as const

const HOUR_MS = 60 * 60_000
const priceText = (price: number): string => `$${price.toFixed(2)}`

/** Checks before a workshop that everything it needs works. */
export function makePreflight(options: Options) {
  const { clusters, credentials, users, testMail, needsMail } = options

  const capacity = (training: FoundTraining, cluster: StoredCluster): Step => {
    const step = 'Cluster'
    if (training.seat_mode === 'own') return credentialOnly(cluster)
    if (cluster.state !== 'available')
      return {
        step,
        state: 'failed',
        message: `${cluster.name} is ${cluster.state}. Deploy or start it before the workshop.`,
      }
    const { cores } = cluster.node_totals
    const enough = cores >= training.seats
    return {
      step,
      state: enough ? 'ok' : 'warning',
      message: `${cluster.name} is available with ${countText(cores, 'core')} for ${countText(training.seats, 'seat')}${enough ? '' : ': participants may have to wait for free cores'}`,
    }
  }
  const credentialOnly = (cluster: StoredCluster): Step => ({
    step: 'Cluster',
    state: 'ok',
    message: `${cluster.name} is the template for one cluster per seat`,
  })

  const credential = async (cluster: StoredCluster): Promise<Step[]> => {
    if (!isInCloud(cluster) || cluster.credential_id === null) return []
    const step = 'Credential'
    const { outcome, message } = await credentials.probe(
      cluster.credential_id,
      cluster.data.network.region_id,
    )
    return [{ step, state: outcome === 'ok' ? 'ok' : 'failed', message }]
  }

  /** Checks the quotas for a shared cluster, or for one cluster per seat that has none yet. */
  const quota = async (training: FoundTraining, cluster: StoredCluster): Promise<Step[]> => {
    if (!isInCloud(cluster)) return []
    const step = 'Quota'
    const copies = training.seat_mode === 'own' ? await options.seatsWithout(training) : undefined
    const rows = copies === 0 ? [] : await clusters.quotas(cluster, copies)
    if (rows.length === 0) return [{ step, state: 'ok', message: 'All required resources already exist' }]
    const state = quotaState(rows)
    if (state === 'enough') {
      const whom = copies === undefined ? cluster.name : countText(copies, 'cluster')
      return [{ step, state: 'ok', message: `The cloud account’s quotas allow ${whom} with all nodes` }]
    }
    const relevant = rows.filter((row) => row.state === state)
    const texts = [
      ...new Set(relevant.map(({ what, text }) => (state === 'unknown' ? text : `${what}: ${text}`))),
    ]
    const message = `${state === 'later' ? 'Enough to start, but not for all nodes. ' : ''}${texts.join(' ')}`
    return [{ step, state: stepStates[state], message }]
  }

  const price = async (training: FoundTraining, cluster: StoredCluster): Promise<Step> => {
    const step = 'Price'
    const hours = (training.end_time.getTime() - training.start_time.getTime()) / HOUR_MS
    const isOwn = training.seat_mode === 'own'
    const perHour = isOwn
      ? (await clusters.copies.price(cluster.id)).perHour
      : ((await clusters.prices([cluster]))[0]?.perHour ?? null)
    if (perHour === null)
      return {
        step,
        state: 'warning',
        message: 'The price is unknown: some parts of the cluster have no price',
      }
    const total = perHour * hours * (isOwn ? training.seats : 1)
    const lasting = `for ${hours.toFixed(1)} hours`
    return {
      step,
      state: 'ok',
      message: `About ${priceText(total)} ${lasting}, ${priceText(total / training.seats)} per seat`,
    }
  }

  const mail = async (me: Caller, training: FoundTraining, context: RequestContext): Promise<Step> => {
    const step = 'Email'
    if (!(await needsMail(training)))
      return { step, state: 'ok', message: 'Not needed: participants do not enter an emailed code' }
    const { email } = await users.get(me.id)
    if (email === '')
      return { step, state: 'not-checked', message: 'Your account has no email address to send a test to' }
    const { steps } = await testMail(me, email, context)
    const bad = steps.find(({ state }) => state !== 'ok')
    // Only admins see the details of a failed test.
    if (bad?.state === 'warning')
      return {
        step,
        state: 'failed',
        message: 'No mail server is configured, so no one receives a code. Ask an admin to set one up.',
      }
    return bad
      ? { step, state: bad.state, message: bad.message }
      : { step, state: 'ok', message: `The mail server accepted a test email to ${email}` }
  }

  const desktop = async (
    me: Caller,
    training: FoundTraining,
    cluster: StoredCluster,
    context: RequestContext,
  ): Promise<Step> => {
    const step = 'Desktop'
    if (training.seat_mode === 'own' || cluster.state !== 'available')
      return { step, state: 'not-checked', message: 'Checked once the cluster is available' }
    const missing = await options.tryDesktop(me, cluster.id, context)
    return missing === null
      ? { step, state: 'ok', message: `A desktop started on ${cluster.name}` }
      : { step, state: 'warning', message: missing }
  }

  /** A check that fails reports its cause, and the others continue. */
  const guarded = async (step: string, work: Promise<Step | Step[]>): Promise<Step[]> =>
    work.then(
      (done) => [done].flat(),
      (error: unknown) => [{ step, state: 'failed', message: explain(error) }],
    )

  return async (me: Caller, training: FoundTraining, context: RequestContext): Promise<Step[]> => {
    const cluster =
      training.cluster_id === null ? null : await clusters.find(me, training.cluster_id).catch(() => null)
    const mailed = await guarded('Email', mail(me, training, context))
    if (!cluster)
      return [
        { step: 'Cluster', state: 'failed', message: 'No cluster is chosen, or it was deleted' },
        ...mailed,
      ]
    const { id } = cluster
    const { app_ids: appIds } = training
    const apps =
      appIds.length === 0
        ? []
        : await guarded(
            'Apps',
            options.checkApps(me, id, appIds, context).then((done) => ({ step: 'Apps', ...done })),
          )
    return [
      capacity(training, cluster),
      ...(await guarded('Credential', credential(cluster))),
      ...(await guarded('Quota', quota(training, cluster))),
      ...mailed,
      ...(await guarded('Desktop', desktop(me, training, cluster, context))),
      ...apps,
      ...(await guarded('Price', price(training, cluster))),
    ]
  }
}
