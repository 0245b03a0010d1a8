import { machineBlocked } from '@flotilla/contract/site/ui'
import { Hourglass } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useUiSettings } from '../../api/ui-settings'
import { Glyph } from '../../ui/status/icon'
import { notices } from '../../ui/feedback/notices-store'

/** Tells self-registered users that they are waiting for approval, and then that they were approved. */
export function ApprovalBanner() {
  const access = useUiSettings()?.machineAccess
  const before = useRef(access)
  useEffect(() => {
    if (before.current === 'waiting' && access === 'allowed') notices.success('You can now use this machine')
    before.current = access
  }, [access])
  if (access !== 'waiting') return null
  return (
    <p
      role="status"
      className="flex items-start gap-2 border-b border-amber/40 bg-amber-soft px-4 py-2 text-body text-ink-1"
    >
      <Glyph icon={Hourglass} className="mt-0.5 shrink-0 text-amber" />
      <span>
        <span className="font-medium">Waiting for approval.</span> {machineBlocked.waiting}. This page updates
        when that happens.
      </span>
    </p>
  )
}
