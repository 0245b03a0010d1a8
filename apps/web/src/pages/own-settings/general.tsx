import { ui } from '@flotilla/contract/site/ui'
import { useApiQuery } from '../../api/query'
import { Async } from '../../ui/feedback/async'
import { Card } from '../../ui/layout/card'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Appearance } from './appearance'
import { OwnSettingsPage } from './own-settings-page'

export default function GeneralSettingsPage() {
  const shown = useApiQuery(ui.settings, {})
  return (
    <OwnSettingsPage>
      <Card title="Appearance" description="Saved with your account and used in every browser.">
        <Async data={shown} skeleton={<SkeletonText lines={6} />}>
          {({ preferences }) => <Appearance saved={preferences} />}
        </Async>
      </Card>
    </OwnSettingsPage>
  )
}
