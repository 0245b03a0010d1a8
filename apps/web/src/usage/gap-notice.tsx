import { countText } from '@flotilla/contract/count-text'
import type { UsageSummary } from '@flotilla/contract/site/usage'
import { Callout } from '../ui/feedback/callout'
import { absoluteTime } from '../ui/text/time-text'

/** More would push the figures off the page. */
const SHOWN = 5

/** Says when the figures may be too low. */
export function GapNotice({ gaps }: { gaps: UsageSummary['gaps'] }) {
  if (gaps.length === 0) return null
  return (
    <Callout tone="amber" title={`Records are incomplete for ${countText(gaps.length, 'period')}`}>
      <p>Jobs that ran then may be missing, so the figures may be too low.</p>
      <ul className="mt-1 list-disc pl-4">
        {gaps.slice(0, SHOWN).map((gap) => (
          <li key={`${gap.clusterId} ${gap.from}`}>
            {gap.cluster}: {absoluteTime(gap.from)} to {absoluteTime(gap.to)}. {gap.reason}
          </li>
        ))}
        {gaps.length > SHOWN && <li>and {gaps.length - SHOWN} more</li>}
      </ul>
    </Callout>
  )
}
