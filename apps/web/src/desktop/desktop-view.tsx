import { desktops, type DesktopMode } from '@flotilla/contract/desktops/desktops'
import { RotateCw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode, RefObject } from 'react'
import { useApiQuery } from '../api/query'
import { useUser } from '../session/user'
import { Button } from '../ui/button/button'
import { Spinner } from '../ui/feedback/spinner'
import { Status } from '../ui/status/status'
import { cx } from '../ui/text/cx'
import { DesktopPassword } from './desktop-password'
import { DesktopToolbar } from './desktop-toolbar'
import { useDesktop } from './use-desktop'
import type { DesktopState } from './use-desktop'
import { WatchBanner } from './watch-banner'

const statusLabels = {
  connecting: { tone: 'blue', label: 'Connecting' },
  password: { tone: 'amber', label: 'Password needed' },
  open: { tone: 'green', label: 'Connected' },
  waiting: { tone: 'amber', label: 'Connection lost, reconnecting' },
  ended: { tone: 'gray', label: 'Disconnected' },
} as const

const isLeaveKey = ({ ctrlKey, shiftKey, code }: KeyboardEvent): boolean =>
  ctrlKey && shiftKey && code === 'KeyE'

interface Props {
  desktopId: string
  /** The name for screen readers and the toolbar, such as 'Desktop on Ganymede'. */
  label: string
  mode?: DesktopMode
  /** Whether an admin connects to another user's desktop. */
  admin?: boolean
  /** Tailwind classes for its height. */
  className?: string
  /** More buttons, such as one that ends it. */
  actions?: ReactNode
}

/** A desktop in the page: drawn, controlled or only watched, and reconnected when the connection is lost. */
export default function DesktopView(props: Props) {
  const { desktopId, label, mode = 'control', admin = false, className, actions } = props
  const me = useUser()
  const { data } = useApiQuery(desktops.view, { id: desktopId })
  // Only the owner's window resizes the desktop, so that a helper does not change its size.
  const isOwner = data?.ownerId === me.id
  const desktop = useDesktop({ desktopId, mode, admin, mayResize: isOwner && mode === 'control' })
  const { state, target, reconnect } = desktop
  const section = useRef<HTMLElement>(null)
  const status = useRef<HTMLSpanElement>(null)
  const isFull = useIsFull(section)

  useEffect(() => {
    const element = section.current
    // The desktop takes every key, so keyboard users need another way out.
    const leave = (event: KeyboardEvent): void => {
      if (!isLeaveKey(event)) return
      event.preventDefault()
      event.stopPropagation()
      status.current?.focus()
    }
    element?.addEventListener('keydown', leave, { capture: true })
    return () => element?.removeEventListener('keydown', leave, { capture: true })
  }, [])

  const { tone, label: text } = statusLabels[state.at]
  return (
    <section
      ref={section}
      aria-label={label}
      className={cx(
        'flex min-w-0 flex-col overflow-hidden border-line-1 bg-surface-2',
        !isFull && 'rounded-card border',
        isFull ? 'h-dvh' : className,
      )}
    >
      <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-1 bg-surface-1 px-3 py-1.5">
        <span ref={status} role="status" tabIndex={-1} className="min-w-0">
          <Status tone={tone} detail={label}>
            {mode === 'view' && state.at === 'open' ? 'Watching' : text}
          </Status>
        </span>
        <span className="ml-auto flex flex-wrap items-center gap-1">
          {mode === 'control' && state.at === 'open' && (
            <span className="mr-2 hidden text-label text-ink-3 lg:inline">
              <kbd className="font-mono">Ctrl+Shift+E</kbd> leaves the desktop
            </span>
          )}
          <DesktopToolbar
            desktop={desktop}
            mode={mode}
            section={section}
            isFull={isFull}
            mayResize={isOwner}
          />
          {actions}
        </span>
      </header>
      <WatchBanner
        desktopId={desktopId}
        others={isOwner ? data.viewers.filter(({ userId }) => userId !== me.id) : []}
      />
      <div className="relative min-h-0 grow">
        <div
          ref={target}
          data-testid="desktop-screen"
          className={cx('absolute inset-0 bg-surface-3', state.at !== 'open' && 'invisible')}
        />
        {state.at !== 'open' && (
          <div className="absolute inset-0 flex flex-col items-center justify-center gap-3 p-4 text-center text-body text-ink-2">
            <Overlay state={state} reconnect={reconnect}>
              <DesktopPassword onPassword={desktop.givePassword} />
            </Overlay>
          </div>
        )}
      </div>
    </section>
  )
}

function Overlay({
  state,
  reconnect,
  children,
}: {
  state: DesktopState
  reconnect: () => void
  children: ReactNode
}) {
  if (state.at === 'password' && !state.wasWrong) return children
  const again = (
    <Button variant="primary" icon={RotateCw} onClick={reconnect}>
      Connect again
    </Button>
  )
  if (state.at === 'password')
    return (
      <>
        <p>Wrong password.</p>
        {again}
      </>
    )
  if (state.at === 'ended')
    return (
      <>
        <p>{state.reason}</p>
        {again}
      </>
    )
  return (
    <>
      <Spinner />
      <p>
        {state.at === 'waiting'
          ? 'The connection was lost. The desktop keeps running.'
          : 'Connecting to the desktop'}
      </p>
    </>
  )
}

function useIsFull(element: RefObject<HTMLElement | null>): boolean {
  const [isFull, setIsFull] = useState(false)
  useEffect(() => {
    const changed = () =>
      setIsFull(document.fullscreenElement !== null && document.fullscreenElement === element.current)
    document.addEventListener('fullscreenchange', changed)
    return () => document.removeEventListener('fullscreenchange', changed)
  }, [element])
  return isFull
}
