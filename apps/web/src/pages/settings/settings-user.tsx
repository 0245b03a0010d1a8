import { UserPen } from 'lucide-react'
import { AccessTokensPanel } from '../../account/access-tokens-panel'
import { Identity } from '../../account/identity'
import { OwnSettingsTabs } from '../../account/own-settings-tabs'
import { PasswordForm } from '../../account/password-form'
import { SessionsPanel } from '../../account/sessions-panel'
import { SshKeyPanel } from '../../account/ssh-key-panel'
import { paths } from '../../paths'
import { useUser } from '../../session/user'
import { ButtonLink } from '../../ui/button/link'
import { PageHeader } from '../../ui/layout/page-header'
import { OwnUsage } from '../../usage/own-usage'

export default function UserSettingsPage() {
  const user = useUser()
  return (
    <>
      <PageHeader
        title="Settings"
        actions={
          <ButtonLink to={paths.profile()} icon={UserPen}>
            Edit name and email
          </ButtonLink>
        }
      />
      <OwnSettingsTabs />
      <div className="mt-5 grid max-w-[1120px] items-start gap-4 lg:grid-cols-2">
        <div className="min-w-0 lg:col-span-2">
          <Identity user={user} />
        </div>
        <PasswordForm user={user} />
        <SshKeyPanel username={user.username} />
        <div className="min-w-0 lg:col-span-2">
          <SessionsPanel />
        </div>
        <div className="min-w-0 lg:col-span-2">
          <AccessTokensPanel />
        </div>
        <div className="min-w-0 lg:col-span-2">
          <OwnUsage />
        </div>
      </div>
    </>
  )
}
