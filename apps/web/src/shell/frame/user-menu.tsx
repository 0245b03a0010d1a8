import { mayAccess } from '@flotilla/contract/access'
import { settings } from '@flotilla/contract/site/settings'
import { users } from '@flotilla/contract/people/users'
import { CircleUser, Contrast, KeyRound, LogOut, Settings, SlidersHorizontal } from 'lucide-react'
import { download } from '../../api/download'
import { useConfig } from '../../api/config'
import { useApiMutation } from '../../api/query'
import { useUiSettings } from '../../api/ui-settings'
import { paths } from '../../paths'
import { logout } from '../../session/session'
import { useUser } from '../../session/user'
import { useStore } from '../../store'
import { Avatar } from '../../ui/status/avatar'
import { Menu } from '../../ui/overlay/menu'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { showError } from '../../api/errors'
import { settingsPath } from './nav-items'
import { applyPreferences, isDark, appearance } from '../theme'

export function UserMenu() {
  const user = useUser()
  const { version } = useConfig()
  const toggleTheme = useToggleTheme()
  const isMember = mayAccess('member', user.role)
  const settingsTo = settingsPath(user)
  const name = `${user.firstName} ${user.lastName}`.trim() || user.username

  const items: MenuEntry[] = [{ heading: user.email ? `${name} · ${user.email}` : name }, 'separator']
  if (settingsTo) items.push({ to: settingsTo, label: 'Settings', icon: Settings })
  if (isMember) {
    items.push(
      { to: paths.generalSettings(), label: 'General settings', icon: SlidersHorizontal },
      { to: paths.profile(), label: 'Profile', icon: CircleUser },
      {
        label: 'User SSH Key',
        icon: KeyRound,
        onSelect: () => void download(users.downloadSshKey, {}, `${user.username}.pem`).catch(showError),
      },
    )
  }
  items.push(
    {
      label: isDark(useStore(appearance)) ? 'Light theme' : 'Dark theme',
      icon: Contrast,
      onSelect: toggleTheme,
    },
    'separator',
    { label: 'Logout', icon: LogOut, onSelect: logout },
    { heading: `Version ${version}` },
  )
  return (
    <Menu
      label="User menu"
      items={items}
      trigger={
        <button
          type="button"
          aria-label={`User menu for ${name}`}
          className="flex h-8 items-center gap-2 rounded-control px-1 hover:bg-surface-3"
        >
          <Avatar name={name} />
          <span className="max-w-40 truncate text-body font-medium max-md:hidden">{name}</span>
        </button>
      }
    />
  )
}

/** Applies immediately, and is saved for other browsers if the user has an account. */
function useToggleTheme(): () => void {
  const user = useUser()
  const preferences = useUiSettings()?.preferences
  const save = useApiMutation(settings.setPreferences, { invalidates: [settings.ui] })
  return () => {
    const now = appearance.get()
    const theme = isDark(now) ? 'light' : 'dark'
    applyPreferences({ ...now, theme })
    if (preferences && mayAccess('member', user.role)) {
      save.mutate({ body: { preferences: { ...preferences, theme } } })
    }
  }
}
