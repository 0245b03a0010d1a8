import { roles } from '@flotilla/contract/access'
import { appIcons, AppInput, apps } from '@flotilla/contract/apps/apps'
import { useId } from 'react'
import { useController, useWatch } from 'react-hook-form'
import { sendForm } from '../../account/send-form'
import { AppCard } from '../../apps/app-card'
import { iconNames } from '../../apps/app-icon'
import { useApiMutation } from '../../api/query'
import { CodeEditor } from '../../editor/code-editor'
import { ChoicesField } from '../../forms/fields/choice-fields'
import { NumberField, SelectField, TextareaField, TextField } from '../../forms/fields/fields'
import { Form, SubmitButton } from '../../forms/form'
import { useZodForm } from '../../forms/use-zod-form'
import { useIsAdmin } from '../../session/user'
import { Button } from '../../ui/button/button'
import { FieldError } from '../../ui/form/field'
import { Dialog } from '../../ui/overlay/dialog'
import type { AppDraft, AppFormState } from './app-form-state'
import { FieldRows } from './field-rows'

const roleNames = {
  admin: 'Admins',
  instructor: 'Instructors',
  user: 'Users',
  participant: 'Participants',
} as const
const FIRST_SCRIPT = `# Listen on $HOST and $PORT. $TOKEN protects the app from others on the node.
exec python3 -m http.server --bind "$HOST" "$PORT"
`

interface Props {
  /** The initial values. A draft with an ID changes that app; without an ID, it creates a new one. */
  draft: AppDraft | null
  onClose: () => void
}

/** Creates or changes an app. */
export default function AppForm({ draft, onClose }: Props) {
  const formId = useId()
  const isAdmin = useIsAdmin()
  const id = draft?.id
  const form = useZodForm(AppInput, {
    defaults: AppInput.parse(draft ?? { name: 'New app', script: FIRST_SCRIPT }),
  })
  const options = { admin: isAdmin, invalidates: [apps.list], onSuccess: onClose }
  const create = useApiMutation(apps.create, { ...options, success: 'App created' })
  const update = useApiMutation(apps.update, { ...options, success: 'App updated' })
  const save = (body: AppInput) =>
    id === undefined ? create.mutateAsync({ body }) : update.mutateAsync({ body: { id, ...body } })
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={id === undefined ? 'New app' : `Edit ${draft?.name ?? ''}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton form={form} formId={formId}>
            {id === undefined ? 'Create app' : 'Save'}
          </SubmitButton>
        </>
      }
    >
      <Form id={formId} form={form} onSubmit={(values) => sendForm(form, save(values))}>
        <div className="grid gap-4 sm:grid-cols-[1fr_16rem]">
          <div className="flex flex-col gap-4">
            <TextField form={form} name="name" label="Name" />
            <SelectField
              form={form}
              name="icon"
              label="Icon"
              options={appIcons.map((value) => ({ value, label: iconNames[value] }))}
            />
            <TextareaField form={form} name="description" label="Description" optional rows={2} />
          </div>
          <Preview form={form} />
        </div>
        <ScriptField form={form} />
        <FieldRows form={form} />
        <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
          <NumberField form={form} name="resources.cores" label="Cores" min={1} />
          <NumberField form={form} name="resources.gpus" label="GPUs" min={0} />
          <TextField form={form} name="resources.walltime" label="Wall time" hint="HH:MM:SS" mono />
        </div>
        <div className="grid grid-cols-2 gap-4">
          <TextField
            form={form}
            name="ready.path"
            label="Readiness check"
            hint="The app is ready when this path returns the expected status."
            mono
          />
          <NumberField form={form} name="ready.status" label="Expected status" min={100} max={599} />
        </div>
        <ChoicesField
          form={form}
          name="allowedRoles"
          label="Who can start it"
          columns={2}
          options={roles.map((value) => ({ value, label: roleNames[value] }))}
        />
      </Form>
    </Dialog>
  )
}

function Preview({ form }: { form: AppFormState }) {
  const [name, icon = 'app', description = ''] = useWatch({
    control: form.control,
    name: ['name', 'icon', 'description'],
  })
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-body font-medium">Preview</p>
      <ul aria-label="Preview">
        <AppCard app={{ name: name || 'New app', icon, description, owner: 'you' }} />
      </ul>
    </div>
  )
}

function ScriptField({ form }: { form: AppFormState }) {
  const { field, fieldState } = useController({ control: form.control, name: 'script' })
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-body font-medium">Script</p>
      <CodeEditor
        label="Script"
        language="shell"
        value={field.value}
        onChange={field.onChange}
        onBlur={field.onBlur}
        problem={fieldState.error?.message}
        className="h-56"
      />
      {fieldState.error?.message && <FieldError id={id}>{fieldState.error.message}</FieldError>}
      <p className="text-label text-ink-3">
        Runs with bash as the person who starts it. It gets HOST, PORT, BASE_URL and TOKEN, and must listen on
        PORT.
      </p>
    </div>
  )
}
