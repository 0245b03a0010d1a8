import { api } from '@flotilla/contract/api'
import { ATTENDANCE_LATE_MS, ATTENDANCE_MS } from '@flotilla/contract/trainings/trainings'
import type { Database } from '../../db/database'
import * as seats from '../../modules/trainings/seats/store'
import { makeRandom } from './random'
import type { Sessions } from './session'
import * as store from './store'
import { MINUTE_MS } from './time'
import { workloads } from './jobs/workloads'

/** How often a job is submitted, and how often loads are updated. */
const SUBMIT_EVERY_MS = 9000
const LOAD_EVERY_MS = 5000
/** Nothing is submitted to a cluster with more jobs than this. */
const QUEUE_MOST = 14

type Site = { session: Sessions; clusterIds: Map<string, string>; workshop: { userIds: string[] } }

/** Keeps the queues moving and participants at their seats while the demo runs. Returns a function that stops it. */
export function startTraffic(db: Database, { session, clusterIds, workshop }: Site): () => void {
  // A call may fail while a cluster is being changed or the server stops; the next one follows in a moment.
  const onError = (): void => {}
  const random = makeRandom(Date.now())
  const offered = workloads.filter(({ cluster }) => ['Aurora', 'Tensor', 'Nimbus'].includes(cluster))
  const submit = async (): Promise<void> => {
    const { job, owner, cluster } = random.pick(offered as [(typeof offered)[0]])
    const id = clusterIds.get(cluster) ?? ''
    const person = await session(owner)
    const { queue, submitBlockedReason } = await person(api.clusters.view, { id })
    if (submitBlockedReason !== null || queue.queued + queue.running > QUEUE_MOST) return
    const known = (await person(api.jobs.list, {})).find(({ name }) => name === job)
    if (known) await person(api.jobs.submit, { body: { id: known.id, cluster: id } })
  }
  const attend = async (): Promise<void> => {
    for (const userId of workshop.userIds)
      await seats.attend(db.kysely, userId, new Date(), ATTENDANCE_LATE_MS)
  }
  void attend().catch(onError)
  const timers = [
    setInterval(() => void attend().catch(onError), ATTENDANCE_MS),
    setInterval(() => void submit().catch(onError), SUBMIT_EVERY_MS),
    setInterval(() => {
      const since = new Date(Date.now() - 2 * MINUTE_MS)
      void store.pretendLoad(db.kysely, random.between(0.84, 1.02), since).catch(onError)
    }, LOAD_EVERY_MS),
  ]
  return () => timers.forEach((timer) => clearInterval(timer))
}
