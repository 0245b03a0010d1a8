import type { CredentialTest } from '@flotilla/contract/clouds/credentials'
import { Check, X } from 'lucide-react'
import { Badge } from '../../../ui/status/badge'
import { Callout } from '../../../ui/feedback/callout'
import { cx } from '../../../ui/text/cx'
import { Glyph } from '../../../ui/status/icon'
import { testLabel } from './test-label'

const tones = { green: 'green', amber: 'amber', red: 'red', blue: 'gray', gray: 'gray' } as const

/** The result of a test: the account that the cloud reports, and each permission that was checked. */
export function TestResult({ result }: { result: CredentialTest }) {
  const { label, tone } = testLabel(result)
  return (
    <div role="status">
      <Callout
        tone={tones[tone]}
        title={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {label}
            {result.simulated && <Badge>Simulated cloud</Badge>}
          </span>
        }
      >
        <div className="flex flex-col gap-2">
          <p>{result.message}</p>
          {result.account !== null && (
            <p>
              <span className="text-ink-2">Logged in as </span>
              <span className="font-mono text-label">{result.account}</span>
              {result.region && (
                <>
                  <span className="text-ink-2"> in </span>
                  <span className="font-mono text-label">{result.region}</span>
                </>
              )}
            </p>
          )}
          <Rights result={result} />
        </div>
      </Callout>
    </div>
  )
}

function Rights({ result: { checked, missing } }: { result: CredentialTest }) {
  const granted = checked.filter((right) => !missing.includes(right))
  if (missing.length + granted.length === 0) return null
  return (
    <ul aria-label="Permissions" className="flex flex-col gap-1">
      {missing.map((right) => (
        <Right key={right} right={right} held={false} />
      ))}
      {granted.map((right) => (
        <Right key={right} right={right} held />
      ))}
    </ul>
  )
}

function Right({ right, held }: { right: string; held: boolean }) {
  return (
    <li className="flex items-start gap-2">
      <Glyph
        icon={held ? Check : X}
        className={cx('mt-px size-4 shrink-0', held ? 'text-green' : 'text-red')}
      />
      <span>
        <span className="sr-only">{held ? 'Granted: ' : 'Missing: '}</span>
        {right}
      </span>
    </li>
  )
}
