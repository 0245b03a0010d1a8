import { X } from 'lucide-react'
import { usePathParam, useSearchParam, useSetSearch } from '../../paths'
import { Button } from '../../ui/button/button'
import { PageHeader } from '../../ui/layout/page-header'
import { useAccountTitle } from '../../usage/account-title'
import { JobTable } from '../../usage/job-table'
import { RangePicker } from '../../usage/range-picker'
import { useRange } from '../../usage/range'

/** All jobs of an account in a time range. */
export default function AccountJobsPage() {
  const userAccount = usePathParam('useracount') ?? ''
  const cluster = useSearchParam('cluster')
  const setSearch = useSetSearch()
  const { range } = useRange()
  return (
    <>
      <PageHeader
        title={`Jobs for ${useAccountTitle(userAccount, range)}`}
        description="Hours and prices cover only the selected period."
        actions={
          <>
            <RangePicker />
            {cluster !== undefined && (
              <Button icon={X} onClick={() => setSearch({ cluster: undefined })}>
                Show all clusters
              </Button>
            )}
          </>
        }
      />
      <JobTable userAccount={userAccount} range={range} cluster={cluster} />
    </>
  )
}
