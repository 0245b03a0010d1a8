import { providers } from '@flotilla/contract/clouds/providers'
import { providerIds, providerNames, type ProviderId } from '@flotilla/contract/site/config'
import { settings, type SiteConfig } from '@flotilla/contract/site/settings'
import { useQueryClient } from '@tanstack/react-query'
import { useApiQuery } from '../../../api/query'
import { paths } from '../../../paths'
import { Async } from '../../../ui/feedback/async'
import { Callout } from '../../../ui/feedback/callout'
import { Card } from '../../../ui/layout/card'
import { TextLink } from '../../../ui/button/link'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { Switch } from '../../../ui/form/switch'
import { SetBy } from '../set-by'
import { useSaveConfig } from '../use-save-config'

/** Sets the providers that are available for clusters and stacks. Each choice is saved immediately. */
export function OfferedProviders() {
  const config = useApiQuery(settings.config, {})
  return (
    <Card
      title="Providers"
      description={
        <>
          Where people can create clusters and stacks. To give a user their own list, edit them under{' '}
          <TextLink to={paths.settings()}>Users</TextLink>. Existing clusters keep running.
        </>
      }
    >
      <Async data={config} skeleton={<SkeletonText lines={5} />}>
        {(current) => <Switches config={current} />}
      </Async>
    </Card>
  )
}

function Switches({ config: { values, setBy } }: { config: SiteConfig }) {
  const client = useQueryClient()
  const { save, pending, error } = useSaveConfig('Providers saved')
  const offered = pending?.providers ?? values.providers
  const toggle = (id: ProviderId, on: boolean) =>
    save({ providers: providerIds.filter((one) => (one === id ? on : offered.includes(one))) }).then(
      () => client.invalidateQueries({ queryKey: [providers.list.path] }),
      // The error is shown above the switches.
      () => undefined,
    )
  return (
    <div className="flex flex-col gap-3">
      {error && (
        <Callout tone="red" title={error.message} alert>
          Your choice was not saved. Try again.
        </Callout>
      )}
      {setBy.providers !== undefined && (
        <p className="text-label text-ink-3">
          <SetBy file={setBy.providers} />
        </p>
      )}
      <div className="flex flex-col gap-2.5">
        {providerIds.map((id) => (
          <Switch
            key={id}
            label={providerNames[id]}
            checked={offered.includes(id)}
            disabled={setBy.providers !== undefined}
            onChange={(on) => void toggle(id, on)}
          />
        ))}
      </div>
    </div>
  )
}
