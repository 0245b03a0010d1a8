import { appSessions, type AppSession } from '@flotilla/contract/apps/sessions'
import { CircleStop, ExternalLink, Maximize, RotateCw } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { useApiMutation, useApiQuery } from '../api/query'
import { Button, IconButton } from '../ui/button/button'
import { Async } from '../ui/feedback/async'
import { EmptyState } from '../ui/feedback/empty-state'
import { Spinner } from '../ui/feedback/spinner'
import { SessionProgress } from './session-progress'
import { useOpenApp } from './use-open-app'

interface Props {
  /** The session to show. */
  id: string
  /** Buttons next to the name, such as a back button. */
  actions?: ReactNode
}

/** A running app inside the page, or what it is waiting for. */
export function AppView({ id, actions }: Props) {
  const session = useApiQuery(appSessions.view, { id })
  return (
    <Async data={session}>
      {(found) =>
        found.state === 'ready' ? (
          <AppFrame key={found.id} session={found} actions={actions} />
        ) : found.state === 'ended' ? (
          <EmptyState icon={CircleStop} title={`${found.app.name} has ended`} action={actions}>
            {found.reason ?? 'Start it again to continue.'}
          </EmptyState>
        ) : (
          <div className="mx-auto flex max-w-120 flex-col gap-4 py-12">
            <SessionProgress session={found} />
            {actions}
          </div>
        )
      }
    </Async>
  )
}

function AppFrame({ session, actions }: { session: AppSession; actions: ReactNode }) {
  const { id, app } = session
  const frame = useRef<HTMLIFrameElement>(null)
  const { openInTab } = useOpenApp()
  const ticket = useApiMutation(appSessions.open)
  const { mutate } = ticket
  // A ticket works once, so each frame gets its own.
  useEffect(() => mutate({ id }), [id, mutate])
  return (
    <section
      aria-label={app.name}
      className="flex h-full min-h-120 flex-col rounded-card border border-line-1 bg-surface-2"
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line-1 py-1.5 pr-1.5 pl-3">
        <h2 className="mr-auto truncate text-form font-semibold">{app.name}</h2>
        {actions}
        <IconButton label="Reload" icon={RotateCw} onClick={() => mutate({ id })} />
        <IconButton label="Open in new tab" icon={ExternalLink} onClick={() => openInTab(id)} />
        <IconButton
          label="Full screen"
          icon={Maximize}
          onClick={() => void frame.current?.requestFullscreen()}
        />
      </header>
      {ticket.data ? (
        <iframe
          ref={frame}
          key={ticket.data.url}
          title={app.name}
          src={ticket.data.url}
          // Allows everything that an app needs, but no access to the surrounding page: the app has its own origin, so
          // it cannot access its frame element.
          // oxlint-disable-next-line react/iframe-missing-sandbox
          sandbox="allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads"
          // Without clipboard-read, because the clipboard may hold a password; the user can still paste.
          allow="clipboard-write; fullscreen"
          className="min-h-0 w-full flex-auto rounded-b-card bg-white"
        />
      ) : (
        <div className="flex flex-auto flex-col items-center justify-center gap-3 text-ink-2">
          {ticket.isError ? <Button onClick={() => mutate({ id })}>Try again</Button> : <Spinner />}
        </div>
      )}
    </section>
  )
}
