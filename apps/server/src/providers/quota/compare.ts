import { countText } from '@flotilla/contract/count-text'
import type { QuotaRow } from '@flotilla/contract/clusters/quota'
import type { Quota, Takes } from './quota'

/** A head node, a group or the networks of a cluster. */
export interface Need {
  what: string
  size: string
  /** The unit: node, network. */
  unit: string
  /** What a single unit uses of the quotas. */
  takes: Takes
  /** How many are created at once, and the maximum number. */
  atOnce: number
  atMost: number
}

/**
 * Assigns the remaining quota to machines in the order of the needs, as many of each as fit, starting with those that
 * are created at once.
 */
export function compareQuotas(quotas: Record<string, Quota>, needs: Need[]): QuotaRow[] {
  const left = Object.fromEntries(Object.entries(quotas).map(([id, quota]) => [id, quota.limit - quota.used]))
  const missing = (takes: Record<string, number>, count: number): [number, string | undefined] => {
    const [tightest, fit] = Object.entries(takes)
      .filter(([, each]) => each > 0)
      .map(([id, each]): [string, number] => [id, Math.max(0, Math.floor((left[id] ?? 0) / each))])
      .reduce<[string | undefined, number]>(
        (best, one) => (one[1] < best[1] ? one : best),
        [undefined, count],
      )
    for (const [id, each] of Object.entries(takes)) left[id] = (left[id] ?? 0) - each * fit
    return [count - fit, tightest]
  }
  const counted = needs.map((need) => ({ need, takes: knownTakes(need.takes, quotas) }))
  const now = counted.map(({ need, takes }) => (takes ? missing(takes, need.atOnce) : null))
  return counted.map(({ need, takes }, index) => {
    const { what, size, unit, atOnce, atMost } = need
    const first = now[index]
    if (!takes || !first)
      return {
        what,
        size,
        state: 'unknown',
        text: typeof need.takes === 'string' ? need.takes : 'The cloud does not report this quota.',
        link: null,
      }
    const [short, tightest] = first
    const state = short > 0 ? 'short' : 'later'
    const [more, next] = short > 0 ? [0, undefined] : missing(takes, atMost - atOnce)
    const id = tightest ?? next
    if (id === undefined || short + more === 0)
      return { what, size, state: 'enough', ...enoughText(need, takes, quotas) }
    const quota = quotas[id]
    const wanted = total(counted, id, state === 'short' ? 'atOnce' : 'atMost')
    const which =
      state === 'short' ? `${short} of ${units(atOnce, unit)}` : `${more} of ${units(atMost, unit)}`
    return {
      what,
      size,
      state,
      text: `${which} would not fit. ${shortText(quota, wanted)}`,
      link: quota?.link ?? null,
    }
  })
}

const knownTakes = (takes: Takes, quotas: Record<string, Quota>): Record<string, number> | null =>
  typeof takes !== 'string' && Object.keys(takes).every((id) => id in quotas) ? takes : null

type Counted = { need: Need; takes: Record<string, number> | null }
/** What all needs together use of a quota. */
const total = (counted: Counted[], id: string, which: 'atOnce' | 'atMost'): number =>
  counted.reduce((sum, { need, takes }) => sum + (takes?.[id] ?? 0) * need[which], 0)

const units = (count: number, unit: string) =>
  countText(
    count,
    unit,
    unit.replace(/s?$/, (end) => `${end}${end && 'e'}s`),
  )
const amount = (count: number, unit: string) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? unit.replace(/(?<=ss)es$|s$/, '') : unit}`
const freeOf = ({ limit, used, unit }: Quota) =>
  `${Math.max(0, limit - used).toLocaleString('en-US')} of ${amount(limit, unit)} free`

function shortText(quota: Quota | undefined, wanted: number): string {
  if (!quota) return ''
  const { name, used, unit, link } = quota
  const advice = link === null ? '' : ` Request at least ${amount(used + wanted, unit)}.`
  return `${name}: ${amount(wanted, unit)} needed, ${freeOf(quota)}.${advice}`
}

/** Reports the quota with the least left afterward. */
function enoughText({ atMost }: Need, takes: Record<string, number>, quotas: Record<string, Quota>) {
  const [tightest] = Object.entries(takes)
    .flatMap(([id, each]) => {
      const quota = quotas[id]
      return quota ? [{ quota, needed: each * atMost, free: quota.limit - quota.used }] : []
    })
    .toSorted((a, b) => a.free - a.needed - (b.free - b.needed))
  if (!tightest) return { text: 'No quota applies.', link: null }
  const { quota, needed } = tightest
  return { text: `${quota.name}: ${amount(needed, quota.unit)} needed, ${freeOf(quota)}.`, link: quota.link }
}
