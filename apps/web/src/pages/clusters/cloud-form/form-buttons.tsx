import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import type { ReactNode } from 'react'
import { paths, useGo } from '../../../paths'
import { Button } from '../../../ui/button/button'
import type { Step } from './values/field-rules'
import type { Intent } from './use-save'

interface Props {
  cluster: CloudCluster | null
  busy: boolean
  /** The step of a new cluster; null if all steps are on one page. */
  place: Step | 'summary' | null
  onBack: () => void
  /** Called before the form is submitted. */
  onIntent: (intent: Intent) => void
  /** Opens the first error; undefined if there is none. */
  onErrors: (() => void) | undefined
  /** Why the cluster can be saved but not planned or deployed, or null. */
  deployBlockedReason: string | null
  children: ReactNode
}

/** The bar below the form, which is always visible: Back and Next, and on the last step the actions. */
export function FormButtons(props: Props) {
  const { cluster, busy, place, onBack, onIntent, onErrors, deployBlockedReason, children } = props
  const go = useGo()
  const atEnd = place === null || place === 'summary'
  const state = cluster?.info.state ?? 'saved'
  const runs = state === 'available'
  const may = (action: 'edit' | 'plan' | 'deploy' | 'applyChanges') =>
    isClusterActionAllowed(action, state) ? null : clusterBlockedReason(action, state)
  const send = (intent: Intent) => ({ type: 'submit' as const, busy, onClick: () => onIntent(intent) })
  return (
    <div className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center gap-2 border-t border-line-1 bg-surface-1 px-4 py-3 max-sm:justify-end sm:-mx-6 sm:px-6">
      {/* On a phone, this has its own line, so that the buttons stay together. */}
      <span className="mr-auto flex min-w-0 flex-wrap items-center gap-x-4 max-sm:w-full">
        {children}
        <span role="status">
          {onErrors && (
            <button
              type="button"
              onClick={onErrors}
              className="rounded-mark text-left text-body text-red underline decoration-red/40 underline-offset-2 hover:decoration-red"
            >
              Some steps have errors
            </button>
          )}
        </span>
      </span>
      <Button onClick={() => go(cluster ? paths.cluster(cluster.id) : paths.clusters())}>Cancel</Button>
      {place !== null && place !== 'basics' && <Button onClick={onBack}>Back</Button>}
      {atEnd ? (
        <>
          <Button {...send('save')} disabledReason={may('edit')}>
            Save
          </Button>
          <Button {...send('plan')} disabledReason={may('edit') ?? may('plan') ?? deployBlockedReason}>
            Save and plan
          </Button>
          <Button
            {...send('deploy')}
            variant="primary"
            disabledReason={
              may('edit') ?? (runs ? may('applyChanges') : may('deploy')) ?? deployBlockedReason
            }
          >
            {runs ? 'Save and apply' : 'Save and deploy'}
          </Button>
        </>
      ) : (
        <Button type="submit" variant="primary">
          Next
        </Button>
      )}
    </div>
  )
}
