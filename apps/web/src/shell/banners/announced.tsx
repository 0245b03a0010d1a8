import type { Announcement } from '@flotilla/contract/site/announcement'
import { Suspense, lazy } from 'react'

const AnnouncementBanner = lazy(() => import('./announcement-banner'))

/** There is rarely an announcement, so the banner is loaded only when needed. */
export const Announced = ({ announcement }: { announcement: Announcement | null }) =>
  announcement && (
    <Suspense>
      <AnnouncementBanner key={announcement.at} announcement={announcement} />
    </Suspense>
  )
