import type { App } from '@flotilla/contract/apps/apps'
import { appSessions } from '@flotilla/contract/apps/sessions'
import { AppWindow, CircleStop } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { AppView } from '../../../apps/app-view'
import { LaunchDialog } from '../../../apps/launch-dialog'
import { Button } from '../../../ui/button/button'
import { Async } from '../../../ui/feedback/async'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'

interface Props {
  app: App
  clusterId: string
  blockedReason: string | null
  /** Tailwind classes for the height of the session. */
  className: string
}

/** Starts, shows and ends the participant's session of an app. */
export default function AppPlace({ app, clusterId, blockedReason, className }: Props) {
  const sessions = useApiQuery(appSessions.list, {})
  const [open, setOpen] = useState<'start' | 'end' | null>(null)
  const close = () => setOpen(null)
  const end = useApiMutation(appSessions.end, { invalidates: [appSessions.list], onSuccess: close })
  return (
    <Async data={sessions} isEmpty={() => false}>
      {(all) => {
        const session = all.find((one) => one.app.id === app.id && one.mine && one.state !== 'ended')
        return (
          <>
            {session ? (
              <div className={className}>
                <AppView
                  id={session.id}
                  actions={
                    <Button icon={CircleStop} onClick={() => setOpen('end')}>
                      End
                    </Button>
                  }
                />
              </div>
            ) : (
              <div className="rounded-card border border-line-1 bg-surface-2">
                <EmptyState
                  icon={AppWindow}
                  title={app.name}
                  action={
                    <Button variant="primary" disabledReason={blockedReason} onClick={() => setOpen('start')}>
                      Start {app.name}
                    </Button>
                  }
                >
                  {app.description}
                </EmptyState>
              </div>
            )}
            {open === 'start' && <LaunchDialog app={app} cluster={clusterId} onClose={close} />}
            {open === 'end' && session && (
              <ConfirmDialog
                open
                title={`End ${app.name}?`}
                confirmLabel={`End ${app.name}`}
                onConfirm={() => end.mutateAsync({ id: session.id }).catch(close)}
                onClose={close}
              >
                Unsaved work is lost.
              </ConfirmDialog>
            )}
          </>
        )
      }}
    </Async>
  )
}
