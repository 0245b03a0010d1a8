import { useWatch } from 'react-hook-form'
import { RadioField } from '../../../forms/fields/choice-fields'
import { NumberField, TextField } from '../../../forms/fields/fields'
import type { ClusterFormState } from './form-state'
import { KeyField } from './key-field'

export function HeadFields({ form, keyStored }: { form: ClusterFormState; keyStored: boolean }) {
  const key = useWatch({ control: form.control, name: 'data.head.key' })
  const username = useWatch({ control: form.control, name: 'data.head.username' }) || 'the account'
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[1fr_7rem]">
        <TextField form={form} name="data.head.host" label="Host" mono placeholder="login.example.org" />
        <NumberField form={form} name="data.head.port" label="Port" min={1} max={65_535} />
      </div>
      <TextField
        form={form}
        name="data.head.username"
        label="Account"
        mono
        hint="Used to monitor the queue and nodes. To drain nodes and cancel other users’ jobs, it must be an operator of the resource manager."
      />
      <RadioField
        form={form}
        name="data.head.key"
        label="How the console logs in"
        options={[
          {
            value: 'cluster',
            label: 'A new key',
            description:
              'Created for this cluster when you save. You then install its public key on the head node.',
          },
          {
            value: 'given',
            label: 'An existing key',
            description: 'Paste or drop a private key. It is stored encrypted.',
          },
        ]}
      />
      {key === 'given' && <KeyField form={form} keyStored={keyStored} />}
      <RadioField
        form={form}
        name="data.head.accounts"
        label="How jobs run under each person’s own account"
        options={[
          {
            value: 'key',
            label: 'With their own key',
            description: 'Each person installs their public SSH key in their account.',
          },
          {
            value: 'sudo',
            label: 'With sudo',
            description: `From ${username}, which must be allowed to use sudo without a password.`,
          },
        ]}
      />
    </>
  )
}
