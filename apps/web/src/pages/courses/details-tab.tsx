import { apps } from '@flotilla/contract/apps/apps'
import { courses } from '@flotilla/contract/courses/courses'
import { CourseInput, type Course } from '@flotilla/contract/courses/entity'
import { marketplace } from '@flotilla/contract/stacks/marketplace'
import * as z from 'zod/mini'
import { sendForm } from '../../account/send-form'
import { isFirstLoad, useApiMutation, useApiQuery } from '../../api/query'
import { ChoicesField } from '../../forms/fields/choice-fields'
import { SelectField, TextField, TextareaField } from '../../forms/fields/fields'
import { Form, SubmitButton } from '../../forms/form'
import { useZodForm } from '../../forms/use-zod-form'
import { paths } from '../../paths'
import { useIsAdmin } from '../../session/user'
import { TextLink } from '../../ui/button/link'
import { SkeletonText } from '../../ui/feedback/skeleton'

/** The form holds the template as text; the contract has a number or null. */
const Fields = z.extend(z.pick(CourseInput, { name: true, description: true, appIds: true }), {
  template: z.string(),
})

const templates = marketplace.map(({ id, name }) => ({ value: String(id), label: name }))

export function DetailsTab({ course }: { course: Course }) {
  const { id, name, description, templateId, appIds } = course
  const admin = useIsAdmin()
  const values = { name, description, appIds, template: templateId === null ? '' : String(templateId) }
  const form = useZodForm(Fields, { defaults: values, values })
  const chosen = form.watch('template')
  const launchable = marketplace.find((entry) => String(entry.id) === chosen && entry.action === 'Launch')
  const offered = useApiQuery(apps.list, {})
  const update = useApiMutation(courses.update, {
    admin,
    success: 'Course saved',
    invalidates: [courses.view, courses.list],
  })
  // The form is rendered only after the apps are loaded, because its button would otherwise move while the user clicks.
  if (isFirstLoad(offered)) return <SkeletonText lines={8} />
  return (
    <Form
      form={form}
      className="max-w-140"
      onSubmit={({ template, ...rest }) =>
        sendForm(
          form,
          update.mutateAsync({
            id,
            body: { ...rest, templateId: template === '' ? null : Number(template) },
          }),
        )
      }
    >
      <TextField form={form} name="name" label="Name" autoComplete="off" />
      <TextareaField form={form} name="description" label="Description" optional rows={4} />
      <SelectField
        form={form}
        name="template"
        label="Cluster template"
        optional
        placeholder="None"
        options={templates}
        hint="The marketplace entry to create clusters for this course from."
      />
      {launchable && (
        <p className="-mt-2 text-label">
          <TextLink to={paths.clusters()} search={{ new: launchable.platform, entry: String(launchable.id) }}>
            New cluster from {launchable.name}
          </TextLink>
        </p>
      )}
      {offered.data && (
        <ChoicesField
          form={form}
          name="appIds"
          label="Apps"
          optional
          columns={2}
          options={offered.data
            .filter(({ allowedRoles, opens }) => allowedRoles.includes('participant') && opens === 'session')
            .map((app) => ({ value: app.id, label: app.name }))}
          hint="Participants can start these next to their terminal and desktop. A workshop can choose others."
        />
      )}
      <div>
        <SubmitButton form={form}>Save</SubmitButton>
      </div>
    </Form>
  )
}
