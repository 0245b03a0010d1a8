import { messages } from '@flotilla/contract/messages'
import { useState } from 'react'
import { GuestPage, GuestPageHeading } from '../../guest/guest-page'
import { paths } from '../../paths'
import { LoadingScreen } from '../../shell/gates/loading-screen'
import { TextLink } from '../../ui/button/link'
import { Marketing } from './marketing'
import { RegisterForm } from './register-form'

export default function RegisterPage() {
  const [busy, setBusy] = useState(false)
  return (
    <GuestPage aside={<Marketing />}>
      {busy && <LoadingScreen message={messages.creatingUser} overlay />}
      <GuestPageHeading title="CREATE AN ACCOUNT">
        Already have an account?{' '}
        <TextLink to={paths.login()} className="underline">
          Log in
        </TextLink>
      </GuestPageHeading>
      <RegisterForm busy={busy} onBusy={setBusy} />
    </GuestPage>
  )
}
