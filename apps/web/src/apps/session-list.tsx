import { appSessions, type AppSession } from '@flotilla/contract/apps/sessions'
import { AppWindow, ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../api/query'
import { CollaboratorsDialog } from '../sharing/collaborators-dialog'
import { Button } from '../ui/button/button'
import { Async } from '../ui/feedback/async'
import { EmptyState } from '../ui/feedback/empty-state'
import { SkeletonRows } from '../ui/feedback/skeleton'
import { ConfirmDialog } from '../ui/overlay/confirm-dialog'
import { AppView } from './app-view'
import { ExtendDialog } from './extend-dialog'
import { SessionCard, type SessionDialog } from './session-card'
import { SessionLog } from './session-log'

/** Changes of sessions arrive as events, but not those of the jobs behind shared sessions, so the list is polled. */
const EVERY_MS = 10_000

/** The user's sessions, only those of one cluster if given, or the session that is open inside the page. */
export function SessionList({ cluster }: { cluster?: string }) {
  const list = useApiQuery(appSessions.list, {}, { everyMs: EVERY_MS })
  const [shown, setShown] = useState<string | null>(null)
  const [dialog, setDialog] = useState<{ kind: SessionDialog; id: string } | null>(null)
  const close = () => setDialog(null)
  const ofCluster = (all: AppSession[]) =>
    all.filter((one) => cluster === undefined || one.cluster.id === cluster)
  const subject = list.data?.find(({ id }) => id === dialog?.id)
  if (shown !== null)
    return (
      <div className="h-[max(30rem,calc(100dvh-12rem))]">
        <AppView
          id={shown}
          actions={
            <Button icon={ArrowLeft} onClick={() => setShown(null)}>
              Back to sessions
            </Button>
          }
        />
      </div>
    )
  return (
    <>
      <Async
        data={list}
        skeleton={<SkeletonRows rows={2} columns={3} />}
        isEmpty={(all) => ofCluster(all).length === 0}
        empty={
          <div className="rounded-card border border-line-1 bg-surface-2">
            <EmptyState icon={AppWindow} title="No sessions yet">
              Start an app below. It runs as a job and opens in your browser.
            </EmptyState>
          </div>
        }
      >
        {(all) => (
          <ul aria-label="Sessions" className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
            {ofCluster(all).map((session) => (
              <SessionCard
                key={session.id}
                session={session}
                onShow={() => setShown(session.id)}
                onDialog={(kind) => setDialog({ kind, id: session.id })}
              />
            ))}
          </ul>
        )}
      </Async>
      {subject && dialog?.kind === 'log' && <SessionLog session={subject} onClose={close} />}
      {subject && dialog?.kind === 'extend' && <ExtendDialog session={subject} onClose={close} />}
      {subject && dialog?.kind === 'share' && <ShareSession session={subject} onClose={close} />}
      {subject && dialog?.kind === 'end' && <EndSession session={subject} onClose={close} />}
    </>
  )
}

type DialogProps = { session: AppSession; onClose: () => void }

function ShareSession({ session, onClose }: DialogProps) {
  const share = useApiMutation(appSessions.share, {
    success: 'Sharing updated',
    invalidates: [appSessions.list],
    onSuccess: onClose,
  })
  return (
    <CollaboratorsDialog
      subject={session.app.name}
      owner={session.owner}
      collaborators={session.collaborators}
      hint="They can open this session and do anything in it that you can, acting as you."
      onSave={(collaborators) => share.mutateAsync({ id: session.id, body: { collaborators } })}
      onClose={onClose}
    />
  )
}

function EndSession({ session, onClose }: DialogProps) {
  const end = useApiMutation(appSessions.end, {
    success: `${session.app.name} ended`,
    invalidates: [appSessions.list],
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`End ${session.app.name}?`}
      confirmLabel="End session"
      keepLabel="Keep it running"
      onConfirm={() => end.mutateAsync({ id: session.id })}
    >
      <p>Save your work first. Anything that exists only in the app’s memory is lost; your files are kept.</p>
    </ConfirmDialog>
  )
}
