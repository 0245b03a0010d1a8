import { countText } from '@flotilla/contract/count-text'
import { Link } from '@tanstack/react-router'
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { useConfig } from '../../api/config'
import { useUiSettings } from '../../api/ui-settings'
import { paths } from '../../paths'
import { useUser } from '../../session/user'
import { IconButton } from '../../ui/button/button'
import { cx } from '../../ui/text/cx'
import { Glyph } from '../../ui/status/icon'
import { Tooltip } from '../../ui/overlay/tooltip'
import { Brand } from './brand'
import { navGroups } from './nav-items'
import type { NavItem } from './nav-items'

type NavigationProps = {
  folded: boolean
  /** Missing in the phone's drawer, which cannot be collapsed. */
  onFold?: () => void
}

export function Navigation({ folded, onFold }: NavigationProps) {
  const user = useUser()
  const config = useConfig()
  const ui = useUiSettings()
  const waiting = ui?.waitingForApproval ?? 0
  const notice = {
    count: waiting,
    text: `${countText(waiting, 'person', 'people')} waiting for approval`,
  }
  return (
    <div className="flex h-full flex-col">
      <div className={cx('flex h-14 shrink-0 items-center gap-2', folded ? 'justify-center' : 'pr-2 pl-4')}>
        {!folded && <Brand />}
        {onFold && (
          <IconButton
            label={folded ? 'Expand navigation' : 'Collapse navigation'}
            aria-expanded={!folded}
            icon={folded ? PanelLeftOpen : PanelLeftClose}
            onClick={onFold}
          />
        )}
      </div>
      <nav aria-label="Main" className="flex-1 overflow-y-auto px-3 pb-4">
        {navGroups(user, config, ui?.trainingsAllowed ?? false).map(({ heading, items, nested }) => (
          <section key={heading} aria-label={heading ?? undefined}>
            {heading && <GroupHeading folded={folded} nested={nested ?? false} text={heading} />}
            <ul className="flex flex-col gap-0.5">
              {items.map((item) => (
                <li key={item.to}>
                  <NavLink
                    item={item.to === paths.settings() && waiting > 0 ? { ...item, notice } : item}
                    folded={folded}
                    nested={nested ?? false}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </div>
  )
}

function GroupHeading({ text, folded, nested }: { text: string; folded: boolean; nested: boolean }) {
  if (folded) return <hr className="mx-2 my-2 border-line-1" />
  return (
    <h2 className={cx('pb-1 text-label font-medium text-ink-3', nested ? 'pt-2 pl-5' : 'pt-4 pl-2')}>
      {text}
    </h2>
  )
}

function NavLink({
  item: { to, label, icon, notice },
  folded,
  nested,
}: {
  item: NavItem
  folded: boolean
  nested: boolean
}) {
  const named = notice ? `${label}: ${notice.text}` : label
  const link = (
    <Link
      to={to}
      aria-label={folded ? named : undefined}
      activeOptions={{ exact: false, includeSearch: false }}
      className={cx(
        'relative flex h-8 items-center gap-2.5 rounded-control text-body text-ink-2 transition-colors hover:bg-surface-3 hover:text-ink-1',
        'data-[status=active]:bg-surface-3 data-[status=active]:font-medium data-[status=active]:text-ink-1',
        folded ? 'justify-center' : nested ? 'pr-2 pl-5' : 'px-2',
      )}
    >
      <Glyph icon={icon} />
      {!folded && <span className="truncate">{label}</span>}
      {notice && (
        <span
          className={cx(
            'rounded-full bg-amber-soft text-label font-medium text-amber tabular-nums',
            folded ? 'absolute top-0.5 right-1 px-1' : 'ml-auto px-2',
          )}
        >
          {notice.count}
          {!folded && <span className="sr-only"> {notice.text.replace(/^\S+ /, '')}</span>}
        </span>
      )}
    </Link>
  )
  if (!folded) return link
  return (
    <Tooltip content={named} side="right" describe={false}>
      {link}
    </Tooltip>
  )
}
