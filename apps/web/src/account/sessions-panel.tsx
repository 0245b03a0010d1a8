import { auth, type Session } from '@flotilla/contract/people/auth'
import { LogOut, MonitorSmartphone } from 'lucide-react'
import { useId } from 'react'
import { useApiMutation, useApiQuery } from '../api/query'
import { DataTable } from '../table/data-table'
import type { Column } from '../table/column'
import { timeColumn } from '../table/columns'
import { Async } from '../ui/feedback/async'
import { Badge } from '../ui/status/badge'
import { Button } from '../ui/button/button'
import { EmptyState } from '../ui/feedback/empty-state'
import { SkeletonRows } from '../ui/feedback/skeleton'
import { browserName } from './browser-name'

const columns: readonly Column<Session>[] = [
  {
    id: 'browser',
    header: 'Browser',
    type: 'text',
    value: (session) => browserName(session.browser),
    width: 212,
    grow: true,
    priority: 1,
    cell: (session) => (
      <span className="flex min-w-0 items-center gap-2" title={session.browser}>
        <span className="truncate">{browserName(session.browser)}</span>
        {session.current && <Badge tone="green">This session</Badge>}
      </span>
    ),
  },
  {
    id: 'address',
    header: 'Address',
    type: 'text',
    value: (session) => session.address,
    priority: 2,
    cell: (session) => <span className="font-mono text-label">{session.address}</span>,
  },
  timeColumn({
    id: 'lastActiveAt',
    header: 'Last active',
    value: (session) => session.lastActiveAt,
    least: 104,
  }),
  timeColumn({ id: 'createdAt', header: 'Logged in', value: (session) => session.createdAt, priority: 3 }),
]

const idOf = (session: Session) => session.id

/** A few sessions can be read at a glance; only a long list is worth a filter. */
const FILTER_FROM_ROWS = 6

/** Where the user is logged in, so that they can end sessions they don't recognize. */
export function SessionsPanel() {
  const headingId = useId()
  const sessions = useApiQuery(auth.sessions, {})
  const end = useApiMutation(auth.endSession, { success: 'Session closed', invalidates: [auth.sessions] })
  const endOthers = useApiMutation(auth.endOtherSessions, {
    success: 'All other sessions closed',
    invalidates: [auth.sessions],
  })
  const others = sessions.data?.filter((session) => !session.current).length ?? 0

  return (
    <section aria-labelledby={headingId}>
      <header className="mt-2 mb-3 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 id={headingId} className="text-section font-semibold">
            Sessions
          </h2>
          <p className="mt-0.5 text-body text-ink-2">
            Where you are logged in. If you don’t recognize a session, end it and change your password.
          </p>
        </div>
        <Button
          icon={LogOut}
          busy={endOthers.isPending}
          disabledReason={others === 0 ? 'You are not logged in anywhere else' : null}
          onClick={() => endOthers.mutate({})}
        >
          End all other sessions
        </Button>
      </header>
      <Async
        data={sessions}
        skeleton={<SkeletonRows rows={2} columns={4} />}
        empty={
          <EmptyState icon={MonitorSmartphone} title="No sessions">
            Your sessions appear here as soon as you log in from a browser.
          </EmptyState>
        }
      >
        {(list) => (
          <DataTable
            label="Sessions"
            urlKey="sessions"
            columns={columns}
            rows={list}
            rowId={idOf}
            filter={list.length >= FILTER_FROM_ROWS}
            rowActions={(session) => [
              {
                label: 'End',
                icon: LogOut,
                disabledReason: session.current ? 'To end your current session, log out' : null,
                onSelect: () => end.mutate({ id: session.id }),
              },
            ]}
          />
        )}
      </Async>
    </section>
  )
}
