import type { Submission } from '@flotilla/contract/jobs/jobs'
import { FolderOpen } from 'lucide-react'
import { paths } from '../../../paths'
import { useUser } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { ButtonLink } from '../../../ui/button/link'

/** Links to the output folder, unless it belongs to another account, whose files the File Manager does not show. */
export function OutputFolder({ submission }: { submission: Submission }) {
  const { username } = useUser()
  const { cluster, folder, runAsAdmin, submittedBy } = submission
  const reason = runAsAdmin
    ? 'It belongs to the cluster’s admin account'
    : submittedBy === username
      ? null
      : `It belongs to ${submittedBy}’s account`
  if (reason)
    return (
      <Button icon={FolderOpen} disabledReason={reason}>
        Open folder
      </Button>
    )
  return (
    <ButtonLink to={paths.files()} search={{ area: cluster.id, path: folder }} icon={FolderOpen}>
      Open folder
    </ButtonLink>
  )
}
