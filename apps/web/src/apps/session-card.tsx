import { mayAccess } from '@flotilla/contract/access'
import { appSessions, type AppSession } from '@flotilla/contract/apps/sessions'
import { Clock, ExternalLink, PanelTop, ScrollText, Share2, Square, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { useApiMutation } from '../api/query'
import { useUser } from '../session/user'
import { Button } from '../ui/button/button'
import { Menu } from '../ui/overlay/menu'
import type { MenuEntry } from '../ui/overlay/menu-entry'
import { Status } from '../ui/status/status'
import { RelativeTime } from '../ui/text/relative-time'
import { useTicking } from '../ui/text/use-now'
import { AppIcon } from './app-icon'
import { SessionProgress } from './session-progress'
import { stateText, timeLeft } from './session-text'
import { useOpenApp } from './use-open-app'

export type SessionDialog = 'log' | 'extend' | 'share' | 'end'
interface Props {
  session: AppSession
  onShow: () => void
  onDialog: (dialog: SessionDialog) => void
}

/** One session with its state, remaining time and actions. */
export function SessionCard({ session, onShow, onDialog }: Props) {
  const { id, app, cluster, state, mine, owner, collaborators, reason } = session
  const titleId = useId()
  const { tone, text } = stateText(session)
  const { openInTab, isOpening } = useOpenApp()
  const remove = useApiMutation(appSessions.remove, { invalidates: [appSessions.list] })
  const isOver = state === 'ended'
  const notMine = mine ? null : `Only ${owner} can do this`
  const isMember = mayAccess('member', useUser().role)
  const unchangeable = isMember
    ? (notMine ?? (isOver ? 'It has ended' : null))
    : 'Participants cannot do this'
  const menu: MenuEntry[] = [
    {
      label: 'Open here',
      icon: PanelTop,
      onSelect: onShow,
      disabledReason: state === 'ready' ? null : 'It is not ready yet',
    },
    { label: 'Log', icon: ScrollText, onSelect: () => onDialog('log'), disabledReason: notMine },
    'separator',
    {
      label: 'Extend',
      icon: Clock,
      onSelect: () => onDialog('extend'),
      disabledReason: unchangeable,
    },
    {
      label: 'Share',
      icon: Share2,
      onSelect: () => onDialog('share'),
      disabledReason: unchangeable,
    },
    'separator',
    isOver
      ? {
          label: 'Remove from list',
          icon: Trash2,
          onSelect: () => remove.mutate({ id }),
          disabledReason: notMine,
        }
      : { label: 'End', icon: Square, onSelect: () => onDialog('end'), disabledReason: notMine },
  ]
  return (
    <li
      aria-labelledby={titleId}
      className="flex min-w-0 flex-col gap-3 rounded-card border border-line-1 bg-surface-2 p-4"
    >
      <div className="flex items-start gap-3">
        <AppIcon icon={app.icon} />
        <div className="min-w-0 flex-1">
          <h3 id={titleId} className="truncate text-form font-semibold">
            {app.name}
          </h3>
          <p className="truncate text-label text-ink-3">
            {cluster.name}
            {!mine && `, shared by ${owner}`}
            {collaborators.length > 0 && mine && `, shared with ${collaborators.join(', ')}`}
          </p>
        </div>
        <Menu label={`Actions for ${app.name}`} items={menu} />
      </div>
      {state === 'queued' || state === 'starting' ? (
        <SessionProgress session={session} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-body">
          <Status tone={tone}>{text}</Status>
          <span className="text-label text-ink-2">
            {isOver ? <RelativeTime at={session.endedAt} /> : <TimeLeft endsAt={session.endsAt} />}
          </span>
        </div>
      )}
      {isOver && reason && <p className="text-label break-words text-ink-2">{reason}</p>}
      {isOver && session.failed && mine && (
        <div className="mt-auto pt-1">
          <Button icon={ScrollText} onClick={() => onDialog('log')}>
            Show log
          </Button>
        </div>
      )}
      {!isOver && (
        <div className="mt-auto flex flex-wrap gap-2 pt-1">
          <Button
            variant="primary"
            icon={ExternalLink}
            busy={isOpening}
            disabledReason={state === 'ready' ? null : 'It is not ready yet'}
            aria-label={`Open ${app.name}`}
            onClick={() => openInTab(id)}
          >
            Open
          </Button>
          {mine && state !== 'ready' && (
            <Button icon={ScrollText} onClick={() => onDialog('log')}>
              Log
            </Button>
          )}
        </div>
      )}
    </li>
  )
}

function TimeLeft({ endsAt }: Pick<AppSession, 'endsAt'>) {
  const text = useTicking((now) => (endsAt === null ? '' : timeLeft(endsAt - now)))
  return text && <>{text} left</>
}
