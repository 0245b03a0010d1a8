import { JobInput, jobs, type Job } from '@flotilla/contract/jobs/jobs'
import { messages } from '@flotilla/contract/messages'
import { useId, useState } from 'react'
import { useFormState } from 'react-hook-form'
import { sendForm } from '../../../account/send-form'
import { useApiMutation } from '../../../api/query'
import { TextField, TextareaField } from '../../../forms/fields/fields'
import { Form } from '../../../forms/form'
import { useZodForm } from '../../../forms/use-zod-form'
import { paths, useGo } from '../../../paths'
import { useIsAdmin } from '../../../session/user'
import { SubmitDialog } from '../../../submit/submit-dialog'
import { Button } from '../../../ui/button/button'
import { Card } from '../../../ui/layout/card'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { ButtonLink } from '../../../ui/button/link'
import { PageHeader } from '../../../ui/layout/page-header'
import type { Template } from '../../../submit/templates'
import { FittingClusters } from './fitting-clusters'
import { fromTemplate, type JobFormState, type JobValues } from './job-form'
import { Preview } from './preview'
import { ResourceFields } from './resource-fields'
import { ScriptField } from './script-field'
import { useLeaveGuard } from '../../../session/use-leave-guard'

interface Props {
  title: string
  /** The saved job to edit; null for a new job. */
  job: Job | null
  start: JobValues
}

export function JobEditor({ title, job, start }: Props) {
  const formId = useId()
  const go = useGo()
  const admin = useIsAdmin()
  const form: JobFormState = useZodForm(JobInput, { defaults: start })
  const { isDirty, isSubmitting } = useFormState({ control: form.control })
  const guard = useLeaveGuard(isDirty)
  const [submitting, setSubmitting] = useState<Job | null>(null)
  const [template, setTemplate] = useState<Template | null>(null)
  const [pressed, setPressed] = useState<'save' | 'submit'>('save')
  const invalidates = [jobs.list, jobs.view]
  const create = useApiMutation(jobs.create, { success: messages.jobSaved, invalidates })
  const update = useApiMutation(jobs.update, { success: messages.jobUpdated, invalidates, admin })

  const leaveTo = (saved: Job, search?: Record<string, string>) => {
    guard.leave()
    go(paths.job(saved.id), search)
  }
  const save = (values: JobValues, then: 'save' | 'submit') => {
    setPressed(then)
    const sent = job
      ? update.mutateAsync({ body: { ...values, id: job.id } })
      : create.mutateAsync({ body: values })
    return sendForm(
      form,
      sent.then((saved) => {
        if (then === 'save') return leaveTo(saved)
        form.reset(values)
        setSubmitting(saved)
      }),
    )
  }
  const press = (then: 'save' | 'submit') => {
    if (then === 'submit' && job && !isDirty) setSubmitting(job)
    else void form.handleSubmit((values) => save(values, then))()
  }
  const use = (chosen: Template) => {
    form.reset(fromTemplate(chosen), { keepDefaultValues: true })
    setTemplate(null)
  }

  return (
    <>
      <PageHeader
        title={title}
        actions={
          <>
            <ButtonLink to={job ? paths.job(job.id) : paths.jobs()} variant="ghost">
              Cancel
            </ButtonLink>
            <Button busy={isSubmitting && pressed === 'submit'} onClick={() => press('submit')}>
              Save and submit
            </Button>
            <Button variant="primary" busy={isSubmitting && pressed === 'save'} onClick={() => press('save')}>
              Save
            </Button>
          </>
        }
      />
      <Form id={formId} form={form} onSubmit={(values) => save(values, 'save')} className="min-w-0">
        <div className="grid items-start gap-4 lg:grid-cols-[22rem_minmax(0,1fr)]">
          <div className="flex min-w-0 flex-col gap-4">
            <Card>
              <div className="flex flex-col gap-4">
                <TextField form={form} name="name" label="Name" autoComplete="off" spellCheck={false} />
                <TextareaField form={form} name="description" label="Description" optional rows={2} />
              </div>
            </Card>
            <ResourceFields form={form} />
            <FittingClusters form={form} />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <ScriptField
              form={form}
              onSave={() => press('save')}
              onTemplate={(chosen) => (isDirty ? setTemplate(chosen) : use(chosen))}
            />
            <Preview form={form} />
          </div>
        </div>
        {/* Makes Enter in a field save the job. */}
        <button type="submit" hidden>
          Save
        </button>
      </Form>
      {guard.dialog}
      {template && (
        <ConfirmDialog
          open
          danger={false}
          onClose={() => setTemplate(null)}
          title={`Start from ${template.label}?`}
          confirmLabel="Use template"
          onConfirm={() => use(template)}
        >
          <p>{template.description}</p>
          <p>It replaces the current name, resources and script.</p>
        </ConfirmDialog>
      )}
      {submitting && (
        <SubmitDialog
          job={submitting}
          onClose={() => leaveTo(submitting)}
          onSubmitted={(submission) => leaveTo(submitting, { submission: submission.id })}
        />
      )}
    </>
  )
}
