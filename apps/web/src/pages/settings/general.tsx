import { settings } from '@flotilla/contract/site/settings'
import { OwnSettingsTabs } from '../../account/own-settings-tabs'
import { useApiQuery } from '../../api/query'
import { Async } from '../../ui/feedback/async'
import { Card } from '../../ui/layout/card'
import { PageHeader } from '../../ui/layout/page-header'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Appearance } from './appearance'

export default function GeneralSettingsPage() {
  const ui = useApiQuery(settings.ui, {})
  return (
    <>
      <PageHeader title="Settings" />
      <OwnSettingsTabs />
      <div className="mt-5 max-w-[880px]">
        <Card title="Appearance" description="Saved with your account and used in every browser.">
          <Async data={ui} skeleton={<SkeletonText lines={6} />}>
            {({ preferences }) => <Appearance saved={preferences} />}
          </Async>
        </Card>
      </div>
    </>
  )
}
