import { messages } from '@flotilla/contract/messages'
import { users, type User } from '@flotilla/contract/people/users'
import { useId } from 'react'
import { sendForm } from '../../../account/send-form'
import { personTitle } from '../../../ui/text/person-title'
import { useApiMutation } from '../../../api/query'
import { Form, SubmitButton } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { Button } from '../../../ui/button/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { useUserUpdate } from './use-user-update'
import {
  DirectoryUserFields,
  EditUserFields,
  fieldsOf,
  newUserOf,
  NewUserFields,
  updateOf,
  type UserForm,
} from './user-form'
import { UserFields } from './user-fields'

interface Props {
  /** Null for a new user. */
  user: User | null
  /** Why the admin role cannot be removed, or null. */
  adminLocked: string | null
  onClose: () => void
}

export function UserDialog({ user, adminLocked, onClose }: Props) {
  const formId = useId()
  const fromDirectory = user?.authType === 'ldap'
  const schema = fromDirectory ? DirectoryUserFields : user ? EditUserFields : NewUserFields
  const form: UserForm = useZodForm(schema, { defaults: fieldsOf(user) })
  const create = useApiMutation(users.create, {
    invalidates: [users.list],
    success: messages.userCreated,
    onSuccess: onClose,
  })
  const update = useUserUpdate(onClose)
  return (
    <Dialog
      open
      onClose={onClose}
      title={user ? `Edit ${personTitle(user)}` : 'New user'}
      description={
        user
          ? undefined
          : 'They can log in immediately. Give them the password, or send an invitation afterward.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            {user ? 'Save' : 'Create user'}
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
            user
              ? update.mutateAsync({ body: updateOf(user, fields) })
              : create.mutateAsync({ body: newUserOf(fields) }),
          )
        }
      >
        <UserFields
          form={form}
          isNew={user === null}
          fromDirectory={fromDirectory}
          adminLocked={adminLocked}
        />
      </Form>
    </Dialog>
  )
}
