import * as z from 'zod/mini'
import { ChoicesField, RadioField, SwitchField } from '../forms/fields/choice-fields'
import { DateTimeField } from '../forms/fields/date-time-field'
import { applyFieldErrors } from '../forms/field-errors'
import {
  CheckboxField,
  NumberField,
  PasswordField,
  SelectField,
  TextareaField,
  TextField,
} from '../forms/fields/fields'
import { Form, SubmitButton } from '../forms/form'
import { TagsField } from '../forms/fields/tags-field'
import { useZodForm } from '../forms/use-zod-form'
import { Card } from '../ui/layout/card'

const Workshop = z.object({
  name: z.string().check(z.minLength(4, 'Min character length is 4')),
  seats: z.nullable(z.number().check(z.minimum(1, 'At least one seat'))),
  password: z.string().check(z.minLength(8, 'Min character length is 8')),
  provider: z.string().check(z.minLength(1, 'Choose a provider')),
  description: z.string(),
  domains: z.array(z.string()),
  roles: z.array(z.string()).check(z.minLength(1, 'Choose at least one role')),
  startTime: z.nullable(z.number()),
  manager: z.string(),
  open: z.boolean(),
  terms: z.boolean(),
})

export function Forms() {
  const form = useZodForm(Workshop, {
    defaults: {
      name: '',
      seats: 24,
      password: '',
      provider: '',
      description: '',
      domains: ['example.org', 'uni-example.edu'],
      roles: ['user'],
      startTime: 1_763_202_600_000,
      manager: 'slurm',
      open: true,
      terms: false,
    },
  })
  const save = () => {
    // What a server might return: an error on a visible field and one on a missing field.
    applyFieldErrors(form, { name: 'This name is already taken', quota: 'Only 10 seats are left' })
  }
  return (
    <Card
      title="Form"
      description="Errors after leaving a field or sending; the server's land on their fields."
    >
      <Form form={form} onSubmit={save} className="max-w-160">
        <TextField form={form} name="name" label="Workshop name" />
        <div className="grid gap-4 sm:grid-cols-2">
          <NumberField form={form} name="seats" label="Seats" min={1} />
          <PasswordField
            form={form}
            name="password"
            label="Instructor password"
            autoComplete="new-password"
          />
          <SelectField
            form={form}
            name="provider"
            label="Cloud"
            placeholder="Choose a cloud"
            options={[
              { value: 'aws', label: 'AWS' },
              { value: 'azure', label: 'Azure' },
            ]}
          />
          <DateTimeField form={form} name="startTime" label="Starts" optional hint="In your own time zone." />
        </div>
        <TagsField form={form} name="domains" label="Allowed email domains" noun="domain" optional />
        <TextareaField form={form} name="description" label="Description" optional />
        <ChoicesField
          form={form}
          name="roles"
          label="Roles"
          columns={3}
          options={[
            { value: 'user', label: 'User' },
            { value: 'instructor', label: 'Instructor' },
            { value: 'admin', label: 'Admin' },
          ]}
        />
        <RadioField
          form={form}
          name="manager"
          label="Resource manager"
          options={[
            { value: 'slurm', label: 'Slurm', description: 'The default choice.' },
            { value: 'torque', label: 'Torque', description: 'For older scripts.' },
          ]}
        />
        <SwitchField form={form} name="open" label="Open for registration" />
        <CheckboxField form={form} name="terms" label="I have read the house rules" />
        <div className="flex gap-2">
          <SubmitButton form={form}>Save workshop</SubmitButton>
          <SubmitButton form={form} requireValid variant="secondary">
            Save when valid
          </SubmitButton>
        </div>
      </Form>
    </Card>
  )
}
