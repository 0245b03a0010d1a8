import { jobs } from '@flotilla/contract/jobs/jobs'
import { useApiQuery } from '../../api/query'
import { useSearchParam } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { PageHeader } from '../../ui/layout/page-header'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { copyOf, emptyJob, fromTemplate } from './form/job-form'
import { JobEditor } from './form/job-editor'
import { isNotFound, JobNotFound } from './job-not-found'
import { templateOf } from '../../submit/templates'

/** A new job: empty, from a template (`?template=`) or as a copy (`?clone=`). */
export default function NewJob() {
  const template = templateOf(useSearchParam('template'))
  const clone = useSearchParam('clone')
  if (clone) return <Copy id={clone} />
  return (
    <JobEditor
      key={template?.id}
      title="New job"
      job={null}
      start={template ? fromTemplate(template) : emptyJob}
    />
  )
}

function Copy({ id }: { id: string }) {
  const job = useApiQuery(jobs.view, { id })
  if (isNotFound(job.error)) return <JobNotFound />
  return (
    <>
      {!job.data && <PageHeader title="New job" />}
      <Async data={job} skeleton={<SkeletonText lines={8} />}>
        {(original) => <JobEditor title={`Copy of ${original.name}`} job={null} start={copyOf(original)} />}
      </Async>
    </>
  )
}
