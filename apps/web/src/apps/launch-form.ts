import { AppResources, valueProblem, type App } from '@flotilla/contract/apps/apps'
import * as z from 'zod/mini'
import type { ZodForm } from '../forms/use-zod-form'

/** The schema of the form that starts an app. */
export const launchSchema = (app: App) =>
  z
    .object({
      cluster: z.string().check(z.minLength(1, 'Choose a cluster')),
      values: z.record(z.string(), z.string()),
      resources: AppResources,
    })
    .check(
      z.superRefine(({ values }, context) => {
        for (const field of app.fields) {
          const problem = valueProblem(field, values[field.name] ?? '')
          if (problem) context.addIssue({ code: 'custom', path: ['values', field.name], message: problem })
        }
      }),
    )
type Schema = ReturnType<typeof launchSchema>
export type LaunchForm = ZodForm<z.input<Schema>, z.output<Schema>>
