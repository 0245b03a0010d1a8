import { domainNotAllowedText } from '@flotilla/contract/email'
import { firstMessages } from '@flotilla/contract/first-messages'
import { messages } from '@flotilla/contract/messages'
import { trainingLogin, TrainingLogin } from '@flotilla/contract/trainings/login'
import { toApiError, type ApiError } from '@flotilla/client/api-error'
import { useState, type FormEvent } from 'react'
import { call } from '../../api/call'
import { bySchema } from '../../guest/by-schema'
import { GuestField } from '../../guest/guest-field'
import { useFields } from '../../guest/use-fields'
import { useSearchParam } from '../../paths'
import { startSession } from '../../login/session'
import { LoadingScreen } from '../../shell/gates/loading-screen'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { absoluteTime } from '../../ui/text/time-text'
import { retryWhenRateLimited } from './retry-when-rate-limited'
import { TwoStepDialog } from './two-step-dialog'

/** A message of the form. With `onField`, it is already shown on its field, so it is only announced. */
type Notice = { tone: 'red' | 'green'; text: string; onField?: boolean }

/** Registers a participant, emails a code if required, and logs in. */
export default function TrainingForm({ intro }: { intro?: string }) {
  const form = useFields(bySchema(TrainingLogin), {
    fullName: '',
    email: '',
    sessionCode: useSearchParam('code') ?? '',
  })
  const [notice, setNotice] = useState<Notice | null>(null)
  const [busy, setBusy] = useState(false)
  const [verifying, setVerifying] = useState(false)

  const enter = async (device?: string) => {
    const given = form.data
    if (given)
      startSession(
        await retryWhenRateLimited(() => call(trainingLogin.login, { body: { ...given, device } })),
      )
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!form.data || busy) return
    const { fullName, email, sessionCode } = form.data
    setBusy(true)
    setNotice(null)
    try {
      const { training } = await retryWhenRateLimited(() =>
        call(trainingLogin.register, { body: { fullName, sessionCode, participantEmail: email } }),
      )
      if (training.startTime > Date.now()) {
        const text = `You are registered for ${training.name}. It starts on ${absoluteTime(training.startTime)}: log in here then.`
        setNotice({ tone: 'green', text })
      } else {
        const { verificationRequired } = await retryWhenRateLimited(() =>
          call(trainingLogin.generateCode, { body: { fullName, email, sessionCode } }),
        )
        if (verificationRequired) setVerifying(true)
        // The router then opens the workshop.
        else return await enter()
      }
    } catch (error) {
      const failure = toApiError(error)
      const text = failureText(failure)
      const { participantEmail, ...fields } = failure.fields
      form.refuse(participantEmail === undefined ? fields : { ...fields, email: participantEmail })
      setNotice({ tone: 'red', text, onField: Object.values(failure.fields).includes(text) })
    }
    setBusy(false)
  }

  return (
    <>
      <form className="flex flex-col gap-4" noValidate onSubmit={(event) => void submit(event)}>
        {busy && <LoadingScreen message={firstMessages.authenticatingUser} overlay />}
        {intro && <p className="text-body text-ink-2">{intro}</p>}
        {notice?.onField && (
          <p role="alert" className="sr-only">
            {notice.text}
          </p>
        )}
        {notice && !notice.onField && <Callout tone={notice.tone} title={notice.text} alert />}
        <GuestField label="Full Name" field={form.field('fullName')} autoComplete="name" />
        <GuestField label="Email" type="email" field={form.field('email')} autoComplete="email" />
        <GuestField
          label="Workshop Session Code"
          field={form.field('sessionCode')}
          mono
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
        <Button type="submit" variant="primary" size="l" className="mt-1" disabled={!form.data} busy={busy}>
          Login to Workshop Session
        </Button>
      </form>
      {verifying && form.data && (
        <TwoStepDialog
          email={form.data.email}
          sessionCode={form.data.sessionCode}
          onVerified={enter}
          onClose={() => setVerifying(false)}
        />
      )}
    </>
  )
}

/** The failure's text, chosen in the order of the specification. */
function failureText({ allowedDomains, code, message }: ApiError): string {
  if (allowedDomains) return domainNotAllowedText(allowedDomains)
  if (code === 'unknown') return messages.unknownTrainingError
  return message || messages.anErrorOccurred
}
