import { messages } from '@flotilla/contract/messages'
import { newOwnerBlockedReason, users, type OwnedItem, type User } from '@flotilla/contract/people/users'
import { countText } from '@flotilla/contract/count-text'
import { useId, useState, type FormEvent } from 'react'
import { personTitle } from '../../../ui/text/person-title'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Dialog } from '../../../ui/overlay/dialog'
import { Field } from '../../../ui/form/field'
import { Input, Select } from '../../../ui/form/input'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { RunningThings, type Jobs } from './running-things'

interface Props {
  user: User
  loaded: readonly User[]
  /** Whether `loaded` has all users. */
  isAll: boolean
  onClose: () => void
}

/** Removes a user. Everything they own is listed and transferred to another user, so that nothing is lost. */
export function RemoveDialog({ user, loaded, isAll, onClose }: Props) {
  const formId = useId()
  const owned = useApiQuery(users.owned, { id: user.id }, { staleTime: 0 })
  const running = useApiQuery(users.running, { id: user.id }, { staleTime: 0 })
  const hasJobs = running.data?.running.some(({ kind }) => kind === 'job') ?? false
  const [jobs, setJobs] = useState<Jobs | null>(null)
  const [newOwner, setNewOwner] = useState('')
  const [typed, setTyped] = useState('')
  const remove = useApiMutation(users.remove, {
    success: messages.userDeleted,
    invalidates: [users.list],
    onSuccess: onClose,
  })

  const missing = (): string | null => {
    if (owned.data === undefined || running.data === undefined) return 'Checking what they own and run'
    if (hasJobs && jobs === null) return 'Choose what happens to their jobs first'
    if (owned.data.length > 0 && newOwner === '') return 'Choose a new owner first'
    return typed.trim() === user.username ? null : `Type ${user.username} to confirm`
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (missing() === null)
      remove.mutate({ body: { id: user.id, newOwner: newOwner || undefined, jobs: jobs ?? undefined } })
  }

  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      dismissable={!remove.isPending}
      title={`Remove ${personTitle(user)}?`}
      footer={
        <>
          <Button onClick={onClose} disabled={remove.isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={formId}
            variant="danger"
            busy={remove.isPending}
            disabledReason={missing()}
          >
            Remove user
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        <p className="text-body text-ink-2">
          {`${user.firstName} ${user.lastName}`.trim() || user.username} is logged out everywhere immediately
          and cannot log in again. Their name stays in the audit trail.
        </p>
        <Async data={running} skeleton={<SkeletonText lines={2} />}>
          {(now) => <RunningThings {...now} jobs={jobs} onJobs={setJobs} />}
        </Async>
        <Async
          data={owned}
          skeleton={<SkeletonText lines={2} />}
          empty={<p className="text-body text-ink-2">They own nothing.</p>}
        >
          {(things) => (
            <>
              <Owned things={things} />
              <NewOwner user={user} loaded={loaded} isAll={isAll} value={newOwner} onChange={setNewOwner} />
            </>
          )}
        </Async>
        <Field
          label={
            <>
              Type <strong className="font-mono font-semibold">{user.username}</strong> to confirm
            </>
          }
        >
          {(aria) => (
            <Input
              {...aria}
              mono
              data-autofocus
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}

function Owned({ things }: { things: OwnedItem[] }) {
  return (
    <Callout tone="amber" title={`They own ${countText(things.length, 'item')}`}>
      <ul className="max-h-40 list-disc overflow-y-auto pl-4">
        {things.map(({ kind, id, name }) => (
          <li key={`${kind} ${id}`}>
            {kind} <span className="font-medium">{name}</span>
          </li>
        ))}
      </ul>
    </Callout>
  )
}

interface NewOwnerProps {
  user: User
  loaded: readonly User[]
  isAll: boolean
  value: string
  onChange: (id: string) => void
}

function NewOwner({ user, loaded, isAll, value, onChange }: NewOwnerProps) {
  return (
    <Field
      label="New owner"
      hint={
        isAll
          ? undefined
          : 'To choose someone who isn’t listed here, first show older accounts in the user list.'
      }
    >
      {(aria) => (
        <Select {...aria} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">Choose a new owner</option>
          {loaded
            .filter((other) => other.id !== user.id && newOwnerBlockedReason(other, Date.now()) === null)
            .map((other) => (
              <option key={other.id} value={other.id}>
                {personTitle(other)}
              </option>
            ))}
        </Select>
      )}
    </Field>
  )
}
