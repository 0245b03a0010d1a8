import { dashboard, type Dashboard } from '@flotilla/contract/clusters/dashboard'
import { Megaphone } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../api/query'
import { useIsAdmin } from '../../session/user'
import { Async } from '../../ui/feedback/async'
import { Button } from '../../ui/button/button'
import { PageHeader } from '../../ui/layout/page-header'
import { cx } from '../../ui/text/cx'
import { Skeleton } from '../../ui/feedback/skeleton'
import { AnnouncementDialog } from './announcement-dialog'
import { AttentionCard } from './attention-card'
import { FirstSteps } from './first-steps'
import { LoadCharts } from './load-charts'
import { ServicesCard } from './services-card'
import { Totals } from './totals'

/** The polling interval. The machine's metrics change without events; everything else is announced by events. */
const EVERY_MS = 15_000

export default function DashboardPage() {
  const view = useApiQuery(dashboard.view, {}, { everyMs: EVERY_MS })
  const isAdmin = useIsAdmin()
  const [announcing, setAnnouncing] = useState(false)
  return (
    <>
      <PageHeader
        title="Dashboard"
        actions={
          isAdmin && (
            <Button icon={Megaphone} onClick={() => setAnnouncing(true)}>
              Announcement
            </Button>
          )
        }
      />
      <Async data={view} skeleton={<Loading />}>
        {(data) => <Content data={data} isAdmin={isAdmin} />}
      </Async>
      {announcing && view.data && (
        <AnnouncementDialog current={view.data.announcement} onClose={() => setAnnouncing(false)} />
      )}
    </>
  )
}

function Content({ data, isAdmin }: { data: Dashboard; isAdmin: boolean }) {
  // Before the first job, totals and charts would be empty.
  const isFresh = data.firstSteps.some(({ step, done }) => step === 'job' && !done)
  return (
    <div className="flex flex-col gap-5">
      {data.firstSteps.length > 0 && <FirstSteps steps={data.firstSteps} />}
      {!isFresh && <Totals data={data} />}
      <div className={cx('grid items-start gap-5', isAdmin && 'xl:grid-cols-2')}>
        <AttentionCard entries={data.attention} />
        {isAdmin && <ServicesCard services={data.services} />}
      </div>
      {!isFresh && <LoadCharts />}
    </div>
  )
}

const Loading = () => (
  <div className="flex flex-col gap-5">
    <Skeleton className="h-20 w-full" />
    <div className="grid gap-5 xl:grid-cols-2">
      <Skeleton className="h-64 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  </div>
)
