import type { Output } from '@flotilla/contract/jobs/jobs'
import type { Database } from '../../db/database'
import { fail, Failure, isPermanent } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { MESSAGES } from '../../schedulers/torque/wrapper'
import { eachOf } from '../../timing/workers'
import { TransportError } from '../../transports/error'
import type { SearchOptions } from '../../transports/search/search'
import { record, subjectOf } from '../activities/activities'
import type { ClusterAccess } from '../clusters/open'
import type { Jobs } from './jobs'
import { filesOf, removeFolder } from './folder'
import type { Submissions } from './submissions'
import * as store from './store'

type Row = store.FoundSubmission
/** The number of latest submissions whose outputs are listed; older outputs are found through their submission. */
const LISTED = 20
/** How many folders are listed concurrently. */
const AT_ONCE = 4
const HIDDEN = /^\./
/** Torque always leaves a file for messages, which is usually empty. */
const isIdleMessages = (name: string, size: number) => size === 0 && name.startsWith(MESSAGES)
/** How often a follower checks whether the job has ended. */
const ENDED_MS = 1000

type Options = { db: Database; jobs: Jobs; submissions: Submissions; clusterAccess: ClusterAccess }

/** Whether the file itself is missing; all other errors are about accessing it. */
const isMissing = (error: unknown): boolean =>
  error instanceof TransportError &&
  ['not found', 'outside', 'not a file', 'not a folder'].includes(error.reason)

/** Whether the user may not read the output at all. */
const isRefusal = (error: unknown): error is Failure =>
  error instanceof Failure && (error.code === 'forbidden' || error.code === 'no_account')

export type Outputs = ReturnType<typeof makeOutputs>
export function makeOutputs({ db, jobs, submissions, clusterAccess }: Options) {
  const found = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw isMissing(error) ? fail('not_found') : clusterAccess.asFailure(error)
    }
  }

  /** The folder, accessed as the account that ran the job. Each call checks again whether the user may read it. */
  const folderOf = async (me: Caller, row: Row) => filesOf(await clusterAccess.forOutput(me, row), row)
  const folder = async (me: Caller, jobId: string, submissionId: string) => {
    const row = await submissions.find(me, submissionId)
    return row.job_id === jobId ? { row, files: await folderOf(me, row) } : fail('not_found')
  }

  const listOne = async (me: Caller, row: Row): Promise<Output[]> => {
    const { entries } = await (await folderOf(me, row)).list('')
    return entries
      .filter(({ kind, name, size }) => kind === 'file' && !HIDDEN.test(name) && !isIdleMessages(name, size))
      .map(({ name, size, modifiedAt }) => ({
        submission: row.id,
        file: name,
        size,
        modifiedAt: Math.round(modifiedAt),
        cluster: row.cluster_name,
        state: row.state,
      }))
  }

  return {
    async list(me: Caller, jobId: string): Promise<Output[] | null> {
      await jobs.find(me, jobId)
      const rows = (await store.submissions(db.kysely, jobId, LISTED)).filter(
        (row) => row.cluster_id !== null,
      )
      const lists = new Map<string, Output[]>()
      // An unreachable cluster must not hide the outputs on other clusters, and is not queried again for each output.
      const away = new Set<string>()
      let refusal: Failure | undefined
      await eachOf(rows, AT_ONCE, async (row) => {
        if (away.has(row.cluster_id ?? '')) return
        await listOne(me, row).then(
          (outputs) => lists.set(row.id, outputs),
          (error: unknown) => {
            if (isRefusal(error)) refusal = error
            else if (!isMissing(error)) away.add(row.cluster_id ?? '')
          },
        )
      })
      const all = rows.flatMap((row) => lists.get(row.id) ?? [])
      if (all.length === 0 && refusal) throw refusal
      return all.length > 0 ? all : null
    },

    async piece(
      me: Caller,
      jobId: string,
      submissionId: string,
      file: string,
      from: number | undefined,
      limit: number,
    ) {
      const { row, files } = await folder(me, jobId, submissionId)
      const { size } = await found(files.stat(file))
      // By default the end is shown, which is usually the relevant part.
      const begin = Math.max(0, Math.min(Math.floor(from ?? size - limit), size))
      const length = Math.min(limit, size - begin)
      const reading = await found(files.read(file, { offset: begin, length }))
      const bytes = Buffer.concat(await found(reading.stream.toArray()))
      return {
        text: bytes.toString('utf8'),
        from: begin,
        next: begin + bytes.length,
        size,
        binary: bytes.includes(0),
        running: row.ended_at === null,
      }
    },

    /** Like `Files.search`, as the account that ran the job. */
    async search(me: Caller, jobId: string, submissionId: string, file: string, options: SearchOptions) {
      const { files } = await folder(me, jobId, submissionId)
      return found(files.search(file, options))
    },

    async download(
      me: Caller,
      jobId: string,
      submissionId: string,
      file: string,
    ): Promise<{ name: string; content: AsyncIterable<Uint8Array> }> {
      const { row, files } = await folder(me, jobId, submissionId)
      const { stream } = await found(files.read(file))
      return { name: `${row.job_name}-${file.replace(/\.txt$/, '')}.txt`, content: stream }
    },

    /** Why this user may no longer read a submission's output, or null. */
    async lostReason(me: Caller, submissionId: string): Promise<string | null> {
      try {
        await clusterAccess.outputCluster(me, await submissions.find(me, submissionId))
        return null
      } catch (error) {
        if (!isPermanent(error)) throw error
        return error.code === 'not_found'
          ? 'The job was removed, or you no longer have access to it'
          : error.message
      }
    },

    /**
     * Yields pieces of a growing file from an offset. Ends when the job has ended and everything was sent, or on the
     * signal. The caller must check whether the user may still read it.
     */
    async *follow(
      me: Caller,
      jobId: string,
      submissionId: string,
      file: string,
      from: number,
      signal: AbortSignal,
    ) {
      const { files } = await folder(me, jobId, submissionId)
      const all = new AbortController()
      let at = Math.max(0, from)
      /** Once the job has ended, the size of the file is final. */
      const checkEnded = async (): Promise<void> => {
        const row = await store.submission(db.kysely, submissionId)
        if (!row || row.ended_at === null) return
        const size = await files.stat(file).then(
          (entry) => entry.size,
          (error: unknown) => (isMissing(error) ? 0 : Infinity),
        )
        if (at >= size) all.abort()
      }
      const timer = setInterval(() => void checkEnded().catch(() => {}), ENDED_MS)
      try {
        const pieces = files.tail(file, {
          from: Math.floor(from),
          signal: AbortSignal.any([signal, all.signal]),
        })
        for await (const { offset, data } of pieces) {
          at = offset + data.length
          yield { from: offset, next: at, data }
        }
      } catch (error) {
        if (!all.signal.aborted) throw isMissing(error) ? error : clusterAccess.asFailure(error)
      } finally {
        clearInterval(timer)
      }
    },

    async remove(me: Caller, jobId: string, submissionIds: string[], context: RequestContext): Promise<void> {
      const job = await jobs.mine(me, jobId, context)
      for (const id of submissionIds) {
        const row = await submissions.find(me, id)
        if (row.job_id !== jobId) fail('not_found')
        if (row.ended_at === null)
          fail('wrong_state', {
            message: 'The job is still running. Cancel it before you delete its output.',
          })
        const connection = await clusterAccess.forOutput(me, row)
        await context.recheck()
        // A missing folder is not an error.
        await removeFolder(connection, row).catch((error: unknown) => {
          if (!isMissing(error)) throw clusterAccess.asFailure(error)
        })
      }
      await db.transaction((tx) =>
        record(tx, me, context, { action: 'output deleted', subject: subjectOf('job', job) }),
      )
    },
  }
}
