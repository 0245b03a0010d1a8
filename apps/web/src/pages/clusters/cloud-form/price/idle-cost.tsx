import type { Price } from '@flotilla/contract/clouds/providers'
import { useWatch } from 'react-hook-form'
import { Callout } from '../../../../ui/feedback/callout'
import { money } from '../../../../ui/text/price-text'
import type { CloudForm } from '../values/cloud-values'

/** What all nodes cost a day, where they run whether there is work or not; null if they do not, or nothing has a price. */
export function idleCost(
  { mode, idleS }: { mode: string; idleS: number | null },
  price: Pick<Price, 'parts'> | undefined,
): number | null {
  if (mode !== 'always' && mode !== 'off' && idleS !== 0) return null
  const parts = (price?.parts ?? []).filter(({ what }) => /^(spot )?nodes?\b(?! disk)/.test(what))
  const known = parts.flatMap(({ perHour }) => perHour ?? [])
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) * 24
}

export function IdleCost({ form, price }: { form: CloudForm; price: Price | undefined }) {
  const [mode, idleS] = useWatch({
    control: form.control,
    name: ['info.bursting.mode', 'data.node.idle_purge_s'],
  })
  const perDay = idleCost({ mode, idleS }, price)
  if (perDay === null) return null
  return (
    <Callout tone="amber" title={`All nodes cost ${money(perDay)} a day, even when idle`}>
      With burst mode Min or Max and an idle time, you pay only for nodes that work.
    </Callout>
  )
}
