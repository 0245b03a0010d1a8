import { CODE_DIGITS, CODE_LIFE_MS } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { trainingLogin } from '@flotilla/contract/trainings/login'
import { toApiError, type ApiError } from '@flotilla/client/api-error'
import { useId, useState, type FormEvent } from 'react'
import { call } from '../../api/call'
import { codeText, emptyCode, isComplete, type Code } from '../../forms/code'
import { CodeInput } from '../../forms/code-input'
import { ResendCode } from '../../forms/resend'
import { randomId } from '../../random-id'
import { Button } from '../../ui/button/button'
import { Dialog } from '../../ui/overlay/dialog'
import { retryWhenRateLimited } from './retry-when-rate-limited'

interface Props {
  email: string
  sessionCode: string
  /** Completes the login on this browser. */
  onVerified: (device: string) => Promise<void>
  onClose: () => void
}

/** Verifies a participant's email address with the code that was sent to it. */
export function TwoStepDialog({ email, sessionCode, onVerified, onClose }: Props) {
  const formId = useId()
  // Others in the room may know the address and the session code, but not this secret.
  const [device] = useState(() => `${randomId()}${randomId()}`)
  const [code, setCode] = useState<Code>(emptyCode)
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const verify = async (event: FormEvent) => {
    event.preventDefault()
    if (!isComplete(code) || busy) return
    setBusy(true)
    setFailure(null)
    try {
      const body = { email, sessionCode, code: codeText(code), device }
      const { verified } = await retryWhenRateLimited(() => call(trainingLogin.verifyCode, { body }))
      if (verified) return await onVerified(device)
      setFailure(messages.verificationFailed)
    } catch (error) {
      setFailure(failureText(toApiError(error)))
    }
    setBusy(false)
  }

  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      dismissable={!busy}
      title="Verify your email"
      description={`Enter the ${CODE_DIGITS}-digit code we emailed to ${email}. It expires in ${CODE_LIFE_MS / 60_000} minutes.`}
      footer={
        <>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" form={formId} variant="primary" disabled={!isComplete(code)} busy={busy}>
            Verify
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={(event) => void verify(event)}>
        <CodeInput
          label="Verification code"
          code={code}
          error={failure}
          disabled={busy}
          autoFocus
          onChange={(next) => {
            setCode(next)
            setFailure(null)
          }}
        />
        <ResendCode onResend={() => call(trainingLogin.resendCode, { body: { email, sessionCode } })} />
      </form>
    </Dialog>
  )
}

function failureText({ code, fields, message }: ApiError): string {
  if (code === 'unknown') return messages.unexpectedError
  return fields['code'] ?? (message || messages.invalidCode)
}
