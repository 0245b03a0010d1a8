import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import { providers } from '@flotilla/contract/clouds/providers'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { paths } from '../../../paths'
import { useIsAdmin } from '../../../session/user'
import { KeyValue } from '../../../ui/text/key-value'
import { TextLink } from '../../../ui/button/link'
import { perHourText, sourceText } from '../../../ui/text/price-text'
import { useChanges } from './use-changes'

type Prices = { fastRestore: number | null; source: string; date: string }
function PriceText({ prices }: { prices: Prices | undefined }) {
  const admin = useIsAdmin()
  if (!prices) return 'Loading'
  const { fastRestore } = prices
  if (fastRestore !== null) return `${perHourText(fastRestore)} per snapshot and zone (${sourceText(prices)})`
  return (
    <>
      Not in this site’s price list.{' '}
      {admin ? (
        <TextLink to={paths.settings('cloud')}>Sync prices under Settings &gt; Cloud</TextLink>
      ) : (
        'An admin can sync prices.'
      )}
    </>
  )
}

/** Turns AWS fast snapshot restore on or off. */
export function FastRestoreDialog({ cluster, onClose }: { cluster: CloudCluster; onClose: () => void }) {
  const on = cluster.fastRestore.some(({ state }) => state !== 'disabling' && state !== 'disabled')
  const change = useApiMutation(lifecycle.manageFsr, {
    ...useChanges(cluster),
    success: messages.fastRestoreInitiated,
  })
  const region = cluster.data.network.region_id
  const prices = useApiQuery(providers.prices, { provider: cluster.provider, query: { region } })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Fast snapshot restore for ${cluster.name}`}
      confirmLabel={on ? 'Turn off' : 'Turn on'}
      danger={false}
      // A failure opens the ERROR dialog; this one then closes.
      onConfirm={() =>
        change
          .mutateAsync({ body: { id: cluster.id, action: on ? 'disable' : 'enable' } })
          .then(onClose, onClose)
      }
    >
      <p>Disks of new nodes reach full speed immediately, instead of after the first read.</p>
      {cluster.fastRestore.length > 0 && (
        <KeyValue items={cluster.fastRestore.map(({ zone, state }) => ({ label: zone, value: state }))} />
      )}
      <p>
        {on
          ? 'AWS charges for every hour it is on. To stop the charges, turn it off or destroy the cluster.'
          : 'AWS charges for every hour it is on, per snapshot and zone, even while the cluster is stopped.'}
      </p>
      <KeyValue items={[{ label: 'Price', value: <PriceText prices={prices.data} /> }]} />
    </ConfirmDialog>
  )
}
