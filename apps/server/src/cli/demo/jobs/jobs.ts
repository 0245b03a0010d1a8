import { api } from '@flotilla/contract/api'
import type { JobData } from '@flotilla/contract/jobs/jobs'
import type { Database } from '../../../db/database'
import { waitFor, type Session, type Sessions } from '../session'
import * as store from '../store'
import { HOUR_MS } from '../time'
import { workloads } from './workloads'

type Special = {
  name: string
  owner: string
  cluster: string | null
  description: string
  data: Partial<JobData> & { script: string }
  afterward?: 'hold' | 'cancel'
}

/** A job in each state that the workloads do not produce. */
const specials: Special[] = [
  {
    name: 'Molecular docking',
    owner: 'sofia',
    cluster: 'Aurora',
    description: 'Dock 12 ligands against the receptor, three at a time',
    data: {
      cores: 2,
      array: '1-12%3',
      script: '#!/bin/bash\necho "ligand $SLURM_ARRAY_TASK_ID: best pose -9.1 kcal/mol"\nsleep 45\n',
    },
  },
  {
    name: 'Mesh conversion',
    owner: 'lars',
    cluster: 'Aurora',
    description: 'Convert the wing mesh to OpenFOAM format',
    data: {
      script:
        '#!/bin/bash\necho "reading wing.msh"\nsleep 2\necho "wing.msh: No such file or directory" >&2\nexit 1\n',
    },
  },
  {
    // It needs all nodes, so that it cannot start before it is held.
    name: 'Archive reindex',
    owner: 'priya',
    cluster: 'Aurora',
    description: 'Rebuild the archive index; on hold until the archive is remounted',
    data: { nodes: 6, cores: 8, walltime: '06:00:00', script: '#!/bin/bash\n./reindex --all\n' },
    afterward: 'hold',
  },
  {
    name: 'Peak demand test',
    owner: 'noah',
    cluster: 'Nimbus',
    description: 'Check the traffic model at peak demand',
    data: { script: '#!/bin/bash\necho "warning: demand 9.0 is out of range, using 1.0"\nsleep 600\n' },
    afterward: 'cancel',
  },
  {
    name: 'GPU benchmark',
    owner: 'leilani',
    cluster: null,
    description: 'Draft: multi-node GPU throughput',
    data: { nodes: 2, cores: 8, gpus: 2, script: '#!/bin/bash\nsrun ./bench --gpus 4\n' },
  },
]

async function seedSpecial(
  db: Database,
  session: Sessions,
  clusterIds: Map<string, string>,
  { name, owner, cluster: place, description, data, afterward }: Special,
): Promise<void> {
  const person = await session(owner)
  if ((await person(api.jobs.list, {})).some((job) => job.name === name)) return
  const { id } = await person(api.jobs.create, { body: { name, description, data } })
  if (place === null) return
  const cluster = clusterIds.get(place) ?? ''
  const submission = await person(api.jobs.submit, { body: { id, cluster } })
  const nativeId = () => numberOf(person, submission.id)
  if (afterward === 'cancel') {
    await waitFor(`${name} runs`, async () => ((await isRunning(person, submission.id)) ? true : undefined))
    await person(api.jobs.cancel, { body: { job: submission.id, cluster } })
  }
  if (afterward === 'hold') {
    const grace = await session('grace')
    const job = await waitFor(`${name} is in the queue`, nativeId)
    await grace(
      api.clusters.operateJobs,
      { id: cluster, operation: 'hold', body: { jobs: [job] } },
      {
        admin: true,
      },
    )
    await store.setBlockedSince(db.kysely, submission.id, new Date(Date.now() - 5 * HOUR_MS))
  }
}
const numberOf = async (person: Session, id: string) =>
  (await person(api.jobs.submission, { id })).nativeId ?? undefined
const isRunning = async (person: Session, id: string) =>
  (await person(api.jobs.submission, { id })).state === 'running'

/** How many jobs of each workload are in the queues when the demo begins: more than fit on the nodes. */
const AT_FIRST = 3
const live = ['Aurora', 'Tensor', 'Nimbus', 'This machine']

/** Fills the queues. The special jobs come last, because the held one must find a queue to wait in. */
export async function seedQueues(
  db: Database,
  session: Sessions,
  clusterIds: Map<string, string>,
): Promise<void> {
  for (const { job, owner, cluster } of workloads.filter((one) => live.includes(one.cluster))) {
    const person = await session(owner)
    const known = (await person(api.jobs.list, {})).find(({ name }) => name === job)
    const id = clusterIds.get(cluster) ?? ''
    // Jobs of an earlier start may still be waiting.
    if (!known || known.lastSubmission?.endedAt === null) continue
    for (let one = 0; one < AT_FIRST; one++)
      await person(api.jobs.submit, { body: { id: known.id, cluster: id } })
  }
  for (const special of specials) await seedSpecial(db, session, clusterIds, special)
}
