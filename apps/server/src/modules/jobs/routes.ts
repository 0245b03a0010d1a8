import { jobs as calls } from '@flotilla/contract/jobs/jobs'
import { messages } from '@flotilla/contract/messages'
import type { Bind } from '../../http/bind'
import type { Jobs } from './jobs'
import { makeOutputSearch } from './output-search'
import type { Outputs } from './outputs'
import type { Submissions } from './submissions'

export function bindJobs(bind: Bind, jobs: Jobs, submissions: Submissions, outputs: Outputs): void {
  const search = makeOutputSearch(outputs)
  bind(calls.list, async ({ query }, me, context) => {
    const { items, next } = await jobs.list(me, query)
    context.nextCursor(next)
    return items
  })
  bind(calls.view, ({ id }, me) => jobs.view(me, id))
  bind(calls.create, ({ body }, me, context) => jobs.create(me, body, context))
  bind(calls.update, ({ body }, me, context) => jobs.update(me, body, context))
  bind(calls.remove, async ({ id }, me, context) => {
    await jobs.remove(me, id, context)
    return { id }
  })
  bind(calls.preview, ({ body, beside }) => ({ script: jobs.preview(body, beside.manager) }))
  bind(calls.submit, ({ body }, me, context) => submissions.submit(me, body, context))
  bind(calls.cancel, ({ body }, me, context) => submissions.cancel(me, body, context))
  bind(calls.submissions, async ({ id, query }, me, context) => {
    const { items, next } = await jobs.submissions(me, id, query)
    context.nextCursor(next)
    return items
  })
  bind(calls.submission, ({ id }, me) => submissions.view(me, id))
  bind(calls.tasks, ({ id }, me) => submissions.tasks(me, id))
  bind(calls.outputs, ({ id }, me) => outputs.list(me, id))
  bind(calls.output, ({ job, submission, file, query }, me) =>
    outputs.piece(me, job, submission, file, query.from, query.limit),
  )
  bind(calls.searchOutput, ({ job, submission, file, query }, me) =>
    search(me, { job, submission, file }, query),
  )
  bind(calls.downloadOutput, ({ job, submission, file }, me) => outputs.download(me, job, submission, file))
  bind(calls.deleteOutput, async ({ id, body }, me, context) => {
    await outputs.remove(me, id, body.jobs, context)
    return { message: messages.fileDeleted }
  })
}
