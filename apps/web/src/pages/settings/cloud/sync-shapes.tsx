import { credentials } from '@flotilla/contract/clouds/credentials'
import { messages } from '@flotilla/contract/messages'
import { providers } from '@flotilla/contract/clouds/providers'
import * as z from 'zod/mini'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { Form, SubmitButton } from '../../../forms/form'
import { SelectField } from '../../../forms/fields'
import { useZodForm } from '../../../forms/use-zod-form'
import { paths } from '../../../paths'
import { Card } from '../../../ui/layout/card'
import { TextLink } from '../../../ui/button/link'

const Wanted = z.object({
  credentialId: z.string().check(z.minLength(1, messages.syncNeedsCredential)),
  region: z.string().check(z.minLength(1, messages.syncNeedsRegion)),
})

/** A region's current sizes and prices, from AWS. */
export function SyncShapes() {
  const form = useZodForm(Wanted, { defaults: { credentialId: '', region: '' } })
  const keys = useApiQuery(credentials.list, {})
  const offered = useApiQuery(providers.list, {})
  const region = form.watch('region')
  const sync = useApiMutation(providers.sync, {
    admin: true,
    success: messages.shapesSynced,
    invalidates: [providers.list, providers.prices, providers.sizesHash],
  })
  const ofAws = keys.data?.filter(({ provider }) => provider === 'aws')
  const regions = offered.data?.find(({ id }) => id === 'aws')?.regions ?? []
  return (
    <Card
      title="Cloud provider shapes"
      description="Loads a region’s current sizes and prices from AWS. Other clouds and regions keep the built-in list."
    >
      <Form form={form} onSubmit={(body) => sync.mutate({ body })}>
        <SelectField
          form={form}
          name="credentialId"
          label="AWS credential"
          placeholder="Choose a credential"
          options={(ofAws ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          hint={
            ofAws?.length === 0 && (
              <>
                None yet: <TextLink to={paths.credentials()}>add one</TextLink>.
              </>
            )
          }
        />
        <SelectField
          form={form}
          name="region"
          label="Region"
          placeholder="Choose a region"
          options={regions.map(({ region_id, name }) => ({
            value: region_id,
            label: `${name}, ${region_id}`,
          }))}
          hint={<Known region={region} />}
        />
        <SubmitButton form={form} busy={sync.isPending} className="self-start">
          Sync shapes
        </SubmitButton>
      </Form>
    </Card>
  )
}

/** What is known about a region, and since when. */
function Known({ region }: { region: string }) {
  const prices = useApiQuery(
    providers.prices,
    { provider: 'aws', query: { region } },
    { enabled: region !== '' },
  )
  if (region === '' || !prices.data) return null
  const count = Object.keys(prices.data.prices).length
  return count === 0
    ? 'No prices for this region yet.'
    : `${count} prices from ${prices.data.source.replace(/;.*$/, '')}, dated ${prices.data.date}.`
}
