import { mayAccess } from '@flotilla/contract/access'
import { AccountForm } from '../../account/account-form'
import { Identity } from '../../account/identity'
import { OwnPublicKey } from '../../account/own-public-key'
import { useUser } from '../../session/user'
import { Card } from '../../ui/layout/card'
import { PageHeader } from '../../ui/layout/page-header'
import { OwnActivities } from './own-activities'
import { OwnSettingsPage } from './own-settings-page'

export default function ProfilePage() {
  const user = useUser()
  // Participants have a session for the duration of a workshop and no account settings.
  if (!mayAccess('member', user.role))
    return (
      <>
        <PageHeader title="Profile" />
        <div className="max-w-[1120px]">
          <Identity user={user} />
        </div>
      </>
    )
  return (
    <OwnSettingsPage>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Identity user={user} />
          <Card
            title="Public SSH key"
            description={
              <>
                Add it to <code>~/.ssh/authorized_keys</code> of your account{' '}
                <code>{user.unixAccount ?? user.username}</code> on attached clusters.
              </>
            }
          >
            <OwnPublicKey />
          </Card>
        </div>
        <AccountForm user={user} />
        <div className="min-w-0 lg:col-span-2">
          <OwnActivities username={user.username} activities={user.activities} />
        </div>
      </div>
    </OwnSettingsPage>
  )
}
