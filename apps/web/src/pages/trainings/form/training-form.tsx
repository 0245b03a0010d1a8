import { apps } from '@flotilla/contract/apps/apps'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { courses } from '@flotilla/contract/courses/courses'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { toApiError } from '@flotilla/client/api-error'
import { useWatch } from 'react-hook-form'
import { isFirstLoad, useApiMutation, useApiQuery } from '../../../api/query'
import { ChoicesField, RadioField } from '../../../forms/fields/choice-fields'
import { DateTimeField } from '../../../forms/fields/date-time-field'
import { applyFieldErrors } from '../../../forms/field-errors'
import { NumberField, SelectField, TextareaField, TextField } from '../../../forms/fields/fields'
import { Form, SubmitButton } from '../../../forms/form'
import { TagsField } from '../../../forms/fields/tags-field'
import { useZodForm } from '../../../forms/use-zod-form'
import { paths, useGo } from '../../../paths'
import { useLeaveGuard } from '../../../session/use-leave-guard'
import { useIsAdmin } from '../../../session/user'
import { ButtonLink } from '../../../ui/button/link'
import { notices } from '../../../ui/feedback/notices-store'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { Card } from '../../../ui/layout/card'
import { PageHeader } from '../../../ui/layout/page-header'
import { bodyOf, TrainingFields, valuesOf, type TrainingValues } from './training-values'

interface Props {
  title: string
  /** The workshop to edit; null for a new workshop. */
  training: Training | null
  /** The workshop to copy for a new one. */
  start?: Training | undefined
}

export function TrainingForm({ title, training, start }: Props) {
  const go = useGo()
  const admin = useIsAdmin()
  const source = training ?? start
  const form = useZodForm(TrainingFields, { defaults: valuesOf(source, training === null) })
  const { leave, dialog } = useLeaveGuard(form.formState.isDirty)
  const seatMode = useWatch({ control: form.control, name: 'data.seatMode' })
  const offered = useApiQuery(clusters.list, { query: { limit: PAGE_SIZE_MAX } })
  const material = useApiQuery(courses.list, { query: { limit: PAGE_SIZE_MAX } })
  const usable = (offered.data ?? []).filter(({ provider }) => seatMode === 'shared' || provider !== 'local')
  const offeredApps = useApiQuery(apps.list, {})
  // Desktops are not listed, because participants always have a tab for their desktop.
  const startable = (offeredApps.data ?? []).filter(
    ({ allowedRoles, opens }) => allowedRoles.includes('participant') && opens === 'session',
  )
  const invalidates = [trainings.list, trainings.view, trainings.seats]
  const create = useApiMutation(trainings.create, { admin, invalidates, success: 'Workshop saved' })
  const update = useApiMutation(trainings.update, { admin, invalidates, success: 'Workshop saved' })

  const save = async (values: TrainingValues) => {
    const body = bodyOf(values)
    try {
      const saved = training
        ? await update.mutateAsync({ id: training.id, body: { ...body, id: training.id } })
        : await create.mutateAsync({ body })
      leave()
      go(paths.training(saved.id))
    } catch (error) {
      const { status, fields, message } = toApiError(error)
      if (status === 400 && training) notices.error(message)
      applyFieldErrors(form, fields, message)
    }
  }

  // The form is rendered only after these are loaded, because its buttons would otherwise move while the user clicks.
  if ([offered, material, offeredApps].some(isFirstLoad))
    return (
      <>
        <PageHeader title={title} />
        <SkeletonText lines={8} />
      </>
    )
  return (
    <>
      <PageHeader title={title} />
      <Form form={form} onSubmit={save} className="max-w-4xl">
        <Card title="Workshop">
          <div className="flex flex-col gap-4">
            <div className="grid items-start gap-4 sm:grid-cols-2">
              <TextField form={form} name="name" label="Name" autoComplete="off" />
              <NumberField form={form} name="data.seats" label="Seats" min={1} />
              <DateTimeField form={form} name="data.startTime" label="Start" />
              <DateTimeField form={form} name="data.endTime" label="End" />
            </div>
            <TextareaField form={form} name="description" label="Description" optional rows={3} />
          </div>
        </Card>
        <Card title="Cluster" description="Where participants work.">
          <div className="flex flex-col gap-4">
            <RadioField
              form={form}
              name="data.seatMode"
              label="Cluster setup"
              hideLabel
              columns={2}
              options={[
                {
                  value: 'shared',
                  label: 'Shared cluster',
                  description: 'Everyone works on one cluster, each in their own account.',
                },
                {
                  value: 'own',
                  label: 'Cluster per seat',
                  description: 'Each seat gets its own copy of a cloud cluster.',
                },
              ]}
            />
            <SelectField
              form={form}
              name="data.clusterId"
              label={seatMode === 'own' ? 'Template' : 'Cluster'}
              optional
              placeholder={usable.length === 0 && offered.data ? 'No suitable cluster' : 'Choose later'}
              options={usable.map(({ id, name, info }) => ({ value: id, label: `${name} (${info.state})` }))}
              className="sm:w-1/2 sm:pr-2"
            />
            {startable.length > 0 && (
              <ChoicesField
                form={form}
                name="data.appIds"
                label="Apps"
                optional
                columns={3}
                hint="Participants can start these next to their terminal and desktop."
                options={startable.map(({ id, name }) => ({ value: id, label: name }))}
              />
            )}
          </div>
        </Card>
        <Card title="Course" description="What participants read and do.">
          <SelectField
            form={form}
            name="data.courseId"
            label="Course"
            optional
            placeholder={material.data?.length === 0 ? 'No courses yet' : 'None'}
            options={(material.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            className="sm:w-1/2 sm:pr-2"
          />
        </Card>
        <Card title="Access" description="Who can take part, and how they log in.">
          <div className="flex flex-col gap-4">
            <TagsField
              form={form}
              name="data.allowedDomains"
              label="Email domains"
              noun="domain"
              optional
              placeholder="example.org"
              hint="Only addresses in these domains can take part. Leave empty for anyone with the session code."
            />
            <div className="grid items-start gap-4 sm:grid-cols-2">
              <SelectField
                form={form}
                name="data.twoStep"
                label="Two-step verification"
                hint="When off, anyone with the session code who knows a participant’s email address can open their seat."
                options={[
                  { value: 'site', label: 'Follow the site’s rules' },
                  { value: 'on', label: 'On: participants enter an emailed code' },
                  { value: 'off', label: 'Off: the session code is enough' },
                ]}
              />
              <TextField
                form={form}
                name="data.sessionCode"
                label="Session code"
                optional
                mono
                autoComplete="off"
                spellCheck={false}
                hint="Leave empty to generate one that is hard to guess and easy to read aloud."
              />
            </div>
            <TagsField
              form={form}
              name="collaborators"
              label="Other instructors"
              noun="instructor"
              optional
              placeholder="Usernames"
              hint="They can help run the workshop, but not edit or delete it."
            />
          </div>
        </Card>
        <div className="flex flex-wrap justify-end gap-2">
          <ButtonLink to={training ? paths.training(training.id) : paths.trainings()}>Cancel</ButtonLink>
          <SubmitButton form={form}>Save</SubmitButton>
        </div>
      </Form>
      {dialog}
    </>
  )
}
