import type { Credential, CredentialTest } from '@flotilla/contract/clouds/credentials'
import { RotateCw } from 'lucide-react'
import type { ApiError } from '@flotilla/client/api-error'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Dialog } from '../../../ui/overlay/dialog'
import { Spinner } from '../../../ui/feedback/spinner'
import { TestResult } from './test-result'

interface Props {
  credential: Credential
  cloud: string
  test: { data: CredentialTest | undefined; error: ApiError | null; isPending: boolean }
  onAgain: () => void
  onClose: () => void
}

/** Shows the last test of a stored credential and repeats it in the same region. */
export function TestDialog({ credential, cloud, test, onAgain, onClose }: Props) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Test ${credential.name}`}
      footer={
        <>
          <Button icon={RotateCw} busy={test.isPending} onClick={onAgain}>
            Test again
          </Button>
          <Button variant="primary" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      {test.isPending && (
        <p role="status" className="flex items-center gap-2 text-body text-ink-2">
          <Spinner /> Contacting {cloud}
        </p>
      )}
      {!test.isPending && test.error && <Callout tone="red" title={test.error.message} alert />}
      {!test.isPending && test.data && <TestResult result={test.data} />}
    </Dialog>
  )
}
