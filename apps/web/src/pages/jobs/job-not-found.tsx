import { SearchX } from 'lucide-react'
import type { ApiError } from '@flotilla/client/api-error'
import { paths } from '../../paths'
import { EmptyState } from '../../ui/empty-state'
import { ButtonLink } from '../../ui/link'
import { PageHeader } from '../../ui/page-header'

/** Whoever may not see a job is not told that there is one. */
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
