import { ldapServers, type LdapServer } from '@flotilla/contract/people/ldap-servers'
import { useEffect, useState, type FormEvent } from 'react'
import { useApiMutation } from '../../../api/query'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Dialog } from '../../../ui/overlay/dialog'
import { Field } from '../../../ui/form/field'
import { Input } from '../../../ui/form/input'
import { TestSteps } from '../../../ui/feedback/test-steps'

/** Tests a stored server when opened, and again with a user of the directory on request. */
export function TestDialog({ server, onClose }: { server: LdapServer; onClose: () => void }) {
  const [username, setUsername] = useState('')
  const { mutate, data, error, isPending } = useApiMutation(ldapServers.test)
  const { id } = server
  useEffect(() => mutate({ id, body: {} }), [id, mutate])
  const again = (event: FormEvent) => {
    event.preventDefault()
    mutate({ id, body: { username } })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Test ${server.name}`}
      footer={
        <Button variant="primary" onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      <div className="flex flex-col gap-5">
        <form onSubmit={again} className="flex items-end gap-2">
          <Field label="Sample user" optional className="min-w-0 flex-1">
            {(aria) => (
              <Input
                {...aria}
                value={username}
                placeholder="A username in the directory"
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                onChange={(event) => setUsername(event.target.value)}
              />
            )}
          </Field>
          <Button type="submit" busy={isPending}>
            Test again
          </Button>
        </form>
        {!isPending && error && <Callout tone="red" title={error.message} alert />}
        <TestSteps steps={data?.steps} busy={isPending} />
      </div>
    </Dialog>
  )
}
