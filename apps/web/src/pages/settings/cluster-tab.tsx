import { settings, type ClusterSettings } from '@flotilla/contract/site/settings'
import { providers } from '@flotilla/contract/clouds/providers'
import { useQueryClient } from '@tanstack/react-query'
import { apiKey, useApiMutation, useApiQuery } from '../../api/query'
import { Async } from '../../ui/feedback/async'
import { Callout } from '../../ui/feedback/callout'
import { Card } from '../../ui/layout/card'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { Switch } from '../../ui/form/switch'

/** How people connect to remote desktops of new clusters. Each choice is saved immediately. */
export function ClusterTab() {
  const site = useApiQuery(settings.site, {})
  return (
    <Card
      title="Remote desktops"
      description="Defaults for new clusters. Each cluster can be set differently when it is created or edited; existing clusters are not changed."
      className="max-w-[760px]"
    >
      <Async data={site} skeleton={<SkeletonText lines={4} />}>
        {({ vncTokenAuthentication, vncRemoteClient }) => (
          <Choices current={{ vncTokenAuthentication, vncRemoteClient }} />
        )}
      </Async>
    </Card>
  )
}

function Choices({ current }: { current: ClusterSettings }) {
  const client = useQueryClient()
  const save = useApiMutation(settings.setCluster, {
    success: 'Cluster settings saved',
    invalidates: [providers.list],
    // Immediately, so that nothing flips back until the refetch completes.
    onSuccess: (reply) => client.setQueryData(apiKey(settings.site, {}), reply),
  })
  const shown = { ...current, ...(save.isPending && save.variables.body) }
  const choose = (change: Partial<ClusterSettings>) => save.mutate({ body: { ...current, ...change } })
  return (
    <div className="flex flex-col gap-4">
      {save.error && (
        <Callout tone="red" title={save.error.message} alert>
          Your choice was not saved. Try again.
        </Callout>
      )}
      <Switch
        label="One-time tokens for desktops"
        hint="When on, a desktop opens only from the console, with a token that works once and for thirty seconds. When off, the viewer also asks for a password, which is shown on the cluster’s page."
        checked={shown.vncTokenAuthentication}
        onChange={(vncTokenAuthentication) => choose({ vncTokenAuthentication })}
      />
      <Switch
        label="Other VNC clients"
        hint="When on, the cluster’s page also shows how to connect a VNC viewer on one’s own computer, through an SSH tunnel. When off, desktops open in the browser only."
        checked={shown.vncRemoteClient}
        onChange={(vncRemoteClient) => choose({ vncRemoteClient })}
      />
    </div>
  )
}
