import { clusters } from '@flotilla/contract/clusters/clusters'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { useState } from 'react'
import { useApiQuery } from '../../api/query'
import { paths } from '../../paths'
import { ClusterChoices } from '../../submit/cluster-choices'
import { offers } from '../../submit/offer'
import { Button } from '../../ui/button/button'
import { ButtonLink } from '../../ui/button/link'
import { Async } from '../../ui/feedback/async'
import { Dialog } from '../../ui/overlay/dialog'

/** Lets the user choose the cluster on which to open a desktop. */
export function DesktopDialog({ onClose }: { onClose: () => void }) {
  const list = useApiQuery(clusters.list, { query: { limit: PAGE_SIZE_MAX } })
  const [chosen, setChosen] = useState<string | null>(null)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Open a desktop"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {chosen === null ? (
            <Button variant="primary" disabledReason="Choose a cluster first">
              Open desktop
            </Button>
          ) : (
            <ButtonLink to={paths.desktop(chosen)} variant="primary">
              Open desktop
            </ButtonLink>
          )}
        </>
      }
    >
      <Async data={list}>
        {(all) => <ClusterChoices offers={offers(null, all)} value={chosen} onChange={setChosen} />}
      </Async>
    </Dialog>
  )
}
