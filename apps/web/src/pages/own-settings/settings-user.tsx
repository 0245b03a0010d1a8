import { Navigate } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { AccessTokensPanel } from '../../account/access-tokens-panel'
import { PasswordForm } from '../../account/password-form'
import { SessionsPanel } from '../../account/sessions-panel'
import { SshKeyPanel } from '../../account/ssh-key-panel'
import { paths, usePathParam } from '../../paths'
import { useUser } from '../../session/user'
import { ButtonLink } from '../../ui/button/link'
import { EmptyState } from '../../ui/feedback/empty-state'
import { OwnUsage } from '../../usage/own-usage'
import { Notifications } from './notifications'
import { OwnSettingsPage } from './own-settings-page'

const tabs: Record<string, () => ReactNode> = {
  notifications: Notifications,
  usage: OwnUsage,
}

/** Redirects from tab names that users may type to the tabs whose paths the specification defines. */
const redirects: Record<string, string> = {
  security: paths.settingsUser(),
  profile: paths.profile(),
  appearance: paths.generalSettings(),
}

export default function UserSettingsPage() {
  const tab = usePathParam('tab')
  const address = redirects[tab ?? '']
  if (address !== undefined) return <Navigate to={address} replace />
  const Tab = tab === undefined ? Security : (tabs[tab] ?? TabNotFound)
  return (
    <OwnSettingsPage>
      <Tab />
    </OwnSettingsPage>
  )
}

function Security() {
  const user = useUser()
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <PasswordForm user={user} />
      <SshKeyPanel {...user} />
      <div className="min-w-0 lg:col-span-2">
        <SessionsPanel />
      </div>
      <div className="min-w-0 lg:col-span-2">
        <AccessTokensPanel />
      </div>
    </div>
  )
}

const TabNotFound = () => (
  <EmptyState
    icon={SearchX}
    title="Tab not found"
    action={<ButtonLink to={paths.settingsUser()}>Go to Security</ButtonLink>}
  >
    Your settings have no tab with this address.
  </EmptyState>
)
