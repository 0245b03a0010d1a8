import { paths } from '../paths'
import { useIsAdmin } from '../session/user'
import { LinkTabs } from '../ui/layout/link-tabs'

/** Tabs between the user's own settings; for admins, the first tab is the site's. */
export function OwnSettingsTabs() {
  const isAdmin = useIsAdmin()
  return (
    <LinkTabs
      label="Settings"
      tabs={[
        ...(isAdmin ? [{ to: paths.settings(), label: 'Site' }] : []),
        { to: paths.settingsUser(), label: 'Account' },
        { to: paths.generalSettings(), label: 'Appearance' },
      ]}
    />
  )
}
