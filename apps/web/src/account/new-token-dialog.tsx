import { accessTokens, type CreatedAccessToken } from '@flotilla/contract/people/access-tokens'
import { ACCESS_TOKEN_DAYS, ACCESS_TOKEN_DAYS_MAX } from '@flotilla/contract/limits'
import { useId } from 'react'
import { useApiMutation } from '../api/query'
import { RadioField } from '../forms/fields/choice-fields'
import { FormField, TextField } from '../forms/fields/fields'
import { Form, SubmitButton } from '../forms/form'
import { useZodForm } from '../forms/use-zod-form'
import { Button } from '../ui/button/button'
import { Callout } from '../ui/feedback/callout'
import { CopyText } from '../ui/text/copy-text'
import { Dialog } from '../ui/overlay/dialog'
import { Select } from '../ui/form/input'
import { RelativeTime } from '../ui/text/relative-time'
import { sendForm } from './send-form'
import { exampleCall, scopeOptions } from './token-text'

const lifetimes = [7, 30, ACCESS_TOKEN_DAYS, 180, ACCESS_TOKEN_DAYS_MAX]
const lifetimeText = (days: number) => (days === ACCESS_TOKEN_DAYS_MAX ? '1 year' : `${days} days`)

export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const create = useApiMutation(accessTokens.create, { invalidates: [accessTokens.list] })
  return create.data ? (
    <CreatedToken token={create.data} onClose={onClose} />
  ) : (
    <TokenForm onClose={onClose} send={(body) => create.mutateAsync({ body })} />
  )
}

type NewToken = { name: string; scope: CreatedAccessToken['scope']; days: number }
function TokenForm({ onClose, send }: { onClose: () => void; send: (body: NewToken) => Promise<unknown> }) {
  const formId = useId()
  const form = useZodForm(accessTokens.create.body, {
    defaults: { name: '', scope: 'read', days: ACCESS_TOKEN_DAYS },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title="New access token"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            Create token
          </SubmitButton>
        </>
      }
    >
      <Form id={formId} form={form} onSubmit={(body) => sendForm(form, send(body))}>
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="What the token is for, such as a script and the machine it runs on."
          autoComplete="off"
        />
        <RadioField form={form} name="scope" label="Scope" options={scopeOptions} columns={1} />
        <FormField form={form} name="days" label="Expires after">
          {(field, aria) => (
            <Select {...aria} {...field} onChange={(event) => field.onChange(Number(event.target.value))}>
              {lifetimes.map((days) => (
                <option key={days} value={days}>
                  {lifetimeText(days)}
                </option>
              ))}
            </Select>
          )}
        </FormField>
      </Form>
    </Dialog>
  )
}

/** Closed only by its button: a stray click would lose a secret that cannot be shown again. */
function CreatedToken({ token, onClose }: { token: CreatedAccessToken; onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Access token ${token.name}`}
      dismissable={false}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Callout tone="amber" title="Copy it now. It won’t be shown again.">
          Treat it like a password. It expires <RelativeTime at={token.expiresAt} />, or as soon as you revoke
          it or change your password.
        </Callout>
        <div className="rounded-control border border-line-1 bg-surface-1 px-3 py-2">
          <CopyText wrap label="access token" text={token.secret} />
        </div>
        <p className="text-body text-ink-2">With the token in the TOKEN environment variable:</p>
        <div className="rounded-control border border-line-1 bg-surface-1 px-3 py-2">
          <CopyText wrap label="example" text={exampleCall()} />
        </div>
      </div>
    </Dialog>
  )
}
