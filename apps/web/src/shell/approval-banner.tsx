import { machineBlocked } from '@flotilla/contract/settings'
import { Hourglass } from 'lucide-react'
import { useUiSettings } from '../api/ui-settings'
import { Glyph } from '../ui/icon'

/** Tells self-registered people that they are waiting; it disappears when an admin approves them. */
export function ApprovalBanner() {
  if (useUiSettings()?.machineAccess !== 'waiting') return null
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
