import type { TwoStepSettings } from '@flotilla/contract/site/two-step'
import { useId } from 'react'
import * as z from 'zod/mini'
import { sendForm } from '../../../account/send-form'
import { CheckboxField, TextField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { TagsField } from '../../../forms/fields/tags-field'
import { useZodForm } from '../../../forms/use-zod-form'
import { Button } from '../../../ui/button/button'
import { Dialog } from '../../../ui/overlay/dialog'
import { useAddRule, useUpdateRule } from './use-rule'

/** The form's fields. The server checks their values. */
const RuleFields = z.object({ name: z.string(), enabled: z.boolean(), emailDomains: z.array(z.string()) })

interface Props {
  /** Null for a new rule. */
  rule: TwoStepSettings | null
  onClose: () => void
}

export function RuleDialog({ rule, onClose }: Props) {
  const formId = useId()
  const { name, enabled, emailDomains } = rule ?? {
    name: 'Workshop participants',
    enabled: true,
    emailDomains: [],
  }
  const form = useZodForm(RuleFields, { defaults: { name, enabled, emailDomains } })
  const add = useAddRule()
  const update = useUpdateRule()
  return (
    <Dialog
      open
      onClose={onClose}
      title={rule ? `Edit ${rule.name}` : 'Add two-step rule'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            {rule ? 'Save' : 'Add rule'}
          </SubmitButton>
        </>
      }
    >
      <Form
        id={formId}
        form={form}
        onSubmit={(body) => sendForm(form, (rule ? update(rule.id, body) : add(body)).then(onClose))}
      >
        <TextField form={form} name="name" label="Name" autoComplete="off" />
        <TagsField
          form={form}
          name="emailDomains"
          label="Email domains"
          optional
          noun="domain"
          placeholder="example.org"
          hint="Participants with an address in one of these domains must enter a code. Leave empty for every participant."
        />
        <CheckboxField form={form} name="enabled" label="On" />
      </Form>
    </Dialog>
  )
}
