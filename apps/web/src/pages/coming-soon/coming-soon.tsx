import { mayAccess } from '@flotilla/contract/access'
import type { User } from '@flotilla/contract/people/users'
import { useMatches } from '@tanstack/react-router'
import { Hourglass, ListChecks, Server } from 'lucide-react'
import { useConfig } from '../../api/config'
import { paths } from '../../paths'
import { titleOf } from '../../route-row'
import { useUser } from '../../session/user'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import { PageHeader } from '../../ui/layout/page-header'
import { comingSoonTexts } from './coming-soon-texts'

/** Placeholder for pages that do not exist yet; the texts are in coming-soon-texts.ts. */
export default function ComingSoon() {
  const row = useMatches({ select: (matches) => matches.at(-1)?.staticData.row })
  const config = useConfig()
  const { role } = useUser()
  const texts = row && comingSoonTexts[row.path]
  if (!texts) return null
  return (
    <>
      <PageHeader title={titleOf(row, config)} />
      <div className="rounded-card border border-line-1 bg-surface-2">
        <EmptyState icon={Hourglass} title="Coming soon" action={<Onward role={role} />}>
          {texts.will} {texts.today}
        </EmptyState>
      </div>
    </>
  )
}

/** Links to existing pages that the user can open. */
function Onward({ role }: Pick<User, 'role'>) {
  return (
    <div className="flex flex-wrap justify-center gap-2">
      {mayAccess('userOrParticipant', role) && (
        <ButtonLink to={paths.clusters()} icon={Server}>
          Go to clusters
        </ButtonLink>
      )}
      {mayAccess('user', role) && (
        <ButtonLink to={paths.jobs()} icon={ListChecks}>
          Go to jobs
        </ButtonLink>
      )}
    </div>
  )
}
