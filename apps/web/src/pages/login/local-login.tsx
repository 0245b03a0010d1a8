import { lazy, Suspense, useState } from 'react'
import { useConfig } from '../../api/config'
import { paths, useSearchParam, useSetSearch } from '../../paths'
import { TextLink } from '../../ui/button/link'
import { PlainButton } from '../../ui/button/plain-button'
import { LocalForm } from './local-form'
import type { Invitation } from './use-invitation'

// Most users never see these forms, so they are loaded on demand.
const LdapForm = lazy(() => import('./ldap-form'))
const RecoveryForm = lazy(() => import('./recovery-form'))

interface Props {
  /** One line that describes the users of this tab. */
  who: string
  invitation: Extract<Invitation, { state: 'good' }> | null
}

/** The content of the Admin and Instructor tabs: local login, password recovery or LDAP, depending on the URL. */
export function LocalLogin({ who, invitation }: Props) {
  const { register, features } = useConfig()
  const shown = useSearchParam('form')
  const setSearch = useSetSearch()
  const show = (form: 'recovery' | 'ldap' | undefined) => setSearch({ form }, { replace: false })
  // The state is here so that the typed username survives switching to the recovery form and back.
  const [username, setUsername] = useState(invitation?.username ?? '')

  if (shown === 'ldap' && features.ldap) {
    return (
      <Suspense>
        <LdapForm onBack={() => show(undefined)} />
      </Suspense>
    )
  }
  if (shown === 'recovery') {
    return (
      <Suspense>
        <RecoveryForm username={username} onUsername={setUsername} onBack={() => show(undefined)} />
      </Suspense>
    )
  }
  return (
    <div className="flex flex-col gap-5">
      <p className="text-body text-ink-2">{who}</p>
      <LocalForm username={username} userKey={invitation?.userKey} onUsername={setUsername} />
      <div className="flex flex-wrap justify-between gap-x-4 gap-y-2 text-body">
        <TextLink to="." search={(now: object) => ({ ...now, form: 'recovery' })}>
          Forgot your password?
        </TextLink>
        {register && <TextLink to={paths.register()}>Create an account</TextLink>}
      </div>
      {features.ldap && (
        <>
          <Or />
          <PlainButton size="l" onClick={() => show('ldap')}>
            Log in with LDAP
          </PlainButton>
        </>
      )}
    </div>
  )
}

function Or() {
  return (
    <div className="flex items-center gap-3 text-label text-ink-3">
      <span className="h-px grow bg-line-1" />
      Or
      <span className="h-px grow bg-line-1" />
    </div>
  )
}
