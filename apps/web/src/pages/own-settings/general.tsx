import { settings } from '@flotilla/contract/site/settings'
import { useApiQuery } from '../../api/query'
import { Async } from '../../ui/feedback/async'
import { Card } from '../../ui/layout/card'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Appearance } from './appearance'
import { OwnSettingsPage } from './own-settings-page'

export default function GeneralSettingsPage() {
  const ui = useApiQuery(settings.ui, {})
  return (
    <OwnSettingsPage>
      <Card title="Appearance" description="Saved with your account and used in every browser.">
        <Async data={ui} skeleton={<SkeletonText lines={6} />}>
          {({ preferences }) => <Appearance saved={preferences} />}
        </Async>
      </Card>
    </OwnSettingsPage>
  )
}
