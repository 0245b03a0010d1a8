import { LdapLogin } from '@flotilla/contract/people/auth'
import { ldap, type ActiveLdapServer } from '@flotilla/contract/people/ldap'
import { messages } from '@flotilla/contract/messages'
import { ServerOff } from 'lucide-react'
import { useEffect, useState, type FormEvent } from 'react'
import * as z from 'zod/mini'
import { toApiError, type ApiError } from '@flotilla/client/api-error'
import { call } from '../../api/call'
import { GuestField } from '../../guest/guest-field'
import { bySchema } from '../../guest/by-schema'
import { useFields } from '../../guest/use-fields'
import { LoadingScreen } from '../../shell/gates/loading-screen'
import { Button } from '../../ui/button/button'
import { Callout } from '../../ui/feedback/callout'
import { Field } from '../../ui/form/field'
import { Glyph } from '../../ui/status/icon'
import { Select } from '../../ui/form/input'
import { Spinner } from '../../ui/feedback/spinner'
import { logInWithLdap } from './login-calls'
import LoginFailure from './login-failure'

type Servers =
  | { state: 'loading' }
  | { state: 'failed'; message: string }
  | { state: 'known'; list: ActiveLdapServer[] }

export default function LdapForm({ onBack }: { onBack: () => void }) {
  const [servers, setServers] = useState<Servers>({ state: 'loading' })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const abort = new AbortController()
    call(ldap.active, {}, { signal: abort.signal }).then(
      (list) => setServers({ state: 'known', list }),
      (error: unknown) => {
        if (!abort.signal.aborted) setServers({ state: 'failed', message: toApiError(error).message })
      },
    )
    return () => abort.abort()
  }, [attempt])

  return (
    <div className="flex flex-col gap-4">
      {servers.state === 'loading' && (
        <div className="flex justify-center py-10">
          <Spinner label="Loading LDAP servers" />
        </div>
      )}
      {servers.state === 'failed' && (
        <>
          <Callout tone="red" title={servers.message} alert>
            The list of LDAP servers could not be loaded.
          </Callout>
          <Button
            size="l"
            onClick={() => {
              setServers({ state: 'loading' })
              setAttempt(attempt + 1)
            }}
          >
            Try again
          </Button>
        </>
      )}
      {servers.state === 'known' &&
        (servers.list.length === 0 ? <NoServers /> : <Fields servers={servers.list} />)}
      <Button variant="ghost" className="self-center" onClick={onBack}>
        Go Back
      </Button>
    </div>
  )
}

function NoServers() {
  return (
    <div className="flex flex-col items-center gap-2 rounded-card border border-line-1 px-4 py-8 text-center">
      <Glyph icon={ServerOff} className="text-ink-3" />
      <p className="text-form font-medium">{messages.noLdapServers}</p>
      <p className="text-body text-ink-2">{messages.noLdapServersHint}</p>
    </div>
  )
}

const Typed = z.omit(LdapLogin, { ldapServerId: true })
const check = bySchema<{ username: string; password: string }, z.output<typeof Typed>>(Typed)

function Fields({ servers }: { servers: ActiveLdapServer[] }) {
  const form = useFields(check, { username: '', password: '' })
  const [ldapServerId, setServer] = useState(servers[0]?.id ?? '')
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!form.data || busy) return
    setBusy(true)
    setFailure(null)
    try {
      await logInWithLdap({ ...form.data, ldapServerId })
    } catch (error) {
      const failed = toApiError(error)
      setFailure(failed)
      const { unauthorized } = messages
      form.refuse(failed.status === 401 ? { username: unauthorized, password: unauthorized } : failed.fields)
      setBusy(false)
    }
  }

  return (
    <form className="flex flex-col gap-4" noValidate onSubmit={(event) => void submit(event)}>
      {busy && <LoadingScreen message={messages.authenticatingUser} overlay />}
      {failure && <LoginFailure failure={failure} username={form.values.username} />}
      <Field label="LDAP server" error={failure?.fields['ldapServerId']}>
        {(aria) => (
          <Select
            {...aria}
            size="l"
            value={ldapServerId}
            onChange={(event) => setServer(event.currentTarget.value)}
          >
            {servers.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <GuestField
        label="Username"
        field={form.field('username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <GuestField
        label="Password"
        type="password"
        field={form.field('password')}
        autoComplete="current-password"
      />
      <Button type="submit" variant="primary" size="l" className="mt-1" disabled={!form.data} busy={busy}>
        Log in
      </Button>
    </form>
  )
}
