import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import { messages } from '@flotilla/contract/messages'
import { providers } from '@flotilla/contract/clouds/providers'
import { useApiMutation, useApiQuery } from '../../../../api/query'
import { ConfirmDialog } from '../../../../ui/confirm-dialog'
import { paths } from '../../../../paths'
import { useIsAdmin } from '../../../../session/user'
import { KeyValue } from '../../../../ui/key-value'
import { TextLink } from '../../../../ui/link'
import { anHour, sourceText } from '../../../../ui/price-words'
import { useChanges } from '../use-changes'

type Prices = { fastRestore: number | null; source: string; date: string }
function PriceText({ prices }: { prices: Prices | undefined }) {
  const admin = useIsAdmin()
  if (!prices) return 'is looked up'
  const { fastRestore } = prices
  if (fastRestore !== null)
    return `${anHour(fastRestore)} for each snapshot in each zone (${sourceText(prices)})`
  return (
    <>
      no price: the price list here does not have it.{' '}
      {admin ? (
        <TextLink to={paths.settings('cloud')}>Sync it under Settings, Cloud</TextLink>
      ) : (
        'An admin can sync it'
      )}
    </>
  )
}

/** Fast snapshot restore of AWS. */
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
      title={`Fast snapshot restore of ${cluster.name}`}
      confirmLabel={on ? 'Turn it off' : 'Turn it on'}
      danger={false}
      // A refusal is told by the ERROR dialog; this one has then nothing more to ask.
      onConfirm={() =>
        change
          .mutateAsync({ body: { id: cluster.id, action: on ? 'disable' : 'enable' } })
          .then(onClose, onClose)
      }
    >
      <p>Disks of new nodes are at full speed at once, instead of while they are read for the first time.</p>
      {cluster.fastRestore.length > 0 && (
        <KeyValue items={cluster.fastRestore.map(({ zone, state }) => ({ label: zone, value: state }))} />
      )}
      <p>
        {on
          ? 'AWS charges for every hour that it is on. Turning it off ends that; so does destroying the cluster.'
          : 'AWS charges for every hour that it is on, for each snapshot in each zone, also while the cluster is stopped.'}
      </p>
      <KeyValue items={[{ label: 'Price', value: <PriceText prices={prices.data} /> }]} />
    </ConfirmDialog>
  )
}
