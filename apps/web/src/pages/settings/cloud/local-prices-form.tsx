import { clusters } from '@flotilla/contract/clusters/clusters'
import { LocalPrices, settings, type SiteSettings } from '@flotilla/contract/site/settings'
import { sendForm } from '../../../account/send-form'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { Form, SubmitButton } from '../../../forms/form'
import { NumberField } from '../../../forms/fields/fields'
import { useZodForm } from '../../../forms/use-zod-form'
import { Async } from '../../../ui/feedback/async'
import { Card } from '../../../ui/layout/card'
import { RelativeTime } from '../../../ui/text/relative-time'
import { SkeletonText } from '../../../ui/feedback/skeleton'

/** Sets the prices of local machines, which have no price list. */
export function LocalPricesForm() {
  const site = useApiQuery(settings.site, {})
  return (
    <Card
      title="Local cluster prices"
      description="What your own machines cost. Shown on local clusters for information; no one is billed."
    >
      <Async data={site} skeleton={<SkeletonText lines={4} />}>
        {({ localPrices }) => <Prices current={localPrices} />}
      </Async>
    </Card>
  )
}

function Prices({ current }: { current: SiteSettings['localPrices'] }) {
  const { setAt, ...values } = current
  const form = useZodForm(LocalPrices, { defaults: values, values })
  const save = useApiMutation(settings.setLocalPrices, {
    success: 'Prices saved',
    invalidates: [settings.site, clusters.list, clusters.view],
  })
  return (
    <Form form={form} onSubmit={(body) => sendForm(form, save.mutateAsync({ body }))}>
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          form={form}
          name="perCoreHour"
          label="Price per core-hour (USD)"
          optional
          min={0}
          step="any"
        />
        <NumberField
          form={form}
          name="perGpuHour"
          label="Price per GPU-hour (USD)"
          optional
          min={0}
          step="any"
        />
      </div>
      <p className="text-label text-ink-3">
        Leave empty for no price. Enter 0 for free.{' '}
        {setAt !== null && (
          <>
            Set <RelativeTime at={setAt} />.
          </>
        )}
      </p>
      <SubmitButton form={form} className="self-start">
        Save prices
      </SubmitButton>
    </Form>
  )
}
