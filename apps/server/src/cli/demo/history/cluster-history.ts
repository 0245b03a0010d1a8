import type { Database, Transaction } from '../../../db/database'
import { newId } from '../../../ids'
import * as jobs from '../../../modules/jobs/store'
import * as usage from '../../../modules/usage/store'
import { endings } from '../../../schedulers/outcome'
import { simulateJobs, type PastJob } from './history'
import { loadRows, machineRows, saveRates } from './machine-history'
import { makeRandom, type Random } from '../random'
import { scripts } from '../jobs/scripts'
import * as store from '../store'
import { periodOf, type Period, type Subject } from './subject'
import { DAY_MS, HOUR_MS } from '../time'
import { workloads, type Workload } from '../jobs/workloads'

type PastSubmission = PastJob & { id: string; jobId: string; folder: string }

/** Writes sixty days of a cluster's history in one transaction. */
export async function seedHistory(db: Database, subject: Subject, now: number): Promise<void> {
  if (await store.hasHistory(db.kysely, subject.id, new Date(now - DAY_MS))) return
  const random = makeRandom(subject.about.seed)
  const period = periodOf(subject, now)
  const own = workloads.filter(({ cluster }) => cluster === subject.name)
  const past = simulateJobs(own, subject.nodes, { from: period.from, to: period.jobsTo }, period.gap, random)
  await db.transaction(async (tx) => {
    const saved = await saveSubmissions(tx, subject, past, new Date(period.from), random)
    await saveRates(tx, subject, period)
    await usage.saveJobs(tx, subject.id, [
      ...saved.map((job, index) => recordOf(job, index, subject)),
      ...fromElsewhere(subject, period),
    ])
    await store.insertMachines(tx, machineRows(subject, past, period))
    await store.insertLoads(tx, loadRows(subject, past, period, random))
    await saveGap(tx, subject, period)
  })
}

async function saveGap(tx: Transaction, { id, about }: Subject, { gap }: Period): Promise<void> {
  if (gap) await usage.addGap(tx, id, new Date(gap.from), new Date(gap.to), about.gap?.reason ?? '')
}

async function jobOf(tx: Transaction, workload: Workload, created_at: Date): Promise<string> {
  const { job, owner, description, data } = workload
  const known = (await store.jobIds(tx)).get(job)
  if (known !== undefined) return known
  const id = newId()
  const owner_id = (await store.userIds(tx)).get(owner) ?? ''
  const full = JSON.stringify({ ...data, array: '', script: scripts[job] })
  // Users change their jobs now and then, but not all on the same day.
  const updated_at = new Date(created_at.getTime() + workloads.indexOf(workload) * 4.3 * DAY_MS)
  await jobs.insert(tx, { id, owner_id, name: job, description, data: full, created_at, updated_at })
  return id
}

async function saveSubmissions(
  tx: Transaction,
  { id: clusterId, name }: Subject,
  past: PastJob[],
  begin: Date,
  random: Random,
): Promise<PastSubmission[]> {
  const users = await store.userIds(tx)
  const jobIds = new Map<Workload, string>()
  for (const { workload } of past)
    if (!jobIds.has(workload)) jobIds.set(workload, await jobOf(tx, workload, begin))
  const saved = past.map((job): PastSubmission => {
    const id = newId()
    const folder = `flotilla/${job.workload.job.replace(/[^\w.-]+/g, '_')}-${id}`
    return { ...job, id, folder, jobId: jobIds.get(job.workload) ?? '' }
  })
  await store.insertSubmissions(
    tx,
    saved.map(({ id, jobId, folder, workload, ...job }, index) => ({
      id,
      job_id: jobId,
      job_name: workload.job,
      cluster_id: clusterId,
      cluster_name: name,
      user_id: users.get(workload.owner) ?? null,
      submitted_by: workload.owner,
      run_as_admin: false,
      account: workload.owner,
      request_key: null,
      native_id: nativeId(index),
      state: endings[job.ending],
      reason: job.ending === 'failed' ? 'The job ended with exit code 1' : null,
      submitted_at: new Date(job.submittedAt),
      started_at: new Date(job.startedAt),
      ended_at: new Date(job.endedAt),
      exit_code: job.ending === 'canceled' ? null : Number(job.ending === 'failed'),
      node_list: job.nodes.join(),
      usage: JSON.stringify(usedBy(job.endedAt - job.startedAt, workload, random)),
      data: JSON.stringify({ ...workload.data, array: '', script: scripts[workload.job] }),
      folder,
    })),
  )
  return saved
}

/** The executor counts from 1 and never gets this far. */
const FIRST_NUMBER = 410_000
const nativeId = (index: number) => String(FIRST_NUMBER + index)

const usedBy = (ms: number, { data }: Workload, random: Random) => ({
  cpuSeconds: Math.round((ms / 1000) * data.cores * data.nodes * random.between(0.7, 0.98)),
  memoryMb: Math.round(data.cores * random.between(900, 3200)),
  wallSeconds: Math.round(ms / 1000),
})

const recordOf = (job: PastSubmission, index: number, { size }: Subject): usage.ObservedJob => {
  const { data, owner, job: name } = job.workload
  return {
    id: nativeId(index),
    mark: job.id,
    name,
    user: owner,
    state: job.ending,
    nodes: data.nodes,
    cores: data.nodes * data.cores,
    gpus: data.nodes * data.gpus,
    nodeList: job.nodes.join(),
    startTime: job.startedAt,
    endTime: job.endedAt,
    recorded: true,
    size,
  }
}

/** The jobs that an account without a known user runs every morning. */
function fromElsewhere({ about, nodes, size }: Subject, { from, jobsTo }: Period): usage.ObservedJob[] {
  const { serviceAccount: user } = about
  const nodeList = nodes.at(-1)?.name ?? ''
  if (user === undefined) return []
  const mornings = Array.from({ length: Math.floor((jobsTo - from) / DAY_MS) }, (_none, day) => {
    const startTime = from - (from % DAY_MS) + (day + 1) * DAY_MS + 5.5 * HOUR_MS
    return { startTime, endTime: startTime + 0.7 * HOUR_MS, id: String(FIRST_NUMBER - day - 1) }
  })
  const same = { name: 'ingest', user, state: 'succeeded', nodes: 1, cores: 2, gpus: 0, nodeList }
  return mornings.map((times) => ({ ...same, ...times, recorded: true, size }))
}
