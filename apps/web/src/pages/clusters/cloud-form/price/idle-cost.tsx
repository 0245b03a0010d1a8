import type { Price } from '@flotilla/contract/clouds/providers'
import { useWatch } from 'react-hook-form'
import { Callout } from '../../../../ui/feedback/callout'
import { money } from '../../../../ui/text/price-text'
import type { CloudForm } from '../values/cloud-values'

/**
 * The cost of all nodes per day if they also run when idle. Null if idle nodes are removed, or if no size was chosen
 * yet. `perDay` excludes parts without a price, and is null if no part has a price.
 */
export function idleCost(
  { mode, idleS }: { mode: string; idleS: number | null },
  price: Pick<Price, 'parts'> | undefined,
): { perDay: number | null; isComplete: boolean } | null {
  if (mode !== 'always' && mode !== 'off' && idleS !== 0) return null
  const parts = (price?.parts ?? []).filter(({ what }) => /^(spot )?nodes?\b(?! disk)/.test(what))
  const known = parts.flatMap(({ perHour }) => perHour ?? [])
  if (parts.every(({ what }) => what.endsWith('no size chosen'))) return null
  return {
    perDay: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) * 24,
    isComplete: known.length === parts.length,
  }
}

export function IdleCost({ form, price }: { form: CloudForm; price: Price | undefined }) {
  const [mode, idleS] = useWatch({
    control: form.control,
    name: ['info.bursting.mode', 'data.node.idle_purge_s'],
  })
  const cost = idleCost({ mode, idleS }, price)
  if (cost === null) return null
  const title =
    cost.perDay === null
      ? 'Nodes stay up and cost money even when idle; their price is unknown'
      : `All nodes cost ${cost.isComplete ? '' : 'at least '}${money(cost.perDay)} a day, even when idle`
  return (
    <Callout tone="amber" title={title}>
      With burst mode Min or Max and an idle time, you pay only for nodes that run jobs.
    </Callout>
  )
}
