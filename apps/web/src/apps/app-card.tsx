import type { App } from '@flotilla/contract/apps/apps'
import { Rocket } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../ui/button/button'
import { ButtonLink } from '../ui/button/link'
import { Menu } from '../ui/overlay/menu'
import type { MenuEntry } from '../ui/overlay/menu-entry'
import { AppIcon } from './app-icon'

interface Props {
  app: Pick<App, 'name' | 'icon' | 'description' | 'owner'>
  /** Without `onStart` and `to`, the card has no button. */
  onStart?: () => void
  /** The page that opens it. */
  to?: string
  /** Why it cannot be started, or null. */
  blockedReason?: string | null
  menu?: readonly MenuEntry[]
}

/** An app of the catalog. */
export function AppCard({ app, onStart, to, blockedReason = null, menu }: Props) {
  const { name, icon, description, owner } = app
  const titleId = useId()
  return (
    <li
      aria-labelledby={titleId}
      className="flex min-w-0 flex-col gap-3 rounded-card border border-line-1 bg-surface-2 p-4"
    >
      <div className="flex items-start gap-3">
        <AppIcon icon={icon} />
        <div className="min-w-0 flex-1">
          <h3 id={titleId} className="truncate text-form font-semibold">
            {name}
          </h3>
          <p className="truncate text-label text-ink-3">{owner === null ? 'Built-in' : `By ${owner}`}</p>
        </div>
        {menu && menu.length > 0 && <Menu label={`Actions for the app ${name}`} items={menu} />}
      </div>
      <p className="text-body break-words text-ink-2">{description}</p>
      {to !== undefined && (
        <div className="mt-auto pt-1">
          <ButtonLink to={to} icon={Rocket} aria-label={`Open ${name}`}>
            Open
          </ButtonLink>
        </div>
      )}
      {onStart && (
        <div className="mt-auto pt-1">
          <Button icon={Rocket} aria-label={`Start ${name}`} disabledReason={blockedReason} onClick={onStart}>
            Start
          </Button>
        </div>
      )}
    </li>
  )
}
