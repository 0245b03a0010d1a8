import { jobs } from '@flotilla/contract/jobs/jobs'
import { useApiQuery } from '../../api/query'
import { usePathParam } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { PageHeader } from '../../ui/layout/page-header'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { fieldsOf } from './form/job-form'
import { JobEditor } from './form/job-editor'
import { isNotFound, JobNotFound } from './job-not-found'

export default function EditJob() {
  const id = usePathParam('id') ?? ''
  const job = useApiQuery(jobs.view, { id })
  if (isNotFound(job.error)) return <JobNotFound />
  return (
    <>
      {!job.data && <PageHeader title="Edit job" />}
      <Async data={job} skeleton={<SkeletonText lines={8} />}>
        {(saved) => (
          <JobEditor key={saved.id} title={`Edit ${saved.name}`} job={saved} start={fieldsOf(saved)} />
        )}
      </Async>
    </>
  )
}
