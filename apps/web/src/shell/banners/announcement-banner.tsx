import type { Announcement } from '@flotilla/contract/site/announcement'
import { Megaphone } from 'lucide-react'
import { Glyph } from '../../ui/status/icon'
import { useTicking } from '../../ui/text/use-now'

/** An admin's announcement to everyone, shown until its end time. */
export default function AnnouncementBanner({
  announcement: { text, endsAt },
}: {
  announcement: Announcement
}) {
  if (useTicking((now) => now >= endsAt)) return null
  return (
    <p
      role="status"
      className="flex items-start gap-2 border-b border-blue/40 bg-blue-soft px-4 py-2 text-body text-ink-1"
    >
      <Glyph icon={Megaphone} className="mt-0.5 shrink-0 text-blue" />
      <span className="min-w-0 whitespace-pre-line wrap-anywhere">{text}</span>
    </p>
  )
}
