import { settings, type ClusterSettings } from '@flotilla/contract/site/settings'
import { providers } from '@flotilla/contract/clouds/providers'
import { useQueryClient } from '@tanstack/react-query'
import { apiKey, useApiMutation, useApiQuery } from '../../api/query'
import { Async } from '../../ui/feedback/async'
import { Callout } from '../../ui/feedback/callout'
import { Card } from '../../ui/layout/card'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Switch } from '../../ui/form/switch'

/** Settings for new and running clusters. Each choice is saved immediately. */
export function ClusterTab() {
  const site = useApiQuery(settings.site, {})
  return (
    <Async data={site} skeleton={<SkeletonText lines={6} />}>
      {({ vncTokenAuthentication, vncRemoteClient, driftCheck }) => (
        <Choices current={{ vncTokenAuthentication, vncRemoteClient, driftCheck }} />
      )}
    </Async>
  )
}

function Choices({ current }: { current: ClusterSettings }) {
  const client = useQueryClient()
  const save = useApiMutation(settings.setCluster, {
    success: 'Cluster settings saved',
    invalidates: [providers.list],
    // The cache is updated immediately, so that nothing flips back until the refetch completes.
    onSuccess: (reply) => client.setQueryData(apiKey(settings.site, {}), reply),
  })
  const shown = { ...current, ...(save.isPending && save.variables.body) }
  // Includes a choice that is still being saved.
  const choose = (change: Partial<ClusterSettings>) => save.mutate({ body: { ...shown, ...change } })
  return (
    <div className="flex max-w-[760px] flex-col gap-4">
      {save.error && (
        <Callout tone="red" title={save.error.message} alert>
          Your choice was not saved. Try again.
        </Callout>
      )}
      <Card
        title="Remote desktops"
        description="Defaults for new clusters. Each cluster can be set differently when it is created or edited; existing clusters are not changed."
      >
        <div className="flex flex-col gap-4">
          <Switch
            label="One-time tokens for desktops"
            hint="When on, a desktop opens only from the console, with a one-time token that is valid for 30 seconds. When off, the viewer also asks for a password, which is shown on the cluster’s page."
            checked={shown.vncTokenAuthentication}
            onChange={(vncTokenAuthentication) => choose({ vncTokenAuthentication })}
          />
          <Switch
            label="Other VNC clients"
            hint="When on, the cluster’s page also shows how to connect a VNC viewer on the user’s own computer through an SSH tunnel. When off, desktops open in the browser only."
            checked={shown.vncRemoteClient}
            onChange={(vncRemoteClient) => choose({ vncRemoteClient })}
          />
        </div>
      </Card>
      <Card title="Cloud clusters">
        <Switch
          label="Daily drift check"
          hint="When on, running cloud clusters are planned once a day, and changes made by hand in the cloud appear under Needs attention. The check itself changes nothing."
          checked={shown.driftCheck ?? false}
          onChange={(driftCheck) => choose({ driftCheck })}
        />
      </Card>
    </div>
  )
}
