import { credentials } from '@flotilla/contract/clouds/credentials'
import { messages } from '@flotilla/contract/messages'
import { isSynced, providers } from '@flotilla/contract/clouds/providers'
import * as z from 'zod/mini'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { Form, SubmitButton } from '../../../forms/form'
import { SelectField } from '../../../forms/fields/fields'
import { useZodForm } from '../../../forms/use-zod-form'
import { paths } from '../../../paths'
import { Card } from '../../../ui/layout/card'
import { TextLink } from '../../../ui/button/link'

const Wanted = z.object({
  credentialId: z.string().check(z.minLength(1, messages.syncNeedsCredential)),
  region: z.string().check(z.minLength(1, messages.syncNeedsRegion)),
})

/** Fetches a region's current sizes, and for AWS their prices. */
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
  const usable = keys.data?.filter(({ provider }) => isSynced(provider))
  const chosen = usable?.find(({ id }) => id === form.watch('credentialId'))
  const nameOf = (provider: string) => offered.data?.find(({ id }) => id === provider)?.name ?? provider
  const regions = offered.data?.find(({ id }) => id === (chosen?.provider ?? 'aws'))?.regions ?? []
  return (
    <Card
      title="Cloud provider shapes"
      description="Loads a region’s current sizes from AWS, Azure or Oracle Cloud, and prices from AWS. Other clouds and regions keep the built-in list."
    >
      <Form form={form} onSubmit={(body) => sync.mutate({ body })}>
        <SelectField
          form={form}
          name="credentialId"
          label="Credential"
          placeholder="Choose a credential"
          options={(usable ?? []).map(({ id, name, provider }) => ({
            value: id,
            label: `${name}, ${nameOf(provider)}`,
          }))}
          hint={
            usable?.length === 0 && (
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
          hint={<Known provider={chosen?.provider ?? 'aws'} region={region} />}
        />
        <SubmitButton form={form} busy={sync.isPending} className="self-start">
          Sync shapes
        </SubmitButton>
      </Form>
    </Card>
  )
}

/** The number of known prices in a region, and their age. */
function Known({ provider, region }: { provider: string; region: string }) {
  const prices = useApiQuery(providers.prices, { provider, query: { region } }, { enabled: region !== '' })
  if (region === '' || !prices.data) return null
  const count = Object.keys(prices.data.prices).length
  return count === 0
    ? 'No prices for this region yet.'
    : `${count} prices from ${prices.data.source.replace(/;.*$/, '')}, dated ${prices.data.date}.`
}
