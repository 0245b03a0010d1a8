import { JOB_DEFAULTS, JobInput, type Job } from '@flotilla/contract/jobs/jobs'
import type * as z from 'zod/mini'
import type { ZodForm } from '../../../forms/use-zod-form'
import type { Template } from '../../../submit/templates'

export type JobFields = z.input<typeof JobInput>
export type JobValues = z.output<typeof JobInput>
export type JobFormState = ZodForm<JobFields, JobValues>

export const emptyJob: JobValues = {
  name: '',
  description: '',
  data: { ...JOB_DEFAULTS, array: '', script: '#!/bin/bash\n' },
}
export const fieldsOf = ({ name, description, data }: Job): JobValues => ({ name, description, data })
export const copyOf = (job: Job): JobValues => ({ ...fieldsOf(job), name: `${job.name.slice(0, 59)}-copy` })
export const fromTemplate = ({ name, data }: Template): JobValues => ({ name, description: '', data })

/** The form's values, or null if they are invalid. A missing name is accepted. */
export function validJob(values: JobFields): JobValues | null {
  const parsed = JobInput.safeParse({ ...values, name: values.name.trim() || 'job' })
  return parsed.success ? parsed.data : null
}
