import type { Tone } from '../ui/status/tone'
import { AT_LEAST, sumText } from '../ui/text/price-text'

/** Every row of a column has the same number of digits. */
const hours = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const manyHours = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const MANY = 1000
/** Shows a few seconds as more than zero, and rounds 1,000 hours and more to whole hours. */
export function hoursText(value: number): string {
  if (value === 0) return '0 h'
  if (value < 0.005) return `< ${hours.format(0.01)} h`
  return `${(value < MANY ? hours : manyHours).format(value)} h`
}

/** An unknown price is not shown as zero. */
export const priceText = (price: number | null, unpricedHours = 0): string =>
  price !== null && unpricedHours > 0 ? `${AT_LEAST} ${sumText(price)}` : sumText(price)

const states: Record<string, { label: string; tone: Tone }> = {
  running: { label: 'Running', tone: 'blue' },
  succeeded: { label: 'Completed', tone: 'green' },
  failed: { label: 'Failed', tone: 'red' },
  canceled: { label: 'Canceled', tone: 'gray' },
  timed_out: { label: 'Timed out', tone: 'amber' },
  node_failed: { label: 'Node failed', tone: 'red' },
  requeued: { label: 'Requeued', tone: 'gray' },
  unknown: { label: 'Unknown', tone: 'gray' },
}
export const stateOf = (state: string) => states[state] ?? { label: state, tone: 'gray' as const }
