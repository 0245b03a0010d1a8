import { desktops as calls, type Desktop } from '@flotilla/contract/desktops/desktops'
import { Eye, Power } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/query'
import { useSetSearch } from '../../paths'
import { Button } from '../../ui/button/button'
import { Card } from '../../ui/layout/card'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { RelativeTime } from '../../ui/text/relative-time'

/** Other users' desktops on the cluster, for admins. */
export function RunningDesktops({ desktops }: { desktops: Desktop[] }) {
  const setSearch = useSetSearch()
  const [ending, setEnding] = useState<Desktop | null>(null)
  const end = useApiMutation(calls.end, {
    admin: true,
    invalidates: [calls.list],
    onSuccess: () => setEnding(null),
  })
  if (desktops.length === 0) return null
  return (
    <Card title="Other users’ desktops" description="They see when you watch or control their desktop." flush>
      <ul className="divide-y divide-line-1 border-t border-line-1">
        {desktops.map((desktop) => (
          <li key={desktop.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-body">
            <span className="min-w-40 grow font-medium">{desktop.owner}</span>
            <span className="text-ink-3">
              {desktop.viewers.length > 0 ? 'Connected' : 'Not connected'}, last used{' '}
              <RelativeTime at={desktop.lastActivityAt} />
            </span>
            <Button
              icon={Eye}
              disabledReason={desktop.state === 'running' ? null : 'It is not running'}
              onClick={() => setSearch({ watch: desktop.id, mode: 'view' }, { replace: false })}
            >
              Watch
            </Button>
            <Button icon={Power} onClick={() => setEnding(desktop)}>
              End
            </Button>
          </li>
        ))}
      </ul>
      {ending && (
        <ConfirmDialog
          open
          title={`End ${ending.owner}’s desktop?`}
          confirmLabel="End desktop"
          onConfirm={() => end.mutateAsync({ id: ending.id })}
          onClose={() => setEnding(null)}
        >
          All programs in it are closed. Unsaved work is lost.
        </ConfirmDialog>
      )}
    </Card>
  )
}
