import { SearchX } from 'lucide-react'
import type { ApiError } from '@flotilla/client/api-error'
import { paths } from '../../paths'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import { PageHeader } from '../../ui/layout/page-header'

/** Whether to show a job as not found. Users without access must not learn that it exists. */
export const isNotFound = (error: ApiError | null): boolean => error?.status === 404 || error?.status === 403

export const JobNotFound = () => (
  <>
    <PageHeader title="Job" />
    <EmptyState
      icon={SearchX}
      title="Job not found"
      action={<ButtonLink to={paths.jobs()}>See all jobs</ButtonLink>}
    >
      It was deleted or belongs to someone else.
    </EmptyState>
  </>
)
