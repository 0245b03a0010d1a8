import { api } from '@flotilla/contract/api'
import type { Database } from '../../../db/database'
import { failures, outputs, type scripts } from './scripts'
import type { Sessions } from '../session'
import * as store from '../store'

/** Files in users' homes on Aurora. */
const files: Record<string, Record<string, string>> = {
  amina: {
    'samples.csv': 'sample,condition,replicate\nS01,control,1\nS02,control,2\nS03,treated,1\nS04,treated,2\n',
    'notes.md': '# RNA-seq\n\n- S03 was sequenced twice: use the second run\n- counts go to `counts/`\n',
    'counts/S17.tsv': 'gene\tcount\nACTB\t18240\nGAPDH\t22107\nMYC\t412\n',
  },
  lars: {
    'wing/controlDict': 'application pimpleFoam;\nstartTime 0;\nendTime 0.03;\ndeltaT 2e-6;\n',
    'wing/README.md': 'Wing section at Re 1e6, angle of attack 8 degrees.\n',
  },
  priya: { 'namelist.input': '&time_control\n run_days = 30,\n interval_seconds = 21600,\n/\n' },
  grace: { 'runbook.md': '# Runbook\n\n1. Drain the node\n2. Reboot\n3. Resume\n' },
}
const PLACE = 'Aurora'
/** How many past submissions of each job have their output. */
const KEPT = 3

const isKnown = (name: string): name is keyof typeof scripts => name in outputs

/** Writes files and the output of the latest past jobs, through the file manager as the user they belong to. */
export async function seedFiles(
  db: Database,
  session: Sessions,
  clusterIds: Map<string, string>,
): Promise<void> {
  const cluster = clusterIds.get(PLACE) ?? ''
  const write = async (username: string, where: string, file: string, text: string): Promise<void> => {
    const person = await session(username)
    const folder = file.slice(0, Math.max(0, file.lastIndexOf('/')))
    for (const [index] of folder ? folder.split('/').entries() : []) {
      const path = folder.split('/', index + 1).join('/')
      await person(api.files.makeFolder, { cluster: where, body: { path } }).catch(() => {
        // The folder already exists.
      })
    }
    await person(api.files.writeText, { cluster: where, body: { path: file, text } })
  }
  const isSeeded = async (username: string): Promise<boolean> => {
    const { entries } = await (await session(username))(api.files.list, { cluster, query: {} })
    return entries.some(({ name }) =>
      Object.keys(files[username] ?? {}).some((file) => file.startsWith(name)),
    )
  }
  for (const [username, own] of Object.entries(files)) {
    if (await isSeeded(username)) continue
    for (const [file, text] of Object.entries(own)) await write(username, cluster, file, text)
  }
  const counts = new Map<string, number>()
  const sample = (await store.pastSubmissions(db.kysely)).filter(({ job_name, cluster_id, cluster_name }) => {
    const count = (counts.get(job_name) ?? 0) + 1
    counts.set(job_name, count)
    return count <= KEPT && cluster_id !== null && cluster_name === PLACE
  })
  for (const { job_name, submitted_by, cluster_id, folder, state } of sample) {
    if (!isKnown(job_name)) continue
    const text =
      state === 'failed'
        ? `${outputs[job_name].split('\n', 2).join('\n')}\n${failures[0]}`
        : outputs[job_name]
    await write(submitted_by, cluster_id ?? '', `${folder}/output.txt`, text)
  }
}
