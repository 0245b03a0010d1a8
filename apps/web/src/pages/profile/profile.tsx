import { mayAccess } from '@flotilla/contract/access'
import { SlidersHorizontal } from 'lucide-react'
import { AccountForm } from '../../account/account-form'
import { Identity } from '../../account/identity'
import { PasswordForm } from '../../account/password-form'
import { SessionsPanel } from '../../account/sessions-panel'
import { SshKeyPanel } from '../../account/ssh-key-panel'
import { paths } from '../../paths'
import { useUser } from '../../session/user'
import { ButtonLink } from '../../ui/button/link'
import { PageHeader } from '../../ui/layout/page-header'
import { OwnActivities } from './own-activities'

export default function ProfilePage() {
  const user = useUser()
  // Participants have a session for the duration of a workshop and no account settings.
  const isMember = mayAccess('member', user.role)
  return (
    <>
      <PageHeader
        title="Profile"
        actions={
          isMember && (
            <ButtonLink to={paths.generalSettings()} icon={SlidersHorizontal}>
              Appearance
            </ButtonLink>
          )
        }
      />
      <div className="grid max-w-[1120px] gap-4 lg:grid-cols-2">
        <div className="min-w-0 lg:col-span-2">
          <Identity user={user} />
        </div>
        {isMember && (
          <>
            <div className="flex min-w-0 flex-col gap-4">
              <AccountForm user={user} />
              <SshKeyPanel username={user.username} />
            </div>
            <div className="min-w-0">
              <PasswordForm user={user} />
            </div>
            <div className="min-w-0 lg:col-span-2">
              <SessionsPanel />
            </div>
            <div className="min-w-0 lg:col-span-2">
              <OwnActivities activities={user.activities} />
            </div>
          </>
        )}
      </div>
    </>
  )
}
