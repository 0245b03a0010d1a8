import { useWatch } from 'react-hook-form'
import { RadioField } from '../../../forms/choice-fields'
import { NumberField, TextField } from '../../../forms/fields'
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
        hint="Watches the queue and the nodes; to drain nodes and cancel others’ jobs it must be an operator of the resource manager."
      />
      <RadioField
        form={form}
        name="data.head.key"
        label="How the console logs in"
        options={[
          {
            value: 'cluster',
            label: 'A key of its own',
            description:
              'Made for this cluster when you save. You then install its public part on the head node.',
          },
          {
            value: 'given',
            label: 'A key that I have',
            description: 'Paste or drop a private key. It is stored encrypted.',
          },
        ]}
      />
      {key === 'given' && <KeyField form={form} keyStored={keyStored} />}
      <RadioField
        form={form}
        name="data.head.accounts"
        label="How people’s jobs reach their own accounts there"
        options={[
          {
            value: 'key',
            label: 'By their own key',
            description: 'Each person installs the public part of their SSH key in their account.',
          },
          {
            value: 'sudo',
            label: 'By sudo',
            description: `From ${username}, which may become the others without a password.`,
          },
        ]}
      />
    </>
  )
}
