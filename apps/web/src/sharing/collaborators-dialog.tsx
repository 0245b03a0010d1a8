import { users } from '@flotilla/contract/people/users'
import { useId } from 'react'
import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import { sendForm } from '../account/send-form'
import { useApiQuery } from '../api/query'
import { Form, SubmitButton } from '../forms/form'
import { TagsField } from '../forms/fields/tags-field'
import { useZodForm } from '../forms/use-zod-form'
import { useIsAdmin } from '../session/user'
import { Button } from '../ui/button/button'
import { Dialog } from '../ui/overlay/dialog'

const Fields = z.object({ collaborators: z.array(z.string()) })
/** More than users would read through, but few enough for the browser's list. */
const OFFERED = 200

interface Props {
  /** What is shared, such as 'credential Physics'. */
  subject: string
  owner: string
  collaborators: readonly string[]
  /** What collaborators can do with it, in a sentence. */
  hint: ReactNode
  /** Other ways to share it. */
  children?: ReactNode
  /** Rejects with the server's errors about the names. */
  onSave: (usernames: string[]) => Promise<unknown>
  onClose: () => void
}

/** Edits who else can use something, by username. Admins get suggestions; others must know the names. */
export function CollaboratorsDialog({
  subject,
  owner,
  collaborators,
  hint,
  children,
  onSave,
  onClose,
}: Props) {
  const formId = useId()
  const form = useZodForm(Fields, { defaults: { collaborators: [...collaborators] } })
  const isAdmin = useIsAdmin()
  const people = useApiQuery(users.list, { query: { limit: OFFERED } }, { enabled: isAdmin })
  const offered = people.data
    ?.filter(({ username, participant }) => username !== owner && !participant)
    .map(({ username }) => username)
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title={`Share ${subject}`}
      description={`Owned by ${owner}.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            Save
          </SubmitButton>
        </>
      }
    >
      <Form id={formId} form={form} onSubmit={(values) => sendForm(form, onSave(values.collaborators))}>
        <TagsField
          form={form}
          name="collaborators"
          label="Shared with"
          noun="person"
          optional
          placeholder="Usernames"
          hint={hint}
          {...(offered && { suggestions: offered })}
        />
      </Form>
      {children && <div className="mt-5">{children}</div>}
    </Dialog>
  )
}
