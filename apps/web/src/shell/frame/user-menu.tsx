import { mayAccess } from '@flotilla/contract/access'
import { users } from '@flotilla/contract/people/users'
import { CircleUser, Contrast, KeyRound, LogOut, Settings } from 'lucide-react'
import { download } from '../../api/download'
import { useConfig } from '../../api/config'
import { paths } from '../../paths'
import { logout } from '../../login/session'
import { useUser } from '../../session/user'
import { useStore } from '../../store'
import { Avatar } from '../../ui/status/avatar'
import { Menu } from '../../ui/overlay/menu'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { showError } from '../../api/errors'
import { settingsPath } from './nav-items'
import { isDark, appearance } from '../theme'
import { useSetTheme } from '../use-set-theme'

export function UserMenu() {
  const user = useUser()
  const { version } = useConfig()
  const setTheme = useSetTheme()
  const dark = isDark(useStore(appearance))
  const isMember = mayAccess('member', user.role)
  const settingsTo = settingsPath(user)
  const name = `${user.firstName} ${user.lastName}`.trim() || user.username

  const items: MenuEntry[] = [{ heading: user.email ? `${name} · ${user.email}` : name }, 'separator']
  if (settingsTo) items.push({ to: settingsTo, label: 'Settings', icon: Settings })
  if (isMember) {
    items.push(
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
      label: dark ? 'Light theme' : 'Dark theme',
      icon: Contrast,
      onSelect: () => setTheme(dark ? 'light' : 'dark'),
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
          <span className="max-w-40 truncate text-body font-medium max-lg:hidden">{name}</span>
        </button>
      }
    />
  )
}
