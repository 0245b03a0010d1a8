import { auth } from '@flotilla/contract/people/auth'
import { CODE_DIGITS, CODE_LIFE_MS } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { useState, type FormEvent } from 'react'
import { toApiError, type ApiError } from '@flotilla/client/api-error'
import { call } from '../../api/call'
import { codeText, emptyCode, isComplete, type Code } from '../../forms/code'
import { CodeInput } from '../../forms/code-input'
import { ResendCode } from '../../forms/resend'
import { GuestField } from '../../guest/guest-field'
import { GuestPage, GuestPageHeading } from '../../guest/guest-page'
import { bySchema } from '../../guest/by-schema'
import { useFields } from '../../guest/use-fields'
import { paths, useGo, useSearchParam } from '../../paths'
import { Button } from '../../ui/button/button'
import { TextLink } from '../../ui/button/link'
import { notices } from '../../ui/feedback/notices-store'

const minutes = CODE_LIFE_MS / 60_000

export default function VerifyPage() {
  const given = useSearchParam('username') ?? ''
  const form = useFields(bySchema(auth.resendCode.body), { username: given })
  const [code, setCode] = useState<Code>(emptyCode)
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const go = useGo()

  const verify = async (event: FormEvent) => {
    event.preventDefault()
    if (!form.data || !isComplete(code) || busy) return
    setBusy(true)
    setFailure(null)
    try {
      const { verified } = await call(auth.verify, { body: { ...form.data, code: codeText(code) } })
      if (verified) {
        notices.success('Email address confirmed. You can log in now.')
        return go(paths.login())
      }
      setFailure(messages.verificationFailed)
    } catch (error) {
      setFailure(failureText(toApiError(error)))
    }
    setBusy(false)
  }

  return (
    <GuestPage>
      <GuestPageHeading title="Verify your email">
        We emailed you a {CODE_DIGITS}-digit code. It expires in {minutes} minutes.
      </GuestPageHeading>
      <form className="flex flex-col gap-5" noValidate onSubmit={(event) => void verify(event)}>
        <GuestField
          label="Username"
          field={form.field('username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <CodeInput
          label="Verification code"
          code={code}
          error={failure}
          disabled={busy}
          autoFocus={given !== ''}
          onChange={(next) => {
            setCode(next)
            setFailure(null)
          }}
        />
        <Button
          type="submit"
          variant="primary"
          size="l"
          disabled={!form.data || !isComplete(code)}
          busy={busy}
        >
          Verify
        </Button>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <ResendCode
            disabledReason={form.data ? null : 'Enter your username first'}
            onResend={() => call(auth.resendCode, { body: { username: form.values.username } })}
          />
          <TextLink to={paths.login()}>Back to login</TextLink>
        </div>
      </form>
    </GuestPage>
  )
}

/** The server's message if there is one, otherwise a text for the error code. */
function failureText({ code, fields, message }: ApiError): string {
  if (code === 'unknown') return messages.unexpectedError
  return fields['code'] ?? fields['username'] ?? (message || messages.invalidCode)
}
