import { messages } from '@flotilla/contract/messages'
import { ldap } from '@flotilla/contract/people/ldap'
import { ldapServers, type LdapServer } from '@flotilla/contract/people/ldap-servers'
import { useId } from 'react'
import { sendForm } from '../../../account/send-form'
import { useApiMutation } from '../../../api/query'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { Button } from '../../../ui/button/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { ServerFields as Fields } from './server-fields'
import { fieldsOf, inputOf, ServerFields, type ServerForm } from './server-form'

interface Props {
  /** Null for a new server. */
  server: LdapServer | null
  /** Called with the saved server, which is then tested. */
  onSaved: (server: LdapServer) => void
  onClose: () => void
}

export function ServerDialog({ server, onSaved, onClose }: Props) {
  const formId = useId()
  const form: ServerForm = useZodForm(ServerFields, { defaults: fieldsOf(server) })
  const options = { invalidates: [ldapServers.list, ldap.active], onSuccess: onSaved }
  const create = useApiMutation(ldapServers.create, { ...options, success: messages.ldapServerAdded })
  const update = useApiMutation(ldapServers.update, { ...options, success: messages.ldapServerUpdated })
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={server ? `Edit ${server.name}` : 'Add LDAP server'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            {server ? 'Save' : 'Add server'}
          </SubmitButton>
        </>
      }
    >
      <Form
        id={formId}
        form={form}
        onSubmit={(fields) =>
          sendForm(
            form,
            server
              ? update.mutateAsync({ id: server.id, body: inputOf(fields) })
              : create.mutateAsync({ body: inputOf(fields) }),
          )
        }
      >
        <Fields form={form} passwordSet={server?.passwordSet ?? false} />
      </Form>
    </Dialog>
  )
}
